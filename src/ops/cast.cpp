// Cast, CastLike and BitCast: conversions between element types.
#include <cstring>

#include "ops/families.h"
#include "ops/util/convert.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kCastable = kAll - kComplex;

ConvertRules read_rules(const Attributes& a) {
  ConvertRules rules;
  if (a.opset >= 19) rules.saturate = a.flag("saturate", true);
  if (a.opset >= 24) {
    rules.e8m0 = static_cast<ConvertRules::Rounding>(a.choice("round_mode", {"up", "down", "nearest"}, 0));
  }
  return rules;
}

// Opset 1 spells the type ("FLOAT"); later ones give its number.
DType named_type(const std::string& name) {
  constexpr std::string_view kNames[] = {"FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",  "INT32",
                                         "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE", "UINT32",
                                         "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
  int number = 1;
  for (std::string_view known : kNames) {
    if (name == known) return static_cast<DType>(number);
    number++;
  }
  fail(ErrorCode::invalid_model, cat("attribute \"to\" names the unknown element type \"", name, "\""));
}

class Cast final : public Operator {
 public:
  explicit Cast(const Attributes& a)
      : to_(a.opset < 6 ? named_type(a.string("to")) : a.dtype("to")), rules_(read_rules(a)) {
    check(kCastable.has(to_), ErrorCode::invalid_model, "attribute \"to\" is ", to_, ", which nothing can be cast to");
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kCastable);
    c.set_output(0, to_, c.shape(0));
  }
  void run(RunContext& c) const override { convert(c.pool(), c.input(0), c.output(0), rules_); }

 private:
  DType to_;
  ConvertRules rules_;
};

class CastLike final : public Operator {
 public:
  explicit CastLike(const Attributes& a) : rules_(read_rules(a)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kCastable);
    c.require_dtype(1, kCastable);
    c.set_output(0, c.dtype(1), c.shape(0));
  }
  void run(RunContext& c) const override { convert(c.pool(), c.input(0), c.output(0), rules_); }

 private:
  ConvertRules rules_;
};

class BitCast final : public Operator {
 public:
  explicit BitCast(const Attributes& a) : to_(a.dtype("to")) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kAll - DTypeSet{DType::string});
    check(dtype_bits(c.dtype(0)) == dtype_bits(to_), ErrorCode::invalid_model, "the bits of ", c.dtype(0),
          " cannot be taken for ", to_, ": their sizes differ");
    c.set_output(0, to_, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    if (x.count() > 0) memcpy(c.output(0).bytes(), x.bytes(), x.byte_size());
  }

 private:
  DType to_;
};

constexpr OpEntry kOps[] = {
    {"Cast", 1, make_operator<Cast>},
    {"CastLike", 15, make_operator<CastLike>},
    {"BitCast", 26, make_operator<BitCast>},
};

}  // namespace

std::span<const OpEntry> cast_ops() { return kOps; }

}  // namespace sardonyx
