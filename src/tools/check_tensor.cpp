// Rules of TensorProto and SparseTensorProto.
#include "base/error.h"
#include "tools/check.h"
#include "tools/elements.h"

namespace sardonyx::tools {
namespace {

constexpr int kNewestType = 28;  // FLOAT6E3M2 of IR 14

// The fields that hold elements.
std::vector<std::string_view> filled(const pb::TensorProto& t) {
  std::vector<std::string_view> fields;
  if (t.float_data_size() > 0) fields.push_back("float_data");
  if (t.int32_data_size() > 0) fields.push_back("int32_data");
  if (t.string_data_size() > 0) fields.push_back("string_data");
  if (t.int64_data_size() > 0) fields.push_back("int64_data");
  if (t.double_data_size() > 0) fields.push_back("double_data");
  if (t.uint64_data_size() > 0) fields.push_back("uint64_data");
  if (t.has_raw_data()) fields.push_back("raw_data");
  return fields;
}

std::string shape_text(const pb::TensorProto& t) {
  std::string text = "[";
  for (const int64_t d : t.dims()) text += cat(text.size() > 1 ? "," : "", d);
  return text + "]";
}

void check_external(const pb::TensorProto& t, const Place& place, Findings& findings) {
  std::string location;
  for (const auto& entry : t.external_data())
    if (entry.key() == "location") location = entry.value();
  if (location.empty()) {
    findings.error("bad_external_data", place,
                   cat("tensor \"", t.name(), "\" lies in another file, which is not named"), {.value = t.name()});
  } else if (location.front() == '/' || location.find("..") != std::string::npos) {
    findings.error("bad_external_data", place,
                   cat("tensor \"", t.name(), "\" lies in \"", location, "\", which is not below the model's folder"),
                   {.value = t.name()});
  }
}

}  // namespace

void check_tensor(const pb::TensorProto& t, const Place& place, Findings& findings) {
  const About about{.value = t.name()};
  const auto error = [&](std::string_view code, std::string message) {
    findings.error(code, place, std::move(message), about);
  };
  if (t.data_type() <= 0 || t.data_type() > kNewestType) {
    return error("bad_tensor", cat("tensor \"", t.name(), "\" has no element type (data_type is ", t.data_type(), ")"));
  }
  const int64_t count = element_count(t.dims());
  if (count < 0) {
    return error("bad_tensor",
                 cat("the shape ", shape_text(t), " of tensor \"", t.name(), "\" is negative or too large"));
  }
  if (t.data_location() == pb::TensorProto::EXTERNAL) return check_external(t, place, findings);
  const auto fields = filled(t);
  if (fields.size() > 1)
    return error("bad_tensor", cat("tensor \"", t.name(), "\" has elements in ", fields[0], " and in ", fields[1]));
  if (t.data_type() > static_cast<int>(DType::int2)) return;
  const Elements elements(t);
  if (elements.readable()) return;
  if (fields.empty() && count == 0) return;
  if (fields.empty())
    return error("bad_tensor", cat("tensor \"", t.name(), "\" has no elements; its shape is ", shape_text(t)));
  const auto type = type_text(cat(t.data_type()));
  if (elements.is_text() && t.has_raw_data())
    return error("bad_tensor", cat("tensor \"", t.name(), "\" has strings in raw_data"));
  if (t.has_raw_data()) {
    return error("bad_tensor", cat("tensor \"", t.name(), "\" has ", t.raw_data().size(), " bytes of raw_data; ", type,
                                   " of shape ", shape_text(t), " has ", packed_bytes(elements.dtype(), count)));
  }
  error("bad_tensor", cat("tensor \"", t.name(), "\" has its elements in ", fields[0], ", which does not have the ",
                          count, " of ", type, " of shape ", shape_text(t)));
}

void check_sparse(const pb::SparseTensorProto& s, const Place& place, Findings& findings) {
  check_tensor(s.values(), place.in("values"), findings);
  check_tensor(s.indices(), place.in("indices"), findings);
  const std::string& name = s.values().name();
  const auto error = [&](std::string message) {
    findings.error("bad_tensor", place, cat("sparse tensor \"", name, "\" ", message), {.value = name});
  };
  const int64_t size = element_count(s.dims());
  if (size < 0 || s.dims().empty()) return error("has no shape");
  if (s.values().dims_size() != 1) return error("has values that are no list");
  const int64_t count = s.values().dims(0);
  if (s.indices().data_type() != pb::TensorProto::INT64) return error("has indices that are no int64");
  const auto& dims = s.indices().dims();
  const bool linear = dims.size() == 1 && dims[0] == count;
  const bool rows = dims.size() == 2 && dims[0] == count && dims[1] == s.dims_size();
  if (!linear && !rows) return error("has indices of a shape that does not fit its values");
  const Elements indices(s.indices());
  if (!indices.readable()) return;
  int64_t before = -1;
  for (int64_t i = 0; i < count; i++) {
    int64_t at = linear ? indices.integer(i) : 0;
    for (int d = 0; rows && d < s.dims_size(); d++) {
      const int64_t index = indices.integer(i * s.dims_size() + d);
      if (index < 0 || index >= s.dims(d)) return error(cat("has the index ", index, " outside of its shape"));
      at = at * s.dims(d) + index;
    }
    if (at < 0 || at >= size) return error(cat("has the index ", at, " outside of its shape"));
    if (at <= before) return error("has indices that do not ascend");
    before = at;
  }
}

}  // namespace sardonyx::tools
