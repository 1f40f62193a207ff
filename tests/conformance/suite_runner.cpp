// Runs cases of the ONNX backend suite natively, sanitizers on: suite_runner [--quiet] [--match TEXT] [--level N]
// FOLDER...
//
// A case is a folder with model.onnx and test_data_set_N/{input,output}_I.pb, or a light_*.onnx with its one
// output. Prints each case that fails with the reason (and, without --quiet, each that passes), then the counts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "onnx/loader.h"
#include "onnx_data.pb.h"
#include "runtime/session.h"

namespace sardonyx {
namespace {

namespace fs = std::filesystem;

struct Tolerance {
  double relative = 1e-3, absolute = 1e-7;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  check(in.good(), ErrorCode::invalid_argument, "cannot read ", path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

Model load(const fs::path& path) {
  const std::string bytes = read_file(path);
  return load_model(MemoryBytes(bytes), {});
}

// ---- Values from files ----------------------------------------------------------------------------------------------

Value tensor_of(std::string_view bytes) { return parse_tensor(std::as_bytes(std::span(bytes.data(), bytes.size()))); }

Value sequence_of(const pb::SequenceProto& proto);

Value map_of(const pb::MapProto& proto) {
  Map map;
  if (proto.key_type() == pb::TensorProto::STRING) {
    map.keys = Tensor::allocate(DType::string, Shape{proto.string_keys_size()});
    std::copy(proto.string_keys().begin(), proto.string_keys().end(), map.keys.data<std::string>());
  } else {
    map.keys = Tensor::of(std::span(proto.keys().data(), static_cast<size_t>(proto.keys_size())));
  }
  map.values = sequence_of(proto.values()).sequence().items;
  return map;
}

Value optional_of(const pb::OptionalProto& proto) {
  if (proto.has_tensor_value()) return tensor_of(proto.tensor_value().SerializeAsString());
  if (proto.has_sequence_value()) return sequence_of(proto.sequence_value());
  if (proto.has_map_value()) return map_of(proto.map_value());
  if (proto.has_optional_value()) return optional_of(proto.optional_value());
  return {};
}

Value sequence_of(const pb::SequenceProto& proto) {
  Sequence sequence;
  for (const auto& t : proto.tensor_values()) sequence.items.push_back(tensor_of(t.SerializeAsString()));
  for (const auto& s : proto.sequence_values()) sequence.items.push_back(sequence_of(s));
  for (const auto& m : proto.map_values()) sequence.items.push_back(map_of(m));
  for (const auto& o : proto.optional_values()) sequence.items.push_back(optional_of(o));
  if (proto.tensor_values_size()) sequence.dtype = sequence.items[0].tensor().dtype();
  return sequence;
}

template <class Proto>
Proto parse(const std::string& bytes) {
  Proto proto;
  check(proto.ParseFromString(bytes), ErrorCode::invalid_argument, "the test data is damaged");
  return proto;
}

Value value_of(const std::string& bytes, const Type& type) {
  switch (type.kind) {
    case Type::Kind::sequence: {
      Sequence s = sequence_of(parse<pb::SequenceProto>(bytes)).sequence();
      if (s.items.empty() && type.element) s.dtype = type.element->dtype;
      return s;
    }
    case Type::Kind::optional:
      return optional_of(parse<pb::OptionalProto>(bytes));
    case Type::Kind::map:
      return map_of(parse<pb::MapProto>(bytes));
    default:
      return tensor_of(bytes);
  }
}

// ---- Comparison -----------------------------------------------------------------------------------------------------

// Element i of a floating-point or complex tensor (complex: i counts parts).
double element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::float32:
    case DType::complex64:
      return t.data<float>()[i];
    case DType::float64:
    case DType::complex128:
      return t.data<double>()[i];
    case DType::float16:
      return t.data<Float16>()[i];
    case DType::bfloat16:
      return t.data<BFloat16>()[i];
    default:
      break;
  }
  const int kind = static_cast<int>(t.dtype()) - static_cast<int>(DType::float8e4m3fn);
  const uint8_t bits = t.data<uint8_t>()[i];
  return float8_to_float(bits, t.dtype() == DType::float8e8m0 ? Float8Kind::e8m0 : static_cast<Float8Kind>(kind));
}

// Elements of types below one byte, taken apart.
std::vector<int> small_elements(const Tensor& t) {
  const int bits = dtype_bits(t.dtype()), per_byte = 8 / bits;
  std::vector<int> out;
  for (int64_t i = 0; i < t.count(); i++) {
    out.push_back(t.data<uint8_t>()[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1));
  }
  return out;
}

std::string compare_floats(const Tensor& have, const Tensor& want, const Tolerance& tolerance) {
  const int64_t parts = want.count() * (kComplex.has(want.dtype()) ? 2 : 1);
  for (int64_t i = 0; i < parts; i++) {
    const double a = element(have, i), b = element(want, i);
    const bool same = std::isnan(b)   ? std::isnan(a)
                      : std::isinf(b) ? a == b
                                      : std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
    if (!same) return cat("[", i, "] is ", a, ", not ", b);
  }
  return {};
}

std::string compare(const Tensor& have, const Tensor& want, const Tolerance& tolerance) {
  if (have.dtype() != want.dtype() || !(have.shape() == want.shape())) {
    return cat("is ", have.describe(), ", not ", want.describe());
  }
  if ((kFloat | kFloat8 | kComplex).has(want.dtype())) return compare_floats(have, want, tolerance);
  bool same;
  if (want.dtype() == DType::string) {
    same = std::equal(want.values<std::string>().begin(), want.values<std::string>().end(), have.data<std::string>());
  } else if (dtype_bits(want.dtype()) < 8) {
    same = small_elements(have) == small_elements(want);
  } else {
    same = want.count() == 0 || memcmp(have.bytes(), want.bytes(), want.byte_size()) == 0;
  }
  return same ? "" : cat(want.describe(), " has other values");
}

std::string compare(const Value& have, const Value& want, const Tolerance& tolerance) {
  if (want.is_none() && have.is_none()) return {};
  if (want.is_tensor() && have.is_tensor()) return compare(have.tensor(), want.tensor(), tolerance);
  const std::vector<Value>*a = nullptr, *b = nullptr;
  if (want.is_sequence() && have.is_sequence()) a = &have.sequence().items, b = &want.sequence().items;
  if (want.is_map() && have.is_map()) {
    const std::string keys = compare(have.map().keys, want.map().keys, tolerance);
    if (!keys.empty()) return "keys " + keys;
    a = &have.map().values, b = &want.map().values;
  }
  if (!a || a->size() != b->size()) return cat("is ", have.describe(), ", not ", want.describe());
  for (size_t i = 0; i < a->size(); i++) {
    const std::string problem = compare((*a)[i], (*b)[i], tolerance);
    if (!problem.empty()) return cat("element ", i, " ", problem);
  }
  return {};
}

// ---- Cases ----------------------------------------------------------------------------------------------------------

// What light models are fed: arange(n) / n in the input's shape, with 1 for dimensions that are not fixed.
Value ramp(const Type& type) {
  Shape shape;
  for (const Dim& d : type.shape) shape.push_back(d.value < 0 ? 1 : d.value);
  Tensor t = Tensor::allocate(DType::float32, shape);
  for (int64_t i = 0; i < t.count(); i++) {
    t.data<float>()[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(t.count()));
  }
  return t;
}

std::string check_outputs(Session& session, std::span<const Value> feeds, const std::string& prefix,
                          const Tolerance& tolerance) {
  std::vector<int> wanted;
  for (size_t i = 0; i < session.outputs().size(); i++) wanted.push_back(static_cast<int>(i));
  const std::vector<Value> results = session.run(feeds, wanted);
  for (size_t i = 0; i < results.size(); i++) {
    const Session::Port& port = session.outputs()[i];
    const Value want = value_of(read_file(cat(prefix, i, ".pb")), port.type);
    const std::string problem = compare(results[i], want, tolerance);
    if (!problem.empty()) return cat("output \"", port.name, "\" ", problem);
  }
  return {};
}

// The reason why the case fails; empty where it passes.
std::string run_light(const fs::path& path, const SessionOptions& options) {
  const auto session = Session::create(load(path), options);
  std::vector<Value> feeds;
  for (const auto& port : session->inputs()) feeds.push_back(port.optional ? Value() : ramp(port.type));
  Tolerance tolerance;
  if (path.stem() == "light_densenet121") tolerance.relative = 2e-3;
  return check_outputs(*session, feeds, (path.parent_path() / path.stem()).string() + "_output_", tolerance);
}

std::string run_folder(const fs::path& folder, const SessionOptions& options) {
  const auto session = Session::create(load(folder / "model.onnx"), options);
  int sets = 0;
  for (; fs::exists(folder / cat("test_data_set_", sets)); sets++) {
    const std::string set = (folder / cat("test_data_set_", sets)).string();
    std::vector<Value> feeds;
    int file = 0;
    for (const auto& port : session->inputs()) {
      const std::string path = cat(set, "/input_", file, ".pb");
      const bool has_default = port.optional && port.type.kind != Type::Kind::optional;
      const bool given = !has_default && fs::exists(path);
      feeds.push_back(given ? value_of(read_file(path), port.type) : Value());
      file += !has_default;
    }
    const std::string problem = check_outputs(*session, feeds, set + "/output_", {});
    if (!problem.empty()) return problem;
  }
  return sets > 0 ? "" : "there is no test data";
}

std::string run_case(const fs::path& path, const SessionOptions& options) {
  try {
    return fs::is_directory(path) ? run_folder(path, options) : run_light(path, options);
  } catch (const Error& e) {
    return cat(error_code_name(e.code), ": ", e.message());
  }
}

std::vector<fs::path> find_cases(const std::vector<fs::path>& roots, const std::string& match) {
  std::vector<fs::path> cases;
  for (const fs::path& root : roots) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const fs::path& p = entry.path();
      const bool is_case = p.filename() == "model.onnx" && fs::exists(p.parent_path() / "test_data_set_0");
      if (is_case) cases.push_back(p.parent_path());
      if (p.filename().string().starts_with("light_") && p.extension() == ".onnx") cases.push_back(p);
    }
  }
  std::erase_if(cases, [&](const fs::path& p) { return p.string().find(match) == std::string::npos; });
  std::sort(cases.begin(), cases.end());
  return cases;
}

int run_all(const std::vector<fs::path>& cases, bool quiet, const SessionOptions& options) {
  std::map<std::string, std::pair<int, int>> groups;  // passed, all
  int failed = 0;
  for (const fs::path& path : cases) {
    const std::string problem = run_case(path, options);
    auto& [passed, all] = groups[path.parent_path().filename().string()];
    all++;
    passed += problem.empty();
    failed += !problem.empty();
    if (!problem.empty()) printf("FAIL %s: %s\n", path.filename().c_str(), problem.c_str());
    if (problem.empty() && !quiet) printf("PASS %s\n", path.filename().c_str());
    fflush(stdout);
  }
  for (const auto& [group, counts] : groups) printf("%s: %d of %d pass\n", group.c_str(), counts.first, counts.second);
  printf("%d of %d pass\n", static_cast<int>(cases.size()) - failed, static_cast<int>(cases.size()));
  return failed > 0;
}

}  // namespace
}  // namespace sardonyx

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> roots;
  std::string match;
  sardonyx::SessionOptions options;
  bool quiet = false;
  for (int i = 1; i < argc; i++) {
    const std::string_view arg = argv[i];
    if (arg == "--quiet")
      quiet = true;
    else if (arg == "--match" && i + 1 < argc)
      match = argv[++i];
    else if (arg == "--level" && i + 1 < argc)
      options.optimization_level = atoi(argv[++i]);
    else
      roots.emplace_back(arg);
  }
  return sardonyx::run_all(sardonyx::find_cases(roots, match), quiet, options);
}
