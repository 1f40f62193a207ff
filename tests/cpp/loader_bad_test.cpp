// The loader: bytes that are no model, and models that break the standard.
#include <gtest/gtest.h>

#include <chrono>

#include "base/error.h"
#include "error_of.h"
#include "model_builder.h"

namespace sardonyx::testing {
namespace {

std::string refusal(std::string_view bytes) {
  return error_of([&] { load_model(MemoryBytes(bytes, 100), {}); });
}

std::string refusal(const pb::ModelProto& model) { return refusal(model.SerializeAsString()); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

pb::ModelProto small_model() {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_initializer(g, "w", {1, 2});
  add_node(g, "Add", {"x", "w"}, {"y"}, "sum");
  add_output(g, "y");
  return model;
}

TEST(ForeignBytes, AreNamed) {
  EXPECT_EQ(refusal(""), "the model is empty (0 bytes)");
  EXPECT_TRUE(has(refusal("<!DOCTYPE html><html>Not found</html>"), "HTML"));
  EXPECT_TRUE(has(refusal("\xef\xbb\xbf\n  <HTML lang=de>"), "HTML"));
  EXPECT_TRUE(has(refusal("<!-- a --><p>"), "HTML"));
  EXPECT_TRUE(has(refusal("<a href='/'>"), "HTML"));
  EXPECT_TRUE(has(refusal("<?xml version='1.0'?><!DOCTYPE html><html/>"), "HTML"));
  EXPECT_TRUE(has(refusal(std::string_view("<body>\0\1", 8)), "HTML"));
  EXPECT_TRUE(has(refusal("<?xml version='1.0'?><Error/>"), "XML"));
  // Other text, and other bytes, may begin with the same letter.
  for (const char* text : {"<", "<3", "<<EOF", "<abc>", "<pad>\n<unk>\n", "<!doctype htmlx>", "<p"}) {
    EXPECT_TRUE(has(refusal(text), "text file")) << text;
  }
  const std::string other = refusal(std::string_view("<\0\1\2", 4));
  EXPECT_FALSE(has(other, "HTML") || has(other, "text") || has(other, "XML")) << other;
  EXPECT_TRUE(has(refusal("{\"error\": 404}"), "JSON"));
  EXPECT_TRUE(has(refusal("Dear reader,\nthis is no model."), "text"));
  EXPECT_TRUE(has(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:00"), "Git LFS"));
  EXPECT_TRUE(has(refusal(std::string_view("PK\x03\x04\x14\0\0\0", 8)), "zip"));
  EXPECT_TRUE(has(refusal(std::string_view("\x1f\x8b\x08\0\0", 5)), "gzip"));
  EXPECT_TRUE(has(refusal(std::string_view("\x20\0\0\0ORTM\0\0", 10)), "ORT format"));
  EXPECT_TRUE(has(refusal(std::string_view("\x1c\0\0\0TFL3\0\0", 10)), "TensorFlow Lite"));
}

TEST(BadModel, EveryPrefixIsTruncated) {
  const std::string bytes = small_model().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); length++) EXPECT_NE(refusal(bytes.substr(0, length)), "") << length;
  EXPECT_TRUE(has(refusal(bytes.substr(0, bytes.size() / 2)), "truncated"));
}

TEST(BadModel, NoiseAndEveryDamagedByte) {
  refusal(std::string(4096, '\0'));
  std::string noise(4096, '\0');
  for (size_t i = 0; i < noise.size(); i++) noise[i] = static_cast<char>(i * 37 + 11);
  refusal(noise);
  // A damaged byte may leave a model, or not: nothing else than an Error may come out.
  const std::string bytes = small_model().SerializeAsString();
  int refused = 0;
  for (size_t i = 0; i < bytes.size(); i++) {
    for (int bit = 0; bit < 8; bit++) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      try {
        load_model(MemoryBytes(damaged), {});
      } catch (const Error& e) {
        EXPECT_FALSE(e.message().empty());
        refused++;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(BadModel, NoGraph) {
  pb::ModelProto model = new_model();
  model.clear_graph();
  EXPECT_TRUE(has(refusal(model), "no graph"));
}

TEST(BadModel, Initializers) {
  pb::ModelProto model = small_model();
  model.mutable_graph()->mutable_initializer(0)->add_dims(5);
  EXPECT_EQ(refusal(model), "initializer \"w\" has 8 bytes of raw data, but float32(2x5) needs 40");
  model.mutable_graph()->mutable_initializer(0)->set_dims(1, -3);
  EXPECT_EQ(refusal(model), "initializer \"w\" has the negative dimension -3");
  model.mutable_graph()->mutable_initializer(0)->set_dims(1, INT64_MAX);
  EXPECT_EQ(refusal(model), "initializer \"w\" has dimensions whose product overflows");
}

TEST(BadModel, NamesTwiceOrNowhere) {
  pb::ModelProto model = small_model();
  add_node(*model.mutable_graph(), "Neg", {"x"}, {"y"}, "again");
  EXPECT_EQ(refusal(model), "Neg \"again\": the value \"y\" is defined twice");

  model = small_model();
  add_input(*model.mutable_graph(), "x");
  EXPECT_TRUE(has(refusal(model), "\"x\" is defined twice"));

  model = small_model();
  add_initializer(*model.mutable_graph(), "w", {3, 4});
  EXPECT_TRUE(has(refusal(model), "\"w\" is defined twice"));

  model = small_model();
  add_input(*model.mutable_graph(), "w");
  add_initializer(*model.mutable_graph(), "w", {3, 4});
  EXPECT_TRUE(has(refusal(model), "\"w\" is given twice"));

  model = small_model();
  model.mutable_graph()->mutable_node(0)->set_input(1, "v");
  EXPECT_EQ(refusal(model), "Add \"sum\": reads \"v\", which nothing produces");

  model = small_model();
  add_output(*model.mutable_graph(), "z");
  EXPECT_TRUE(has(refusal(model), "output \"z\""));

  model = small_model();
  add_input(*model.mutable_graph(), "");
  EXPECT_TRUE(has(refusal(model), "no name"));
}

TEST(BadModel, Cycle) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_node(g, "Add", {"x", "b"}, {"a"}, "forth");
  add_node(g, "Relu", {"a"}, {"b"}, "back");
  add_node(g, "Neg", {"a"}, {"y"});
  add_output(g, "y");
  EXPECT_TRUE(has(refusal(model), "cycle through Add \"forth\""));
}

TEST(BadModel, Domains) {
  pb::ModelProto model = small_model();
  model.mutable_graph()->mutable_node(0)->set_domain("com.example");
  EXPECT_TRUE(has(refusal(model), "does not import the operators of domain \"com.example\""));
  model = small_model();
  model.clear_opset_import();
  EXPECT_TRUE(has(refusal(model), "\"ai.onnx\""));
  model.set_ir_version(2);  // from before there were imports
  EXPECT_EQ(load(model).graph.nodes[0].opset, 1);
  model = small_model();
  model.add_opset_import()->set_version(3);
  EXPECT_TRUE(has(refusal(model), "versions 25 and 3"));
}

TEST(BadModel, NodesAndAttributes) {
  pb::ModelProto model = small_model();
  model.mutable_graph()->mutable_node(0)->clear_op_type();
  EXPECT_TRUE(has(refusal(model), "no operator"));

  model = small_model();
  add_node(*model.mutable_graph(), "Neg", {"x"}, {}, "idle");
  EXPECT_EQ(refusal(model), "Neg \"idle\": the node has no outputs");

  model = small_model();
  add_attribute(*model.mutable_graph()->mutable_node(0), "a", pb::AttributeProto::INT).set_ref_attr_name("b");
  EXPECT_TRUE(has(refusal(model), "outside of one"));

  model = small_model();
  for (int i = 0; i < 2; i++) {
    add_attribute(*model.mutable_graph()->mutable_node(0), "a", pb::AttributeProto::INT).set_i(1);
  }
  EXPECT_EQ(refusal(model), "Add \"sum\": attribute \"a\" is given twice");

  model = small_model();
  add_attribute(add_node(*model.mutable_graph(), "Constant", {}, {"k"}, "c"), "value", pb::AttributeProto::INT);
  EXPECT_EQ(refusal(model), "Constant \"c\": attribute \"value\" has the wrong type");
}

// Nothing in the loader takes more than linear time: forty thousand nodes in reverse order are sorted in a moment.
TEST(LargeModel, FortyThousandNodes) {
  constexpr int kNodes = 40000;
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "v0");
  for (int i = kNodes; i > 0; i--) {
    const std::string from = cat("v", i - 1), to = cat("v", i);
    add_node(g, "Relu", {from.c_str()}, {to.c_str()});
  }
  add_output(g, cat("v", kNodes).c_str());
  const auto start = std::chrono::steady_clock::now();
  const Model m = load(model);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(m.graph.nodes.size(), static_cast<size_t>(kNodes));
  EXPECT_EQ(m.graph.value(m.graph.nodes[0].outputs[0]).name, "v1");
  EXPECT_LT(seconds.count(), 10) << "quadratic somewhere";
}

}  // namespace
}  // namespace sardonyx::testing
