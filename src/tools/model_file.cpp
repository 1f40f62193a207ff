// Parsing and writing of whole models.
#include "tools/model_file.h"

#include <google/protobuf/io/coded_stream.h>

#include "base/error.h"
#include "onnx/sniff.h"
#include "tools/elements.h"
#include "tools/json.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

constexpr uint64_t kAlignment = 64;

// Fields of a message that is known to be well formed; those in groups, which ONNX does not have, are passed over.
class Fields {
 public:
  Fields(std::string_view bytes, Range within)
      : bytes_(bytes), at_(std::min<uint64_t>(within.offset, bytes.size())), end_(at_) {
    end_ += std::min(within.length, bytes.size() - at_);
  }

  bool next() {
    for (int groups = 0; at_ < end_;) {
      const uint64_t tag = varint();
      number = static_cast<int>(tag >> 3);
      value = {};
      switch (tag & 7) {
        case 0:
          varint();
          break;
        case 1:
          skip(8);
          break;
        case 2:
          value.length = varint();
          value.offset = at_;
          skip(value.length);
          value.length = at_ - value.offset;
          break;
        case 3:
          groups++;
          continue;
        case 4:
          groups--;
          continue;
        default:
          skip(4);
      }
      if (groups <= 0) return true;
    }
    return false;
  }
  int number = 0;
  Range value;  // of fields with a length

 private:
  void skip(uint64_t bytes) { at_ += std::min(bytes, end_ - at_); }

  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; at_ < end_ && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return result;
  }
  std::string_view bytes_;
  uint64_t at_, end_;
};

Range raw_data_of(std::string_view bytes, Range tensor) {
  Range found;
  for (Fields f(bytes, tensor); f.next();)
    if (f.number == pb::TensorProto::kRawDataFieldNumber) found = f.value;
  return found;
}

void find_in_node(std::string_view bytes, Range node, int index, ModelFile& file) {
  int attribute = 0;
  for (Fields f(bytes, node); f.next();) {
    if (f.number != pb::NodeProto::kAttributeFieldNumber) continue;
    for (Fields a(bytes, f.value); a.next();) {
      if (a.number != pb::AttributeProto::kTFieldNumber) continue;
      const Range raw = raw_data_of(bytes, a.value);
      if (raw.length > 0) file.attributes[{index, attribute}] = raw;
    }
    attribute++;
  }
}

void find_ranges(std::string_view bytes, ModelFile& file) {
  for (Fields m(bytes, {0, bytes.size()}); m.next();) {
    if (m.number != pb::ModelProto::kGraphFieldNumber) continue;
    int node = 0;
    for (Fields g(bytes, m.value); g.next();) {
      if (g.number == pb::GraphProto::kNodeFieldNumber) find_in_node(bytes, g.value, node++, file);
      if (g.number == pb::GraphProto::kInitializerFieldNumber) file.initializers.push_back(raw_data_of(bytes, g.value));
    }
  }
}

void set_entry(pb::TensorProto& tensor, const char* key, std::string value) {
  auto* entry = tensor.add_external_data();
  entry->set_key(key);
  entry->set_value(std::move(value));
}

// Does an input have the dimension?
bool fix_named(pb::GraphProto& g, const std::string& name, int64_t size) {
  bool found = false;
  const auto fix = [&](auto& list) {
    for (auto& v : list) {
      if (!v.type().has_tensor_type() || !v.type().tensor_type().has_shape()) continue;
      for (auto& d : *v.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
        if (d.has_dim_value() || d.dim_param() != name) continue;
        d.set_dim_value(size);
        found = true;
      }
    }
  };
  fix(*g.mutable_input());
  const bool in_inputs = found;
  fix(*g.mutable_output());
  fix(*g.mutable_value_info());
  return in_inputs;
}

}  // namespace

ModelFile parse_model(std::string_view bytes) {
  ModelFile file;
  const auto* start = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::string foreign = onnx::describe_foreign_bytes({start, std::min<size_t>(bytes.size(), 512)});
  check(foreign.empty(), ErrorCode::invalid_model, foreign);
  check(bytes.size() < INT32_MAX, ErrorCode::invalid_model, "a model's file has at most 2 GB, not ", bytes.size(),
        " bytes");
  google::protobuf::io::CodedInputStream in(start, static_cast<int>(bytes.size()));
  check(file.proto.MergePartialFromCodedStream(&in) && in.ConsumedEntireMessage(), ErrorCode::invalid_model,
        "the bytes are no ONNX model, or end too early");
  check(file.proto.has_graph(), ErrorCode::invalid_model, "the model has no graph: its bytes are no ONNX model");
  find_ranges(bytes, file);
  return file;
}

std::string model_bytes(const pb::ModelProto& model) {
  check(model.ByteSizeLong() < INT32_MAX, ErrorCode::invalid_argument,
        "the model has more than 2 GB: its weights need a file of their own (externalData)");
  return model.SerializeAsString();
}

std::string move_out_tensors(pb::ModelProto& model, const std::string& location, uint64_t least) {
  std::string data;
  for_each_tensor(*model.mutable_graph(), [&](pb::TensorProto& tensor) {
    if (tensor.raw_data().size() < least || tensor.raw_data().empty()) return;
    data.resize((data.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
    set_entry(tensor, "location", location);
    set_entry(tensor, "offset", cat(data.size()));
    set_entry(tensor, "length", cat(tensor.raw_data().size()));
    data += tensor.raw_data();
    tensor.clear_raw_data();
    tensor.set_data_location(pb::TensorProto::EXTERNAL);
  });
  return data;
}

void fix_dimension(pb::ModelProto& model, const std::string& name, int64_t size) {
  check(fix_named(*model.mutable_graph(), name, size), ErrorCode::invalid_argument, "no input has a dimension \"", name,
        "\"");
}

void fix_input(pb::ModelProto& model, const std::string& name, const std::vector<int64_t>& sizes) {
  pb::GraphProto& g = *model.mutable_graph();
  for (auto& v : *g.mutable_input()) {
    if (v.name() != name || !v.type().has_tensor_type()) continue;
    auto& type = *v.mutable_type()->mutable_tensor_type();
    const auto declared = type.shape();
    check(!type.has_shape() || static_cast<size_t>(declared.dim_size()) == sizes.size(), ErrorCode::invalid_argument,
          "input \"", name, "\" has ", declared.dim_size(), " dimensions, not ", sizes.size());
    type.clear_shape();
    for (size_t i = 0; i < sizes.size(); i++) {
      const auto* d = declared.dim_size() > 0 ? &declared.dim(static_cast<int>(i)) : nullptr;
      check(!d || !d->has_dim_value() || d->dim_value() == sizes[i], ErrorCode::invalid_argument, "dimension ", i,
            " of input \"", name, "\" is ", d ? d->dim_value() : 0, ", not ", sizes[i]);
      type.mutable_shape()->add_dim()->set_dim_value(sizes[i]);
    }
    for (int i = 0; i < declared.dim_size(); i++) {  // the same name elsewhere is the same size
      const std::string& symbol = declared.dim(i).dim_param();
      if (!symbol.empty()) fix_named(g, symbol, sizes[static_cast<size_t>(i)]);
    }
    return;
  }
  fail(ErrorCode::invalid_argument, cat("there is no input \"", name, "\" that is a tensor"));
}

std::string external_tensors(pb::ModelProto& model) {
  Json json;
  json.open('[');
  for_each_tensor(*model.mutable_graph(), [&](pb::TensorProto& tensor) {
    if (tensor.data_location() != pb::TensorProto::EXTERNAL) return;
    const Elements elements(tensor);
    check(elements.count() >= 0 && elements.dtype() != DType::undefined && !elements.is_text(),
          ErrorCode::invalid_model, "tensor \"", tensor.name(), "\" lies in another file and has no size");
    std::string location;
    uint64_t offset = 0;
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = std::strtoull(entry.value().c_str(), nullptr, 10);
    }
    check(!location.empty(), ErrorCode::invalid_model, "tensor \"", tensor.name(),
          "\" lies in another file, which is not named");
    json.open('{').field("location", location).key("offset").natural(offset);
    json.key("length").natural(packed_bytes(elements.dtype(), elements.count())).close('}');
  });
  json.close(']');
  return json.take();
}

void inline_tensor(pb::ModelProto& model, size_t index, std::string_view bytes) {
  size_t at = 0;
  for_each_tensor(*model.mutable_graph(), [&](pb::TensorProto& tensor) {
    if (tensor.data_location() == pb::TensorProto::EXTERNAL && at++ == index)
      tensor.set_raw_data(bytes.data(), bytes.size());
  });
}

void end_inlining(pb::ModelProto& model) {
  for_each_tensor(*model.mutable_graph(), [&](pb::TensorProto& tensor) {
    if (tensor.data_location() != pb::TensorProto::EXTERNAL) return;
    tensor.clear_external_data();
    tensor.clear_data_location();
  });
}

}  // namespace sardonyx::tools
