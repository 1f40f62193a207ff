// The two outermost levels of a model, model and graph, off the wire.
#include "onnx/model_reader.h"

#include "base/error.h"
#include "onnx/model_stream.h"
#include "onnx/proto_source.h"
#include "onnx/sniff.h"

namespace sardonyx::onnx {
namespace {

class ModelReader {
 public:
  // stream: at its start.
  ModelReader(ModelStream& stream, int size, const ReadContext& context)
      : in_(&stream, size, "model"), context_(context) {}

  ModelSource read() {
    for (auto field = in_.next(); field.number != 0; field = in_.next()) {
      if (!read_model_field(field)) in_.skip(field);
    }
    check(has_graph_, ErrorCode::invalid_model,
          "the model has no graph: its bytes are no ONNX model, or end too early");
    return std::move(model_);
  }

 private:
  bool read_model_field(const WireReader::Field& field) {
    return field.wire_type == WireReader::varint
               ? read_model_number(field.number)
               : field.wire_type == WireReader::bytes && read_model_bytes(field.number);
  }

  bool read_model_number(int number) {
    Model& m = model_.header;
    if (number == pb::ModelProto::kIrVersionFieldNumber)
      m.ir_version = in_.read_varint();
    else if (number == pb::ModelProto::kModelVersionFieldNumber)
      m.model_version = in_.read_varint();
    else
      return false;
    return true;
  }

  bool read_model_bytes(int number) {
    Model& m = model_.header;
    switch (number) {
      case pb::ModelProto::kProducerNameFieldNumber:
        m.producer_name = in_.read_string("producer_name");
        return true;
      case pb::ModelProto::kProducerVersionFieldNumber:
        m.producer_version = in_.read_string("producer_version");
        return true;
      case pb::ModelProto::kDomainFieldNumber:
        m.domain = in_.read_string("domain");
        return true;
      case pb::ModelProto::kDocStringFieldNumber:
        m.doc_string = in_.read_string("doc_string");
        return true;
      case pb::ModelProto::kGraphFieldNumber:
        has_graph_ = true;
        in_.nested("graph", [this] { read_graph(); });
        return true;
      case pb::ModelProto::kOpsetImportFieldNumber:
        read_opset();
        return true;
      case pb::ModelProto::kMetadataPropsFieldNumber: {
        auto entry = message<pb::StringStringEntryProto>("metadata_props");
        m.metadata.emplace_back(std::move(*entry.mutable_key()), std::move(*entry.mutable_value()));
        return true;
      }
      case pb::ModelProto::kFunctionsFieldNumber: {
        auto proto = message<pb::FunctionProto>("a function");
        model_.functions.push_back(to_function(proto, context_));
        return true;
      }
      default:
        return false;
    }
  }

  void read_opset() {
    const auto proto = message<pb::OperatorSetIdProto>("opset_import");
    add_opset(opsets_, proto);
    model_.header.opset_imports.push_back({std::string(short_domain(proto.domain())), proto.version()});
  }

  void read_graph() {
    for (auto field = in_.next(); field.number != 0; field = in_.next()) {
      if (field.wire_type != WireReader::bytes || !read_graph_bytes(field.number)) in_.skip(field);
    }
  }

  bool read_graph_bytes(int number) {
    GraphSource& g = model_.graph;
    switch (number) {
      case pb::GraphProto::kNodeFieldNumber: {
        auto proto = message<pb::NodeProto>("a node");
        g.nodes.push_back(to_node(proto, context_));
        return true;
      }
      case pb::GraphProto::kNameFieldNumber:
        g.name = in_.read_string("the graph's name");
        return true;
      case pb::GraphProto::kInitializerFieldNumber:
        g.initializers.push_back(read_tensor(in_, "initializer", context_));
        return true;
      case pb::GraphProto::kSparseInitializerFieldNumber: {
        auto proto = message<pb::SparseTensorProto>("a sparse initializer");
        g.initializers.push_back(to_named_dense(proto, context_));
        return true;
      }
      case pb::GraphProto::kInputFieldNumber:
        add_value_info(g.inputs, "an input");
        return true;
      case pb::GraphProto::kOutputFieldNumber:
        add_value_info(g.outputs, "an output");
        return true;
      case pb::GraphProto::kValueInfoFieldNumber:
        add_value_info(g.value_infos, "value_info");
        return true;
      default:
        return false;
    }
  }

  void add_value_info(std::vector<NamedType>& list, std::string_view what) {
    auto proto = message<pb::ValueInfoProto>(what);
    list.push_back(to_named_type(proto));
  }

  template <class Message>
  Message message(std::string_view what) {
    Message m;
    in_.read_message(m, what);
    return m;
  }

  WireReader in_;
  const ReadContext& context_;
  ModelSource model_;
  OpsetMap opsets_;
  bool has_graph_ = false;
};

}  // namespace

ModelSource read_model(ModelBytes& bytes, const LoadOptions& options, Expansion& expansion) {
  constexpr size_t kStart = 512;  // bytes that tell what a file is
  ModelStream stream(bytes);
  const auto start = stream.start(kStart);
  std::string foreign =
      describe_foreign_bytes(std::span(reinterpret_cast<const unsigned char*>(start.data()), start.size()));
  if (!foreign.empty()) fail(ErrorCode::invalid_model, std::move(foreign));
  const ReadContext context{options, expansion};
  return ModelReader(stream, static_cast<int>(bytes.size()), context).read();
}

}  // namespace sardonyx::onnx
