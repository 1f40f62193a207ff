// The list of findings and its JSON.
#include "tools/findings.h"

#include "base/error.h"
#include "tools/json.h"

namespace sardonyx::tools {
namespace {

// A broken model may break a rule at every node.
constexpr size_t kMost = 2000;

}  // namespace

Place Place::in(std::string_view field) const { return {cat(path, ".", field), node, index}; }
Place Place::in(std::string_view field, int i) const { return {cat(path, ".", field, "[", i, "]"), node, index}; }
Place Place::of(const pb::NodeProto& inner, int i) const { return {cat(path, ".node[", i, "]"), &inner, i}; }

void Findings::error(std::string_view code, const Place& place, std::string message, About about) {
  errors_++;
  add(true, code, place, std::move(message), about);
}

void Findings::warning(std::string_view code, const Place& place, std::string message, About about) {
  add(false, code, place, std::move(message), about);
}

void Findings::add(bool is_error, std::string_view code, const Place& place, std::string message, About about) {
  if (list_.size() >= kMost) {
    left_out_++;
    return;
  }
  Finding f{is_error,
            std::string(code),
            std::move(message),
            place.path,
            {},
            {},
            std::string(about.attribute),
            std::string(about.value),
            place.index};
  if (place.node) {
    f.node = place.node->name();
    f.op_type = place.node->op_type();
  }
  list_.push_back(std::move(f));
}

std::string Findings::json() const {
  Json json;
  json.open('{').key("valid").boolean(errors_ == 0).key("findings").open('[');
  for (const Finding& f : list_) {
    json.open('{').field("severity", f.is_error ? "error" : "warning").field("code", f.code);
    json.field("message", f.message).field("path", f.path);
    if (f.index >= 0) {
      json.key("node").open('{').field("index", f.index).field("name", f.node).field("opType", f.op_type).close('}');
    }
    if (!f.attribute.empty()) json.field("attribute", f.attribute);
    if (!f.value.empty()) json.field("value", f.value);
    json.close('}');
  }
  json.close(']').key("leftOut").natural(left_out_).close('}');
  return json.take();
}

}  // namespace sardonyx::tools
