// Between maps and tensors: CastMap, DictVectorizer, ZipMap.
#include <algorithm>
#include <numeric>

#include "ops/families.h"
#include "ops/ml/positions.h"
#include "ops/util/convert.h"
#include "ops/util/elements.h"
#include "ops/util/order.h"

namespace sardonyx {
namespace {

void require_map(const InferContext& c) {
  c.require_inputs(1, 1);
  c.require_input(0);
  check(!c.is_tensor(0), ErrorCode::invalid_model, "input 0 must be a map, not a tensor");
}

// The values of a map whose values are single elements of one type, in the order of the keys' list.
Tensor values_of(const Map& map) {
  const int64_t count = static_cast<int64_t>(map.values.size());
  check(map.keys.count() == count, ErrorCode::invalid_input, "the map has ", map.keys.count(), " keys and ", count,
        " values");
  if (count == 0) return Tensor::allocate(DType::float32, Shape{0});
  Tensor all = Tensor::allocate(map.values[0].tensor().dtype(), Shape{count});
  check(kAddressable.has(all.dtype()), ErrorCode::invalid_input, "the map has values of ", all.dtype());
  const RunCopier copy(all.dtype());
  for (int64_t i = 0; i < count; i++) {
    const Tensor& value = map.values[static_cast<size_t>(i)].tensor();
    check(value.dtype() == all.dtype() && value.count() == 1, ErrorCode::invalid_input, "value ", i, " of the map is ",
          value, ", not one ", all.dtype());
    copy(all.bytes(), i, value.bytes(), 0, 1);
  }
  return all;
}

// The positions of the keys in ascending order.
std::vector<int64_t> ascending(const Tensor& keys) {
  const std::vector<int64_t> ranks = order_keys(keys);
  std::vector<int64_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return ranks[static_cast<size_t>(a)] < ranks[static_cast<size_t>(b)]; });
  return order;
}

// ONNX CastMap: the values by ascending keys, or (SPARSE) at the places that the keys are.
class CastMap final : public Operator {
 public:
  explicit CastMap(const Attributes& a)
      : sparse_(a.choice("map_form", {"DENSE", "SPARSE"}, 0) == 1), most_(a.integer("max_map", 1)) {
    constexpr DType kTypes[] = {DType::float32, DType::string, DType::int64};
    to_ = kTypes[a.choice("cast_to", {"TO_FLOAT", "TO_STRING", "TO_INT64"}, 0)];
    check(!sparse_ || most_ > 0, ErrorCode::invalid_model, "attribute \"max_map\" is ", most_);
  }
  void infer(InferContext& c) const override {
    require_map(c);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Map& map = c.value(0).map();
    check(map.keys.dtype() == DType::int64, ErrorCode::invalid_input, "the map has keys of ", map.keys.dtype());
    const Tensor values = convert(values_of(map), to_);
    const std::vector<int64_t> order = ascending(map.keys);
    Tensor& y = c.allocate(0, to_, Shape{1, sparse_ ? most_ : values.count()});
    if (sparse_ && y.byte_size() > 0) memset(y.bytes(), 0, y.byte_size());
    const RunCopier copy(to_);
    for (int64_t i = 0; i < values.count(); i++) {
      const int64_t from = order[static_cast<size_t>(i)], key = map.keys.data<int64_t>()[from];
      if (sparse_) check(key >= 0, ErrorCode::runtime_error, "the key ", key, " is negative");
      const int64_t to = sparse_ ? key : i;
      if (to < y.count()) copy(y.bytes(), to, values.bytes(), from, 1);
    }
  }

 private:
  bool sparse_;
  int64_t most_;
  DType to_;
};

// ONNX DictVectorizer: for each word of a vocabulary the map's value, or 0.
class DictVectorizer final : public Operator {
 public:
  explicit DictVectorizer(const Attributes& a) {
    const auto words = a.strings("string_vocabulary");
    const auto numbers = a.ints("int64_vocabulary");
    check(words.empty() != numbers.empty(), ErrorCode::invalid_model,
          "one of the attributes \"string_vocabulary\" and \"int64_vocabulary\" must have the vocabulary");
    vocabulary_ = words.empty() ? tensor_of(numbers) : tensor_of(words);
  }
  void infer(InferContext& c) const override {
    require_map(c);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Map& map = c.value(0).map();
    check(map.keys.dtype() == vocabulary_.dtype(), ErrorCode::invalid_input, "the map has keys of ", map.keys.dtype(),
          ", the vocabulary is of ", vocabulary_.dtype());
    const Tensor values = values_of(map);
    Tensor& y = c.allocate(0, values.dtype(), Shape{1, vocabulary_.count()});
    if (y.byte_size() > 0) memset(y.bytes(), 0, y.byte_size());
    const RunCopier copy(values.dtype());
    const Positions position(map.keys);
    for (int64_t i = 0; i < vocabulary_.count(); i++) {
      const int64_t from = position.of(vocabulary_, i);
      if (from >= 0) copy(y.bytes(), i, values.bytes(), from, 1);
    }
  }

 private:
  Tensor vocabulary_;
};

// ONNX ZipMap: each row becomes a map from the labels to its values.
class ZipMap final : public Operator {
 public:
  explicit ZipMap(const Attributes& a) {
    const auto words = a.strings("classlabels_strings");
    const auto numbers = a.ints("classlabels_int64s");
    check(words.empty() != numbers.empty(), ErrorCode::invalid_model,
          "one of the attributes \"classlabels_strings\" and \"classlabels_int64s\" must have the labels");
    labels_ = words.empty() ? tensor_of(numbers) : tensor_of(words);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, {DType::float32});
    c.require_rank(0, 1, 2);
    check(c.shape(0).back() == labels_.count(), ErrorCode::invalid_model, "rows of ", c.shape(0).back(),
          " values need as many labels, there are ", labels_.count());
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const int64_t columns = labels_.count();
    Sequence rows;
    for (int64_t row = 0; row < (x.rank() == 1 ? 1 : x.dim(0)); row++) {
      Map map{labels_, {}};
      for (int64_t i = 0; i < columns; i++) map.values.push_back(Tensor::scalar(x.data<float>()[row * columns + i]));
      rows.items.push_back(std::move(map));
    }
    c.set(0, std::move(rows));
  }

 private:
  Tensor labels_;
};

constexpr OpEntry kOps[] = {
    {"CastMap", 1, make_operator<CastMap>},
    {"DictVectorizer", 1, make_operator<DictVectorizer>},
    {"ZipMap", 1, make_operator<ZipMap>},
};

}  // namespace

std::span<const OpEntry> ml_map_ops() { return kOps; }

}  // namespace sardonyx
