// Reading and making of scales and shifts.
#include "optimize/affine.h"

#include <algorithm>
#include <cmath>

namespace sardonyx {
namespace {

bool is_finite(const std::vector<float>& list) {
  return std::all_of(list.begin(), list.end(), [](float v) { return std::isfinite(v); });
}

// One value per channel of a constant that is broadcast along all other axes.
std::optional<std::vector<float>> per_channel(const Tensor& t, const Channels& channels) {
  if (t.dtype() != DType::float32 || t.rank() > channels.rank) return std::nullopt;
  for (int i = 0; i < t.rank(); i++) {
    const bool along = i + channels.rank - t.rank() == channels.axis;
    if (t.dim(i) != 1 && !(along && t.dim(i) == channels.count)) return std::nullopt;
  }
  std::vector<float> list(static_cast<size_t>(channels.count), 0);
  for (size_t c = 0; c < list.size(); c++) list[c] = t.data<float>()[t.count() == 1 ? 0 : c];
  return is_finite(list) ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<std::vector<float>> parameter(const Rewriter& r, ValueId id) {
  const Tensor* t = r.constant(id);
  if (!t || t->dtype() != DType::float32 || t->rank() != 1) return std::nullopt;
  return std::vector<float>(t->values<float>().begin(), t->values<float>().end());
}

ValueId floats(Rewriter& r, const std::vector<float>& list) {
  Tensor t = Tensor::allocate(DType::float32, {static_cast<int64_t>(list.size())});
  std::copy(list.begin(), list.end(), t.data<float>());
  return r.add_constant(std::move(t));
}

}  // namespace

std::optional<Affine> read_affine(const Rewriter& r, const Node& node, size_t x, const Channels& channels) {
  if (!node.domain.empty() || node.inputs.size() != 2 || channels.count <= 0) return std::nullopt;
  const std::string& type = node.op_type;
  const bool add = type == "Add", sub = type == "Sub", mul = type == "Mul", div = type == "Div";
  if (!(add || sub || mul || div) || (div && x != 0) || node.opset < 7) return std::nullopt;
  const Tensor* t = r.constant(node.inputs[1 - x]);
  auto list = t ? per_channel(*t, channels) : std::nullopt;
  if (!list) return std::nullopt;
  Affine a{std::vector<float>(list->size(), 1), std::vector<float>(list->size(), 0)};
  if (mul) a.scale = std::move(*list);
  if (div) std::transform(list->begin(), list->end(), a.scale.begin(), [](float v) { return 1 / v; });
  if (add) a.shift = std::move(*list);
  if (sub) {
    const float sign = x == 0 ? 1.0f : -1.0f;  // x - c, or c - x
    std::fill(a.scale.begin(), a.scale.end(), sign);
    std::transform(list->begin(), list->end(), a.shift.begin(), [&](float v) { return -sign * v; });
  }
  return is_finite(a.scale) ? std::optional(std::move(a)) : std::nullopt;
}

std::optional<Affine> read_batch_normalization(const Rewriter& r, const Node& node) {
  if (!node.domain.empty() || node.op_type != "BatchNormalization" || node.inputs.size() != 5) return std::nullopt;
  const auto outputs =
      std::count_if(node.outputs.begin(), node.outputs.end(), [](ValueId id) { return id != kNoValue; });
  if (outputs != 1 || node.outputs[0] == kNoValue || node.attributes.integer("training_mode", 0) != 0 ||
      (node.opset < 9 && node.attributes.integer("spatial", 1) == 0)) {
    return std::nullopt;
  }
  const auto scale = parameter(r, node.inputs[1]), bias = parameter(r, node.inputs[2]);
  const auto mean = parameter(r, node.inputs[3]), variance = parameter(r, node.inputs[4]);
  if (!scale || !bias || !mean || !variance) return std::nullopt;
  if (bias->size() != scale->size() || mean->size() != scale->size() || variance->size() != scale->size())
    return std::nullopt;
  const double epsilon = static_cast<double>(node.attributes.number("epsilon", 1e-5f));
  Affine a;
  for (size_t c = 0; c < scale->size(); c++) {
    const double s = static_cast<double>((*scale)[c]) / std::sqrt(static_cast<double>((*variance)[c]) + epsilon);
    a.scale.push_back(static_cast<float>(s));
    a.shift.push_back(static_cast<float>(static_cast<double>((*bias)[c]) - static_cast<double>((*mean)[c]) * s));
  }
  return is_finite(a.scale) && is_finite(a.shift) ? std::optional(std::move(a)) : std::nullopt;
}

Node make_batch_normalization(Rewriter& r, ValueId x, const Affine& affine, std::vector<ValueId> outputs) {
  const std::vector<float> zeros(affine.scale.size(), 0), ones(affine.scale.size(), 1);
  Attributes attributes;
  attributes.add("epsilon", 0.0f);
  const std::vector<ValueId> inputs{x, floats(r, affine.scale), floats(r, affine.shift), floats(r, zeros),
                                    floats(r, ones)};
  outputs.resize(1);
  return make_node("BatchNormalization", 15, inputs, std::move(outputs), std::move(attributes));
}

namespace {

bool pads_nothing(const Node& conv) {
  const std::vector<int64_t> pads = conv.attributes.ints("pads");
  const std::string auto_pad = conv.attributes.string("auto_pad", "NOTSET");
  return (auto_pad == "NOTSET" || auto_pad == "VALID") &&
         std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; });
}

}  // namespace

bool scale_weights(Rewriter& r, size_t n, const Affine& affine) {
  const Node& conv = r.node(n);
  const Tensor* w = r.constant(conv.inputs[1]);
  const int64_t groups = conv.attributes.integer("group", 1);
  if (!w || w->dtype() != DType::float32 || w->rank() < 3 || groups < 1 || w->dim(0) % groups != 0) return false;
  if (static_cast<int64_t>(affine.scale.size()) != w->dim(1) * groups || w->count() == 0) return false;
  const bool shifts = std::any_of(affine.shift.begin(), affine.shift.end(), [](float v) { return v != 0; });
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNoValue;
  const Tensor* bias = has_bias ? r.constant(conv.inputs[2]) : nullptr;
  if (shifts && !pads_nothing(conv)) return false;
  if (has_bias && (!bias || bias->dtype() != DType::float32 || bias->count() != w->dim(0))) return false;
  Tensor scaled = w->clone();
  Tensor sums = Tensor::allocate(DType::float32, {w->dim(0)});
  const int64_t taps = w->shape().count(2, w->rank());
  float* at = scaled.data<float>();
  for (int64_t o = 0; o < w->dim(0); o++) {
    double sum = bias ? static_cast<double>(bias->data<float>()[o]) : 0;
    for (int64_t i = 0; i < w->dim(1); i++) {
      const size_t c = static_cast<size_t>(o / (w->dim(0) / groups) * w->dim(1) + i);
      for (int64_t t = 0; t < taps; t++, at++) {
        sum += static_cast<double>(*at) * static_cast<double>(affine.shift[c]);
        *at *= affine.scale[c];
      }
    }
    sums.data<float>()[o] = static_cast<float>(sum);
  }
  r.set_input(n, 1, r.add_constant(std::move(scaled)));
  if (!shifts) return true;
  const ValueId added = r.add_constant(std::move(sums));
  if (conv.inputs.size() > 2)
    r.set_input(n, 2, added);
  else
    r.add_input(n, 2, added);
  return true;
}

Affine chained(const Affine& a, const Affine& b) {
  Affine both = a;
  for (size_t c = 0; c < a.scale.size(); c++) {
    both.scale[c] *= b.scale[c];
    both.shift[c] = both.shift[c] * b.scale[c] + b.shift[c];
  }
  return both;
}

}  // namespace sardonyx
