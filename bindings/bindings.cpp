// The border to JavaScript: one class, Engine, that reads a model's bytes, becomes a session, and runs it.
//
// Nothing is thrown across it: a failure returns {error: {code, node, opType, message}}. Only what JavaScript itself
// threw in a callback passes through; destructors have run then. web/src/native.ts declares this class.
#include <emscripten/bind.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "js_operator.h"
#include "js_values.h"
#include "onnx/loader.h"

namespace sardonyx {
namespace {

using emscripten::val;

constexpr double kPageBytes = 65536;                // of WebAssembly's memory
constexpr uint64_t kMostBytes = uint64_t{1} << 32;  // cmake/Emscripten.cmake: MAXIMUM_MEMORY

val failure(std::string_view code, const std::string& message, const std::string& node = {},
            const std::string& op_type = {}) {
  val error = val::object();
  error.set("code", std::string(code));
  error.set("message", message);
  error.set("node", node);
  error.set("opType", op_type);
  val result = val::object();
  result.set("error", error);
  return result;
}

double heap_bytes() { return static_cast<double>(__builtin_wasm_memory_size(0)) * kPageBytes; }

std::string heap_limits() {
  return cat("; the heap has ", static_cast<uint64_t>(heap_bytes()), " bytes, of at most ", kMostBytes);
}

template <class Body>
val guarded(Body&& body) {
  try {
    return body();
  } catch (const Error& e) {
    const std::string limits = e.code == ErrorCode::out_of_memory ? heap_limits() : "";
    return failure(error_code_name(e.code), e.message() + limits, e.node, e.op_type);
  } catch (const std::bad_alloc&) {
    return failure(error_code_name(ErrorCode::out_of_memory),
                   "the WebAssembly heap cannot grow any further" + heap_limits());
  } catch (const std::exception& e) {
    return failure(error_code_name(ErrorCode::runtime_error), e.what());
  }
}

// model: {size, read(view): the bytes that it has put at the view's beginning, 0 at the end}.
class JsBytes final : public ModelBytes {
 public:
  explicit JsBytes(val model) : model_(std::move(model)), size_(static_cast<uint64_t>(model_["size"].as<double>())) {
    // Weights take about as much memory as the file: one step of growth, as large as it has to be.
    void* volatile room = malloc(static_cast<size_t>(std::min(size_, kMostBytes - 1)));
    free(room);
  }
  uint64_t size() const override { return size_; }
  size_t read(std::span<std::byte> to) override {
    return std::min(to.size(), model_.call<size_t>("read", view_of(to.data(), to.size())));
  }

 private:
  val model_;
  uint64_t size_;
};

// options.externalData(location, offset, view) fills the view and returns undefined, or returns why it cannot.
ExternalData external_data_of(const val& options) {
  val callback = options["externalData"];
  if (callback.isUndefined()) return {};
  return [callback](const std::string& location, uint64_t offset, std::span<std::byte> to) {
    const val problem = callback(location, static_cast<double>(offset), view_of(to.data(), to.size()));
    if (!problem.isUndefined()) fail(ErrorCode::invalid_argument, problem.as<std::string>());
  };
}

SessionOptions session_options_of(const val& options) {
  SessionOptions result;
  result.optimization_level = options["optimizationLevel"].as<int>();
  result.threads = options["threads"].as<int>();
  const val free_dimensions = options["freeDimensions"];  // [[name, size]...]
  const auto count = free_dimensions["length"].as<unsigned>();
  for (unsigned i = 0; i < count; ++i) {
    const val pair = free_dimensions[i];
    result.free_dimensions.emplace_back(pair[0].as<std::string>(), static_cast<int64_t>(pair[1].as<double>()));
  }
  result.custom_operators = custom_operators_of(options["customOperators"]);
  return result;
}

class Engine {
 public:
  // Parses the bytes and makes the session: {inputs, outputs, metadata}.
  val load(val options) {
    return guarded([&] {
      Model model = load_model(JsBytes(options["model"]), {external_data_of(options)});
      val result = val::object();
      result.set("metadata", metadata_to_js(model));
      session_ = Session::create(std::move(model), session_options_of(options));
      result.set("inputs", ports_to_js(session_->inputs()));
      result.set("outputs", ports_to_js(session_->outputs()));
      return result;
    });
  }

  // A run: begin(), advance() until it answers true, then finish(), or cancel(). An error ends it.
  //
  // request: {feeds, wanted, targets, profile, shouldAbort?}. feeds: one value per input; wanted: positions of outputs;
  // targets: per wanted output a tensor to fill, or null.
  val begin(val request) {
    return guarded([&] {
      check(session_ != nullptr, ErrorCode::invalid_argument, "no model is loaded");
      const val feeds_js = request["feeds"], should_abort = request["shouldAbort"];
      std::vector<Value> feeds;
      for (unsigned i = 0; i < session_->inputs().size(); ++i) feeds.push_back(feed(feeds_js[i], i));
      wanted_ = emscripten::convertJSArrayToNumberVector<int>(request["wanted"]);
      for (int position : wanted_) {
        const bool known = position >= 0 && static_cast<size_t>(position) < session_->outputs().size();
        check(known, ErrorCode::invalid_argument, "there is no output number ", position);
      }
      profile_.clear();
      profiling_ = request["profile"].as<bool>();
      targets_ = request["targets"];
      RunOptions options;
      if (profiling_) options.profile = &profile_;
      if (!should_abort.isUndefined()) options.should_abort = [=] { return should_abort().as<bool>(); };
      session_->begin(feeds, wanted_, options);
      return val::undefined();
    });
  }

  // Runs nodes for `milliseconds`, at least one; true once all have run.
  val advance(double milliseconds) {
    return guarded([&] {
      check(session_ != nullptr, ErrorCode::invalid_argument, "no model is loaded");
      return val(session_->advance(milliseconds));
    });
  }

  // {outputs, profile?}.
  val finish() {
    return guarded([&] {
      check(session_ != nullptr, ErrorCode::invalid_argument, "no model is loaded");
      const std::vector<Value> results = session_->finish();
      val outputs = val::array();
      for (unsigned i = 0; i < results.size(); ++i) outputs.set(i, output(results[i], targets_[i], wanted_[i]));
      val result = val::object();
      result.set("outputs", outputs);
      if (profiling_) result.set("profile", profile_to_js(profile_));
      targets_ = val::undefined();
      return result;
    });
  }

  void cancel() {
    if (session_ != nullptr) session_->cancel();
    targets_ = val::undefined();
  }

  // Multiply-adds of the last run's plan; -1 before there is one.
  double macs() const { return session_ == nullptr ? -1 : session_->macs(); }

  // Bytes by purpose, and the size of the whole heap.
  val memory() const {
    return guarded([&] {
      check(session_ != nullptr, ErrorCode::invalid_argument, "no model is loaded");
      const MemoryUse use = session_->memory();
      val result = val::object();
      result.set("weights", static_cast<double>(use.weights));
      result.set("packed", static_cast<double>(use.packed));
      result.set("arena", static_cast<double>(use.arena));
      result.set("scratch", static_cast<double>(use.scratch));
      result.set("heap", heap_bytes());
      return result;
    });
  }

 private:
  // The name of the port goes in front of what is wrong with its value.
  Value feed(const val& js, unsigned position) const {
    try {
      return value_from_js(js);
    } catch (const Error& e) {
      fail(e.code, cat("input \"", session_->inputs()[position].name, "\": ", e.reason));
    }
  }

  val output(const Value& value, const val& target, int position) const {
    try {
      return value_to_js(value, target);
    } catch (const Error& e) {
      fail(e.code, cat("output \"", session_->outputs()[static_cast<size_t>(position)].name, "\": ", e.reason));
    }
  }

  std::unique_ptr<Session> session_;
  // Of the run that has begun.
  std::vector<int> wanted_;
  val targets_ = val::undefined();
  bool profiling_ = false;
  Profile profile_;
};

}  // namespace
}  // namespace sardonyx

EMSCRIPTEN_BINDINGS(sardonyx) {
  using sardonyx::Engine;
  emscripten::class_<Engine>("Engine")
      .constructor<>()
      .function("load", &Engine::load)
      .function("begin", &Engine::begin)
      .function("advance", &Engine::advance)
      .function("finish", &Engine::finish)
      .function("cancel", &Engine::cancel)
      .function("macs", &Engine::macs)
      .function("memory", &Engine::memory);
}
