#include "backends/portable/portable_target.h"

#include <fmt/format.h>

#include <chrono>

#include "backends/portable/executor.h"
#include "backends/portable/explain.h"
#include "backends/portable/kernel.h"
#include "backends/portable/pass_checks.h"
#include "backends/portable/sanitizer.h"
#include "compiler/decomposition.h"
#include "compiler/functional_form.h"

namespace parallax {
namespace {

using namespace portable;

// Two patterns that differ in every byte and give small, large and odd values in every dtype.
constexpr std::byte first_poison{0xCB};
constexpr std::byte second_poison{0x55};

std::vector<Tensor> read_all(const std::vector<TensorInPlace>& tensors) {
  std::vector<Tensor> elements;
  for (const TensorInPlace& tensor : tensors) elements.push_back(tensor.read());
  return elements;
}

// Equal numbers for equal storages: inputs, then buffers, then outputs, numbered in the order in which they come first.
std::vector<int> identity(const Executable& executable) {
  const Graph& graph = executable.program.graph;
  std::vector<int> numbers(graph.storages.size(), -1);
  std::vector<int> identity;
  int next = 0;
  for (const std::vector<ValueId>* values : {&executable.inputs, &executable.buffers, &graph.outputs}) {
    for (ValueId value : *values) {
      int& number = numbers[graph.meta(value).storage.index];
      if (number < 0) number = next++;
      identity.push_back(number);
    }
  }
  return identity;
}

Observation observe(const Executable& executable, const RunResult& result) {
  Observation observation;
  observation.outputs = read_all(result.outputs);
  for (Tensor& tensor : read_all(result.inputs)) observation.inputs.emplace_back(std::move(tensor));
  for (Tensor& tensor : read_all(result.buffers)) observation.buffers.emplace_back(std::move(tensor));
  observation.identity = identity(executable);
  return observation;
}

void stop(Outcome& outcome, Status status, std::string stage, std::string kind, std::string message) {
  outcome.status = status;
  outcome.stage = std::move(stage);
  outcome.kind = std::move(kind);
  outcome.message = std::move(message);
}

void stop(Outcome& outcome, const std::string& stage, const Error& error) {
  const bool unsupported = error.kind == ErrorKind::Unsupported;
  stop(outcome, unsupported ? Status::Unsupported : Status::Error, stage, unsupported ? "Unsupported" : "Error",
       error.text());
}

class PortableTarget : public Target {
 public:
  PortableTarget(std::string name, const PortableOptions& options)
      : name_(std::move(name)), options_(options), profile_(find_profile("portable")) {
    PARALLAX_CHECK(profile_ != nullptr);
  }

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *profile_; }

  // A view costs no kernel; an in-place op becomes its functional twin; some ops become several.
  bool takes(const Op& op) const override {
    const auto runs = [](const Op& made) { return find_kernel(made.name) || is_decomposed(made); };
    if (op.is_view() || runs(op)) return true;
    const Op* twin = op.writes() ? functional_twin(op) : nullptr;
    return twin && runs(*twin);
  }

  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome;
    if (const auto executable = compiled(test)) {
      run_protocol(*executable, test, second, outcome);
      outcome.reused_slots = count_reused_slots((*executable)->program.plan);
      if (outcome.status == Status::Ok) ask_detectors(*executable, test, outcome);
    } else {
      stop(outcome, "lower", executable.error());
    }
    outcome.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return outcome;
  }

  std::vector<Diagnosis> explain(const Case& test) override {
    std::vector<Diagnosis> diagnoses;
    diagnoses.push_back(explain_passes(check_passes(test, compile_options(), *profile_)));
    const auto executable = compiled(test);
    if (!executable) return diagnoses;
    const Program& program = (*executable)->program;
    if (auto plan = explain_failures("plan", test.graph, program, check_plan(program.graph, program.plan))) {
      diagnoses.push_back(*std::move(plan));
    }
    if (auto run = explain_failures("sanitizer", test.graph, program, sanitized(*executable, test))) {
      diagnoses.push_back(*std::move(run));
    }
    return diagnoses;
  }

 private:
  CompileOptions compile_options() const {
    return {options_.faults,         options_.alignment, options_.arena_limit, writes_in_place,
            options_.reuse_in_place, evaluate,           options_.selection};
  }

  Result<std::shared_ptr<const Executable>> compiled(const Case& test) const {
    TRY(Program program, compile(test.graph, compile_options()));
    return load(std::move(program));
  }

  static void run_protocol(const std::shared_ptr<const Executable>& executable, const Case& test,
                           const std::vector<Tensor>* second, Outcome& outcome) {
    Instance instance(executable, first_poison);
    const Result<RunResult> a = instance.run(test.feed);
    if (!a) return stop(outcome, "run", a.error());
    outcome.a = observe(*executable, *a);
    if (second) {
      const Result<RunResult> b = instance.run(*second);
      if (!b) return stop(outcome, "run", b.error());
      outcome.b = observe(*executable, *b);
      outcome.a_kept = read_all(a->outputs);
    }
    Instance fresh(executable, second_poison);
    const Result<RunResult> again = fresh.run(test.feed);
    if (!again) return stop(outcome, "run", again.error());
    outcome.a_again = observe(*executable, *again);
  }

  static std::vector<PlanFailure> sanitized(const std::shared_ptr<const Executable>& executable, const Case& test) {
    const Program& program = executable->program;
    Sanitizer sanitizer(program.graph, program.plan.arena(Arena::Backend).size);
    // What the data makes an op raise is not the sanitizer's business; it has seen the steps up to there.
    (void)Instance(executable, first_poison).run(test.feed, &sanitizer);
    return sanitizer.failures();
  }

  // Detectors that were asked to raise a finding of their own, although the values may be right.
  void ask_detectors(const std::shared_ptr<const Executable>& executable, const Case& test, Outcome& outcome) const {
    const Program& program = executable->program;
    const auto raise = [&](std::string stage, std::string kind, std::string message) {
      if (outcome.status == Status::Ok)
        stop(outcome, Status::Error, std::move(stage), std::move(kind), std::move(message));
    };
    if (options_.detect.passes) {
      for (const PassFailure& failure : check_passes(test, compile_options(), *profile_)) {
        raise("lower", "PassCheck", fmt::format("pass {} {}", failure.pass, failure.what));
      }
    }
    if (options_.detect.plan) {
      for (const PlanFailure& failure : check_plan(program.graph, program.plan)) {
        raise("plan", "PlanChecker", describe(program.graph, failure));
      }
    }
    if (options_.detect.sanitizer) {
      for (const PlanFailure& failure : sanitized(executable, test)) {
        raise("run", "ArenaSanitizer", describe(program.graph, failure));
      }
    }
  }

  std::string name_;
  PortableOptions options_;
  const Profile* profile_;
};

}  // namespace

Result<std::unique_ptr<Target>> make_portable_target(std::string name, const PortableOptions& options) {
  if (options.alignment < 1) return fail("an alignment of {} bytes", options.alignment);
  TRY_VOID(options.selection.from(options.faults.parts().passes));
  return std::make_unique<PortableTarget>(std::move(name), options);
}

}  // namespace parallax
