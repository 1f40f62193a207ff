// From protobuf's messages to the parsed form that graphs are built from.
#pragma once
#include "onnx/source.h"
#include "onnx/tensor_proto.h"

namespace sardonyx::onnx {

// Each takes strings and tensors out of the message, and throws Error (invalid_model) that names the node.
NodeSource to_node(pb::NodeProto& proto, const ReadContext& context);
AttributeSource to_attribute(pb::AttributeProto& proto, const ReadContext& context);
GraphSource to_graph(pb::GraphProto& proto, const ReadContext& context);
FunctionSource to_function(pb::FunctionProto& proto, const ReadContext& context);

NamedType to_named_type(pb::ValueInfoProto& proto);
NamedTensor to_named_dense(pb::SparseTensorProto& proto, const ReadContext& context);

// Adds an import; throws Error (invalid_model) for a version that is no version, or another than before.
void add_opset(OpsetMap& opsets, const pb::OperatorSetIdProto& proto);

}  // namespace sardonyx::onnx
