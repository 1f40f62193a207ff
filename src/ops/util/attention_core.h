// What all attention operators come to: products of queries and keys, masked, normalised, and applied to values.
#pragma once
#include <cstdint>

#include "ops/operator.h"
#include "ops/util/attention_steps.h"

namespace sardonyx {

// Sizes, named as in the standard; total: past and keys.
struct AttentionSizes {
  int64_t batch, heads, kv_heads, queries, keys, past, total, size, v_size;

  // Multiply-adds (Operator::macs) of scores and results; what a mask leaves out is counted, too.
  double macs() const noexcept {
    const double scores =
        static_cast<double>(batch * heads) * static_cast<double>(queries) * static_cast<double>(total);
    return scores * static_cast<double>(size + v_size);
  }
};

// Where the vectors of a tensor lie: element i of vector r of head h is i after batch * b + head * h + row * r.
struct VectorLayout {
  int64_t batch, head, row;
};

// Vectors with `heads` heads of `size` elements: [batch][heads][rows][size], or [batch][rows][heads][size].
inline VectorLayout layout_of(bool rows_first, int64_t heads, int64_t rows, int64_t size) {
  return {heads * rows * size, rows_first ? size : rows * size, rows_first ? heads * size : size};
}

// What is added to the scores, in T; strides are 0 where a dimension of 1 repeats.
template <class T>
struct AttentionBias {
  const T* data = nullptr;
  int64_t batch = 0, head = 0, row = 0, column = 0;
  int64_t columns = 0;  // keys from here on are not attended
};

template <class T>
struct AttentionOperands {
  const T *q, *k, *v;
  VectorLayout q_at, k_at, v_at, y_at;
  AttentionBias<T> bias;
  const int64_t* valid = nullptr;  // keys that are no padding, per batch; the last one is that of the last query
  const int64_t* first = nullptr;  // or: the position of the first query among them, per batch
  const T* sinks = nullptr;        // per head: a score whose value is 0
  T* y;
  T* scores = nullptr;  // [batch][heads][queries][total]
};

struct AttentionRules {
  bool causal = false;
  bool scaled = false;  // else by 1 / sqrt(size)
  float scale = 1;
  float cap = 0;                  // 0: none
  bool capped_first = true;       // opset 23 caps what the mask has been added to
  int64_t left = -1, right = -1;  // the window; -1: open
  bool zeros = true;              // what a query gets that no key is left to: zeros, else NaN
  int64_t mode = 0;               // what `scores` are: qk_matmul_output_mode of the standard
};

// Steps: StepsF32 or StepsF64. Takes the run's scratch.
template <class Steps>
void attend(RunContext& c, const AttentionSizes& s, const AttentionRules& rules,
            const AttentionOperands<typename Steps::T>& o);

// [batch][heads][rows][size] y, which may have room, from row `first` on = x of that layout.
void append_vectors(const Tensor& x, const VectorLayout& at, int64_t batch, int64_t heads, int64_t rows, int64_t size,
                    Tensor& y, int64_t first);
// The same for vectors of float32 that belong to no tensor.
void append_vectors_f32(const float* x, const VectorLayout& at, int64_t batch, int64_t heads, int64_t rows,
                        int64_t size, Tensor& y, int64_t first);

}  // namespace sardonyx
