#include "backends/portable/portable_target.h"

#include <fmt/format.h>

#include <chrono>

#include "backends/portable/builds.h"
#include "backends/portable/explain.h"
#include "backends/portable/kernel.h"
#include "backends/portable/pass_checks.h"
#include "backends/portable/protocol_runs.h"
#include "compiler/decomposition.h"
#include "compiler/functional_form.h"

namespace parallax {
namespace {

using namespace portable;

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
    const Result<Loaded> plain = built(test, plain_build);
    const Result<Loaded> full = plain ? built(test, full_build) : plain;
    if (full) {
      run_protocol(*plain, *full, test, second, outcome);
      outcome.reused_slots = count_reused_slots((*plain)->program.plan);
      if (outcome.status == Status::Ok) ask_detectors({*plain, *full}, test, outcome);
    } else {
      stop(outcome, "lower", full.error());
    }
    outcome.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return outcome;
  }

  std::vector<Diagnosis> explain(const Case& test) override {
    const auto build = [&](const Build& how) { return built(test, how); };
    std::vector<Diagnosis> diagnoses = {explain_passes(check_passes(test, options_of(plain_build), *profile_))};
    if (auto found = first_wrong_build(test, build)) diagnoses.push_back(*std::move(found));
    for (const Build& how : {plain_build, full_build}) {
      const Result<Loaded> executable = build(how);
      if (!executable) continue;
      const Program& program = (*executable)->program;
      const auto add = [&](std::string_view detector, const std::vector<PlanFailure>& failures) {
        if (auto found = explain_failures(detector, test.graph, program, failures))
          diagnoses.push_back(*std::move(found));
      };
      const std::size_t before = diagnoses.size();
      add("plan", check_plan(schedule_of(program), program.plan));
      add("sanitizer", sanitized_run(*executable, test));
      if (diagnoses.size() != before) break;  // the other build would tell the same story again
    }
    return diagnoses;
  }

 private:
  CompileOptions options_of(const Build& how) const {
    CompileOptions options = compile_options(how);
    options.faults = options_.faults;
    options.alignment = options_.alignment;
    options.arena_limit = options_.arena_limit;
    options.evaluate = evaluate;
    options.selection = options_.selection;
    return options;
  }

  Result<Loaded> built(const Case& test, const Build& how) const {
    TRY(Program program, compile(test.graph, options_of(how)));
    return load(std::move(program));
  }

  // Detectors that were asked to raise a finding of their own, although the values may be right.
  void ask_detectors(const std::array<Loaded, 2>& executables, const Case& test, Outcome& outcome) const {
    const auto raise = [&](std::string stage, std::string kind, std::string message) {
      if (outcome.status == Status::Ok)
        stop(outcome, Status::Error, std::move(stage), std::move(kind), std::move(message));
    };
    if (options_.detect.passes) {
      for (const PassFailure& failure : check_passes(test, options_of(plain_build), *profile_)) {
        raise("lower", "PassCheck", fmt::format("pass {} {}", failure.pass, failure.what));
      }
    }
    for (const Loaded& executable : executables) {
      const Program& program = executable->program;
      if (options_.detect.plan) {
        for (const PlanFailure& failure : check_plan(schedule_of(program), program.plan)) {
          raise("plan", "PlanChecker", describe(program.graph, failure));
        }
      }
      if (options_.detect.sanitizer) {
        for (const PlanFailure& failure : sanitized_run(executable, test)) {
          raise("run", "ArenaSanitizer", describe(program.graph, failure));
        }
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
