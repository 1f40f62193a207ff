// Pass: a Pad of zeros becomes the padding of the convolution or the average pool behind it.
#include <algorithm>

#include "ops/fusible.h"
#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

// Sizes before and after each axis, where the Pad adds zeros only.
std::optional<std::vector<int64_t>> zero_pads(const Rewriter& r, const Node& pad) {
  if (pad.attributes.string("mode", "constant") != "constant") return std::nullopt;
  if (pad.inputs.size() < 2) {
    if (pad.attributes.number("value", 0) != 0) return std::nullopt;
    return pad.attributes.ints(pad.attributes.has("pads") ? "pads" : "paddings");
  }
  if (pad.inputs.size() > 3 && pad.inputs[3] != kNoValue) return std::nullopt;
  if (pad.inputs.size() > 2 && pad.inputs[2] != kNoValue && r.scalar(pad.inputs[2]) != 0.0) return std::nullopt;
  return r.integers(pad.inputs[1]);
}

// The attributes with `pads` instead of theirs; nullopt where the node pads by itself in another way.
std::optional<Attributes> with_pads(const Node& node, std::vector<int64_t> pads) {
  if (node.attributes.string("auto_pad", "NOTSET") != "NOTSET") return std::nullopt;
  const std::vector<int64_t> own = node.attributes.ints("pads");
  if (!own.empty() && own.size() != pads.size()) return std::nullopt;
  const bool pads_itself = std::any_of(own.begin(), own.end(), [](int64_t p) { return p != 0; });
  const bool pool = node.op_type == "AveragePool";
  // What an average counts must be the same; rounding up adds windows that end in padding.
  if (pool && (node.attributes.integer("ceil_mode", 0) != 0 ||
               (pads_itself && node.attributes.integer("count_include_pad", 0) == 0)))
    return std::nullopt;
  for (size_t i = 0; i < own.size(); i++) pads[i] += own[i];
  Attributes made;
  for (const Attribute& a : node.attributes.all()) {
    if (a.name != "pads" && !(pool && a.name == "count_include_pad")) made.add(a.name, a.value);
  }
  made.add("pads", std::move(pads));
  if (pool) made.add("count_include_pad", int64_t{1});
  return made;
}

// The pads of the spatial axes, none of them negative, where the others have none.
std::optional<std::vector<int64_t>> spatial(const std::vector<int64_t>& pads) {
  const size_t rank = pads.size() / 2;
  if (rank < 3 || pads.size() % 2 != 0) return std::nullopt;
  std::vector<int64_t> list;
  for (size_t i = 0; i < pads.size(); i++) {
    if (pads[i] < 0 || pads[i] > (int64_t{1} << 30)) return std::nullopt;
    if (i % rank < 2 && pads[i] != 0) return std::nullopt;
    if (i % rank >= 2) list.push_back(pads[i]);
  }
  return list;
}

void fuse(Rewriter& r, size_t n) {
  if (!r.is(n, "Conv") && !(r.is(n, "AveragePool") && r.node(n).opset >= 7)) return;
  const Node& node = r.node(n);
  const Node* pad = r.only_producer(node.inputs[0], "Pad");
  const auto pads = pad ? zero_pads(r, *pad) : std::nullopt;
  const auto around = pads ? spatial(*pads) : std::nullopt;
  auto attributes = around ? with_pads(node, *around) : std::nullopt;
  if (!attributes) return;
  // A pool refuses padding as large as its window, and the convolution's window is not known if its weights are not.
  const auto window = node.attributes.ints("kernel_shape");
  for (size_t i = 0; node.op_type == "AveragePool" && i < around->size(); i++) {
    const auto& all = *std::find_if(attributes->all().begin(), attributes->all().end(),
                                    [](const Attribute& a) { return a.name == "pads"; });
    if (window.empty() || std::get<std::vector<int64_t>>(all.value)[i] >= window[i % window.size()]) return;
  }
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = pad->inputs[0];
  Fusible* before = node.op->fusible();
  const bool widens = before && before->widens();
  r.replace(n, make_node(node.op_type, node.opset, std::move(inputs), node.outputs, std::move(*attributes)));
  if (widens) r.node(n).op->fusible()->fuse_widening();
}

}  // namespace

void fuse_pads(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  for (size_t n = 0; n < r.size(); n++) fuse(r, n);
}

}  // namespace sardonyx
