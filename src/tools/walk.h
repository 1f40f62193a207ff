// Every node and every tensor of a graph, those of the graphs in attributes included.
#pragma once
#include "onnx.pb.h"

namespace sardonyx::tools {

// body(pb::GraphProto&) for each graph in the attributes of a node, in order.
template <class Body>
void for_each_subgraph(pb::NodeProto& node, const Body& body) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) body(*attribute.mutable_g());
    for (auto& g : *attribute.mutable_graphs()) body(g);
  }
}

template <class Body>
void for_each_subgraph(const pb::NodeProto& node, const Body& body) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) body(attribute.g());
    for (const auto& g : attribute.graphs()) body(g);
  }
}

// body(pb::TensorProto&): initializers and tensors in attributes.
template <class Body>
void for_each_tensor(pb::GraphProto& graph, const Body& body) {
  for (auto& tensor : *graph.mutable_initializer()) body(tensor);
  for (auto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) body(*attribute.mutable_t());
      for (auto& t : *attribute.mutable_tensors()) body(t);
    }
    for_each_subgraph(node, [&](pb::GraphProto& inner) { for_each_tensor(inner, body); });
  }
}

}  // namespace sardonyx::tools
