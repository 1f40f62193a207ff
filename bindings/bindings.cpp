// The border to JavaScript: functions of an Engine, that reads a model's bytes, becomes a session, and runs it.
//
// Nothing is thrown across it: a failure returns {error: {code, node, opType, message}}. Only what JavaScript itself
// threw in a callback passes through; destructors have run then. web/src/native.ts declares them.
//
// Beside it stand functions of numbers for the way of a run, where each value of JavaScript would cost more than a
// small node: see mailbox.h.
#include <emscripten/bind.h>
#include <emscripten/emscripten.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "held.h"
#include "js_operator.h"
#include "js_values.h"
#include "mailbox.h"
#include "onnx/loader.h"
#include "runtime/type_report.h"

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

// What the exception that is being handled says, as a failure.
val caught() {
  try {
    throw;
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

template <class Body>
val guarded(Body&& body) {
  try {
    return body();
  } catch (const std::exception&) {
    return caught();
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
  result.winograd = options["winograd"].as<bool>();
  const val free_dimensions = options["freeDimensions"];  // [[name, size]...]
  const auto count = free_dimensions["length"].as<unsigned>();
  for (unsigned i = 0; i < count; ++i) {
    const val pair = free_dimensions[i];
    result.free_dimensions.emplace_back(pair[0].as<std::string>(), static_cast<int64_t>(pair[1].as<double>()));
  }
  result.custom_operators = custom_operators_of(options["customOperators"]);
  return result;
}

enum class Status : int { done, going_on, failed };

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
      mailbox_.open(*session_);
      return result;
    });
  }

  // A run begins here, with values of all kinds, or with those of the mailbox; then come advance() until all nodes have
  // run, and finish() or collect(), or cancel(). An error ends it.
  //
  // request: {feeds, wanted, targets, hold, profile, shouldAbort?}. feeds: one value per input; wanted: positions of
  // outputs; targets: those of finish(); hold: per wanted output, or empty. Feeds and targets may be held ones.
  val begin(val request) {
    return guarded([&] {
      const val feeds_js = request["feeds"], should_abort = request["shouldAbort"];
      std::vector<Value> feeds;
      for (unsigned i = 0; i < session().inputs().size(); ++i) feeds.push_back(feed(feeds_js[i], i));
      const auto wanted = emscripten::convertJSArrayToNumberVector<int>(request["wanted"]);
      RunOptions options;
      if (!should_abort.isUndefined()) options.should_abort = [=] { return should_abort().as<bool>(); };
      const val targets = request["targets"];
      for (unsigned i = 0; i < wanted.size(); ++i) {
        if (Held::is(targets[i])) options.into.emplace_back(wanted[i], held_.at(targets[i]));
      }
      const val hold = request["hold"];
      std::vector<bool> kept;
      for (unsigned i = 0; i < wanted.size(); ++i) {
        kept.push_back(hold[i].isTrue());
        if (kept[i]) options.kept.push_back(wanted[i]);
      }
      begin_with(feeds, wanted, request["profile"].as<bool>(), std::move(options));
      hold_ = std::move(kept);
      return val::undefined();
    });
  }

  // {outputs, profile?}. targets: per wanted output a tensor to fill, or null.
  val finish(val targets) {
    return guarded([&] {
      std::vector<Value> results = mailbox_.results().empty() ? session().finish() : mailbox_.results();
      mailbox_.drop();
      val outputs = val::array();
      for (unsigned i = 0; i < results.size(); ++i) outputs.set(i, output(results[i], targets[i], i));
      val result = val::object();
      result.set("outputs", outputs);
      if (profiling_) result.set("profile", profile_to_js(profile_));
      return result;
    });
  }

  val read_held(int number) const {
    return guarded([&] { return value_to_js(held_.at(number).dense()); });
  }
  void drop(int number) { held_.drop(number); }

  // What the last of the functions below that failed reports.
  val failure() const { return failure_; }

  uint32_t* mailbox() { return mailbox_.words(); }
  Status place() {
    return reported([&] {
      mailbox_.place(session());
      return Status::done;
    });
  }
  Status begin_mailbox() {
    return reported([&] {
      begin_with(mailbox_.feeds(), mailbox_.wanted(), false, {});
      mailbox_.let_go();
      return Status::done;
    });
  }
  // Runs nodes for `milliseconds`, at least one.
  Status advance(double milliseconds) {
    return reported([&] { return session().advance(milliseconds) ? Status::done : Status::going_on; });
  }
  // Results to the mailbox; going_on: finish() must bring them.
  Status collect() {
    return reported([&] { return mailbox_.post(session().finish()) ? Status::done : Status::going_on; });
  }
  // Ends a run, and lets go of results.
  void cancel() {
    if (session_ != nullptr) session_->cancel();
    mailbox_.drop();
  }

  // Multiply-adds of the last run's plan; -1 before there is one.
  double macs() const { return session_ == nullptr ? -1 : session_->macs(); }

  // Bytes by purpose, and the size of the whole heap.
  val memory() const {
    return guarded([&] {
      const MemoryUse use = session().memory();
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
  Session& session() const {
    check(session_ != nullptr, ErrorCode::invalid_argument, "no model is loaded");
    return *session_;
  }

  void begin_with(std::span<const Value> feeds, std::span<const int> wanted, bool profiling, RunOptions options) {
    mailbox_.drop();
    wanted_.assign(wanted.begin(), wanted.end());
    hold_.clear();
    profile_.clear();
    profiling_ = profiling;
    if (profiling) options.profile = &profile_;
    session().begin(feeds, wanted_, options);
  }

  template <class Body>
  Status reported(Body&& body) {
    try {
      return body();
    } catch (const std::exception&) {
      failure_ = caught();
      return Status::failed;
    }
  }

  // The name of the port goes in front of what is wrong with its value.
  Value feed(const val& js, unsigned position) const {
    try {
      if (Held::is(js)) return held_.at(js);
      return value_from_js(js);
    } catch (const Error& e) {
      fail(e.code, cat("input \"", session_->inputs()[position].name, "\": ", e.reason));
    }
  }

  // Takes the value: what is held owns its bytes alone.
  val output(Value& value, const val& target, unsigned i) {
    const int position = wanted_[i];
    try {
      if (Held::is(target)) {
        check(value.is_tensor(), ErrorCode::invalid_input, "the result is ", value.describe(),
              ", but a tensor is given for it");
        Tensor tensor = value.tensor();
        value = Value();
        held_.replace(target, std::move(tensor));
        return target;
      }
      if (i < hold_.size() && hold_[i] && value.is_tensor() && value.tensor().dtype() != DType::string) {
        Tensor tensor = value.tensor();
        value = Value();
        return held_.add(std::move(tensor));
      }
      return value_to_js(value, target);
    } catch (const Error& e) {
      fail(e.code, cat("output \"", session_->outputs()[static_cast<size_t>(position)].name, "\": ", e.reason));
    }
  }

  std::unique_ptr<Session> session_;
  Mailbox mailbox_;
  Held held_;
  val failure_ = val::undefined();
  // Of the run that has begun.
  std::vector<int> wanted_;
  std::vector<bool> hold_;
  bool profiling_ = false;
  Profile profile_;
};

}  // namespace

// Not emscripten::class_: its glue for handles, copies and finalizers weighs 8 KB. Who makes an engine ends it once.
extern "C" {
EMSCRIPTEN_KEEPALIVE Engine* sardonyx_create() { return new (std::nothrow) Engine; }
EMSCRIPTEN_KEEPALIVE void sardonyx_delete(Engine* engine) { delete engine; }
EMSCRIPTEN_KEEPALIVE double sardonyx_macs(Engine* engine) { return engine->macs(); }
EMSCRIPTEN_KEEPALIVE uint32_t* sardonyx_mailbox(Engine* engine) { return engine->mailbox(); }
EMSCRIPTEN_KEEPALIVE Status sardonyx_place(Engine* engine) { return engine->place(); }
EMSCRIPTEN_KEEPALIVE Status sardonyx_begin(Engine* engine) { return engine->begin_mailbox(); }
EMSCRIPTEN_KEEPALIVE Status sardonyx_advance(Engine* engine, double milliseconds) {
  return engine->advance(milliseconds);
}
EMSCRIPTEN_KEEPALIVE Status sardonyx_collect(Engine* engine) { return engine->collect(); }
EMSCRIPTEN_KEEPALIVE void sardonyx_drop(Engine* engine, int held) { engine->drop(held); }
EMSCRIPTEN_KEEPALIVE void sardonyx_cancel(Engine* engine) { engine->cancel(); }
}

namespace {

// Values of JavaScript, for which Embind is there.
val load(uintptr_t engine, val options) { return reinterpret_cast<Engine*>(engine)->load(std::move(options)); }
val begin(uintptr_t engine, val request) { return reinterpret_cast<Engine*>(engine)->begin(std::move(request)); }
val finish(uintptr_t engine, val targets) { return reinterpret_cast<Engine*>(engine)->finish(std::move(targets)); }
val read_held(uintptr_t engine, int held) { return reinterpret_cast<Engine*>(engine)->read_held(held); }
val failure_of(uintptr_t engine) { return reinterpret_cast<Engine*>(engine)->failure(); }
// What sardonyx/tools infers with, as bytes (runtime/type_report.h). No session is made.
val types(val options) {
  return guarded([&] {
    const std::string report = report_types(JsBytes(options["model"]), {external_data_of(options)});
    return val::global("Uint8Array")
        .new_(emscripten::typed_memory_view(report.size(), reinterpret_cast<const uint8_t*>(report.data())));
  });
}
val memory(uintptr_t engine) { return reinterpret_cast<Engine*>(engine)->memory(); }

}  // namespace
}  // namespace sardonyx

EMSCRIPTEN_BINDINGS(sardonyx) {
  emscripten::function("load", &sardonyx::load);
  emscripten::function("begin", &sardonyx::begin);
  emscripten::function("finish", &sardonyx::finish);
  emscripten::function("readHeld", &sardonyx::read_held);
  emscripten::function("failure", &sardonyx::failure_of);
  emscripten::function("memory", &sardonyx::memory);
  emscripten::function("types", &sardonyx::types);
}
