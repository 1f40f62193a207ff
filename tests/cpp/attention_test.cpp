// Attention against the standard's formula in double: layouts, masks, windows, caches, types, sizes of zero, errors.
#include "error_of.h"
#include "op_runner.h"
#include "op_values.h"

namespace sardonyx::testing {
namespace {

struct Case {
  int opset = 24;
  bool flat = false;
  int64_t batch = 2, heads = 4, kv_heads = 2, queries = 5, keys = 7, past = 0, size = 6, v_size = 3;
  bool causal = false;
  int64_t left = -1, right = -1;
  float cap = 0;
  Shape mask = {};  // rank 0: none
  bool bool_mask = false;
  std::vector<int64_t> nonpad = {};
  int64_t mode = 0;
  DType type = DType::float32;
};

struct Reference {
  std::vector<double> y, scores;
};

// As the text of opset 24 and 25 has it, on tensors of [batch][heads][rows][size].
Reference reference(const Case& s, const std::vector<double>& q, const std::vector<double>& k,
                    const std::vector<double>& v, const std::vector<double>& mask) {
  Reference r;
  const int64_t total = s.past + s.keys;
  for (int64_t b = 0; b < s.batch; b++) {
    for (int64_t h = 0; h < s.heads; h++) {
      for (int64_t i = 0; i < s.queries; i++) {
        const int64_t kv = h / (s.heads / s.kv_heads);
        const int64_t valid = s.nonpad.empty() ? total : s.nonpad[static_cast<size_t>(b)];
        const int64_t at = i + (s.nonpad.empty() ? s.past : valid - s.queries);
        std::vector<double> raw, biased, p;
        bool any = false;
        for (int64_t j = 0; j < total; j++) {
          double dot = 0, bias = 0;
          for (int64_t e = 0; e < s.size; e++) {
            dot += q[static_cast<size_t>(((b * s.heads + h) * s.queries + i) * s.size + e)] *
                   k[static_cast<size_t>(((b * s.kv_heads + kv) * total + j) * s.size + e)];
          }
          dot /= std::sqrt(static_cast<double>(s.size));
          if (s.mode == 0) raw.push_back(dot);
          if (s.cap != 0) dot = static_cast<double>(s.cap) * std::tanh(dot / static_cast<double>(s.cap));
          if (s.mode == 1) raw.push_back(dot);
          if (s.mask.rank()) {
            const int64_t index[] = {b, h, i, j};
            int64_t place = 0, step = 1;
            bool outside = false;
            for (int d = s.mask.rank() - 1; d >= 0; d--) {
              const int64_t x = index[d + 4 - s.mask.rank()], n = s.mask[d];
              if (d == s.mask.rank() - 1 && x >= n) outside = true;
              if (n != 1 && !outside) place += x * step;
              step *= n;
            }
            bias += outside ? -INFINITY : mask[static_cast<size_t>(place)];
          }
          if (s.causal && j > at) bias = -INFINITY;
          if (s.left >= 0 && j < at - s.left) bias = -INFINITY;
          if (s.right >= 0 && j > at + s.right) bias = -INFINITY;
          if (j >= valid) bias = -INFINITY;
          any = any || bias != -INFINITY;
          biased.push_back(dot + bias);
        }
        if (s.mode == 2) raw = biased;
        double largest = -INFINITY, sum = 0;
        for (double x : biased) largest = std::max(largest, x);
        for (double x : biased) p.push_back(any ? std::exp(x - largest) : 0), sum += p.back();
        for (double& x : p) x = any ? x / sum : 0;
        if (s.mode == 3) raw = p;
        r.scores.insert(r.scores.end(), raw.begin(), raw.end());
        for (int64_t e = 0; e < s.v_size; e++) {
          double y = 0;
          for (int64_t j = 0; j < total; j++) {
            y += p[static_cast<size_t>(j)] * v[static_cast<size_t>(((b * s.kv_heads + kv) * total + j) * s.v_size + e)];
          }
          r.y.push_back(y);
        }
      }
    }
  }
  return r;
}

// [batch][heads][rows][size] <-> [batch][rows][heads * size]
std::vector<double> exchange(const std::vector<double>& x, int64_t batch, int64_t a, int64_t b, int64_t size) {
  std::vector<double> y(x.size());
  for (int64_t n = 0; n < batch; n++) {
    for (int64_t i = 0; i < a; i++) {
      for (int64_t j = 0; j < b; j++) {
        for (int64_t e = 0; e < size; e++) {
          y[static_cast<size_t>(((n * b + j) * a + i) * size + e)] =
              x[static_cast<size_t>(((n * a + i) * b + j) * size + e)];
        }
      }
    }
  }
  return y;
}

// past rows before new ones
std::vector<double> join_rows(const std::vector<double>& past, const std::vector<double>& now, int64_t outer,
                              int64_t past_size, int64_t size) {
  std::vector<double> y;
  for (int64_t i = 0; i < outer; i++) {
    y.insert(y.end(), past.begin() + i * past_size, past.begin() + (i + 1) * past_size);
    y.insert(y.end(), now.begin() + i * size, now.begin() + (i + 1) * size);
  }
  return y;
}

Shape shape_of(const Case& s, int64_t heads, int64_t rows, int64_t size) {
  return s.flat ? Shape{s.batch, rows, heads * size} : Shape{s.batch, heads, rows, size};
}

void expect_case(const Case& s, const std::string& what) {
  Attributes a;
  a.add("is_causal", int64_t{s.causal});
  a.add("softcap", s.cap);
  a.add("qk_matmul_output_mode", s.mode);
  if (s.opset >= 25) a.add("left_window_size", s.left), a.add("right_window_size", s.right);
  if (s.flat) a.add("q_num_heads", s.heads), a.add("kv_num_heads", s.kv_heads);
  const Tensor q = random_tensor(shape_of(s, s.heads, s.queries, s.size), 1, s.type),
               k = random_tensor(shape_of(s, s.kv_heads, s.keys, s.size), 2, s.type),
               v = random_tensor(shape_of(s, s.kv_heads, s.keys, s.v_size), 3, s.type);
  std::vector<Value> inputs{q, k, v, Value(), Value(), Value(), Value()};
  std::vector<double> mask;
  if (s.mask.rank()) {
    Tensor m = random_tensor(s.mask, 4, s.type);
    mask = doubles(m);
    if (s.bool_mask) {
      m = Tensor::allocate(DType::boolean, s.mask);
      for (size_t i = 0; i < mask.size(); i++) {
        m.data<bool>()[i] = mask[i] > 0;
        mask[i] = mask[i] > 0 ? 0 : -INFINITY;
      }
    }
    inputs[3] = m;
  }
  std::vector<double> all_k = doubles(k), all_v = doubles(v), all_q = doubles(q);
  if (s.flat) {
    all_q = exchange(all_q, s.batch, s.queries, s.heads, s.size);
    all_k = exchange(all_k, s.batch, s.keys, s.kv_heads, s.size);
    all_v = exchange(all_v, s.batch, s.keys, s.kv_heads, s.v_size);
  }
  if (s.past) {
    const Tensor pk = random_tensor({s.batch, s.kv_heads, s.past, s.size}, 5, s.type),
                 pv = random_tensor({s.batch, s.kv_heads, s.past, s.v_size}, 6, s.type);
    inputs[4] = pk, inputs[5] = pv;
    all_k = join_rows(doubles(pk), all_k, s.batch * s.kv_heads, s.past * s.size, s.keys * s.size);
    all_v = join_rows(doubles(pv), all_v, s.batch * s.kv_heads, s.past * s.v_size, s.keys * s.v_size);
  }
  if (!s.nonpad.empty()) inputs[6] = Tensor::of(s.nonpad);
  if (s.nonpad.empty()) inputs.pop_back();
  const Reference r = reference(s, all_q, all_k, all_v, mask);
  const std::vector<Value> y = run_op("Attention", s.opset, a, inputs, 4);
  std::vector<double> wanted = r.y;
  if (s.flat) wanted = exchange(wanted, s.batch, s.heads, s.queries, s.v_size);
  expect_near(y[0].tensor(), wanted, what);
  expect_near(y[1].tensor(), all_k, what + ": present_key");
  expect_near(y[2].tensor(), all_v, what + ": present_value");
  expect_near(y[3].tensor(), r.scores, what + ": qk_matmul_output");
  // Without the other outputs keys that no one sees are never computed.
  expect_near(run_op("Attention", s.opset, a, inputs)[0].tensor(), wanted, what + ", alone");
}

TEST(Attention, FollowsTheFormula) {
  expect_case({}, "plain");
  expect_case({.flat = true}, "flat");
  expect_case({.flat = true, .past = 3, .causal = true}, "flat, past, causal");
  expect_case({.queries = 70, .keys = 530, .size = 40, .v_size = 33, .causal = true}, "several blocks, causal");
  expect_case({.queries = 1, .keys = 65, .size = 64, .v_size = 64}, "one query");
  expect_case({.queries = 9, .keys = 4, .causal = true, .cap = 1.5f, .mask = {4, 9, 4}}, "more queries than keys");
  for (int64_t mode = 0; mode < 4; mode++) {
    expect_case({.past = 2, .causal = true, .cap = 0.7f, .mask = {5, 9}, .mode = mode}, cat("mode ", mode));
    expect_case({.opset = 23, .past = 2, .causal = mode == 3, .mask = {5, 9}, .mode = mode == 1 ? 0 : mode},
                cat("opset 23, mode ", mode));
  }
}

TEST(Attention, Masks) {
  expect_case({.mask = {5, 7}}, "rank 2");
  expect_case({.mask = {4, 1, 7}}, "rank 3");
  expect_case({.mask = {2, 1, 5, 7}}, "rank 4");
  expect_case({.mask = {7}}, "rank 1");
  expect_case({.mask = {2, 4, 5, 7}, .bool_mask = true}, "booleans");
  expect_case({.mask = {5, 4}}, "short");
  expect_case({.causal = true, .mask = {5, 4}, .bool_mask = true, .mode = 2}, "short booleans");
  expect_case({.mask = {2, 1, 1, 6}, .nonpad = {3, 6}}, "padding");
  expect_case({.causal = true, .nonpad = {3, 7}, .mode = 3}, "rows that see nothing");
  expect_case({.nonpad = {0, 7}, .mode = 3}, "a batch without keys");
}

TEST(Attention, Windows) {
  for (int64_t left : {-1, 0, 2, 100}) {
    for (int64_t right : {-1, 0, 1, 100}) {
      const std::string what = cat(left, " ", right);
      expect_case({.opset = 25, .left = left, .right = right, .mode = 2}, what);
      expect_case({.opset = 25, .past = 4, .causal = true, .left = left, .right = right, .mask = {5, 11}}, what);
      expect_case({.opset = 25, .queries = 12, .keys = 3, .left = left, .right = right}, what);
      expect_case({.opset = 25, .left = left, .right = right, .nonpad = {2, 6}, .mode = 3}, what);
    }
  }
}

TEST(Attention, Types) {
  for (DType type : {DType::float64, DType::float16, DType::bfloat16}) {
    expect_case({.past = 3, .causal = true, .cap = 2, .mask = {5, 10}, .mode = 2, .type = type}, "type");
    expect_case({.flat = true, .mask = {5, 7}, .bool_mask = true, .mode = 3, .type = type}, "type");
  }
}

TEST(Attention, SizesOfZero) {
  const auto run = [](const Shape& q, const Shape& k, const Shape& v) {
    return doubles(
        run_op("Attention", 23, {}, {random_tensor(q, 1), random_tensor(k, 2), random_tensor(v, 3)})[0].tensor());
  };
  EXPECT_EQ(run({1, 2, 3, 4}, {1, 2, 0, 4}, {1, 2, 0, 2}), std::vector<double>(12, 0));
  EXPECT_TRUE(run({1, 2, 0, 4}, {1, 2, 3, 4}, {1, 2, 3, 2}).empty());
  EXPECT_TRUE(run({0, 2, 5, 4}, {0, 2, 3, 4}, {0, 2, 3, 2}).empty());
  EXPECT_TRUE(run({1, 0, 5, 4}, {1, 0, 3, 4}, {1, 0, 3, 2}).empty());
  EXPECT_TRUE(run({1, 2, 5, 4}, {1, 2, 3, 4}, {1, 2, 3, 0}).empty());
  const std::vector<double> even = run({1, 1, 1, 0}, {1, 1, 4, 0}, {1, 1, 4, 1});
  const std::vector<double> v = doubles(random_tensor({1, 1, 4, 1}, 3));
  EXPECT_NEAR(even[0], (v[0] + v[1] + v[2] + v[3]) / 4, 1e-6);
}

// At opset 23 the mask came before the cap; what it excludes stays excluded.
TEST(Attention, CapAfterTheMaskAtOpset23) {
  Attributes a;
  a.add("softcap", 2.0f);
  a.add("qk_matmul_output_mode", int64_t{2});
  const Tensor q = tensor<float>({1, 1, 1, 1}, {1}), k = tensor<float>({1, 1, 3, 1}, {1, 2, 3}),
               v = tensor<float>({1, 1, 3, 1}, {1, 10, 100});
  const std::vector<Value> y = run_op("Attention", 23, a, {q, k, v, tensor<float>({1, 3}, {0.5f, 1, -INFINITY})}, 4);
  const double s0 = 2 * std::tanh(1.5 / 2), s1 = 2 * std::tanh(3.0 / 2), p = 1 / (1 + std::exp(s1 - s0));
  expect_near(y[3].tensor(), {s0, s1, -INFINITY});
  expect_near(y[0].tensor(), {p + 10 * (1 - p)});
}

std::string refusal(int opset, Attributes a, std::vector<Value> inputs) {
  return testing::reason_of([&] { run_op("Attention", opset, std::move(a), std::move(inputs)); });
}

TEST(Attention, ExplainsWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 2, 3, 4}, 1), flat = random_tensor({1, 3, 8}, 1);
  EXPECT_EQ(refusal(23, {}, {flat, flat, flat}), "inputs of rank 3 need q_num_heads and kv_num_heads");
  Attributes heads;
  heads.add("q_num_heads", int64_t{3});
  heads.add("kv_num_heads", int64_t{3});
  EXPECT_EQ(refusal(23, heads, {flat, flat, flat}), "hidden sizes 8, 8 and 8 are no multiples of 3 and 3 heads");
  EXPECT_EQ(refusal(23, {}, {x, random_tensor({1, 2, 3, 5}, 1), x}),
            "Q of shape 1x2x3x4, K of 1x2x3x5 and V of 1x2x3x4 do not fit");
  EXPECT_EQ(refusal(23, {}, {random_tensor({1, 3, 3, 4}, 1), x, x}),
            "3 heads of Q are no multiple of 2 heads of K and V");
  EXPECT_EQ(refusal(23, {}, {x, x, x, random_tensor({2, 3}, 1)}), "attn_mask of shape 2x3 does not fit 1x2x3x3");
  EXPECT_EQ(refusal(23, {}, {x, x, x, random_tensor({3, 2}, 1)}), "attn_mask of shape 3x2 does not fit 1x2x3x3");
  EXPECT_EQ(refusal(23, {}, {x, x, x, Value(), x}), "past_key and past_value must be given together");
  EXPECT_EQ(refusal(24, {}, {x, x, x, Value(), Value(), Value(), Tensor::of(std::vector<int64_t>{1, 2})}),
            "nonpad_kv_seqlen has shape 2 for a batch of 1");
  Attributes mode;
  mode.add("qk_matmul_output_mode", int64_t{4});
  EXPECT_EQ(refusal(23, mode, {x, x, x}), "qk_matmul_output_mode is 4, not 0 to 3");
}

}  // namespace
}  // namespace sardonyx::testing
