#include "backends/runtime/compiled_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "backends/examine.h"
#include "backends/portable/kernel.h"
#include "backends/runtime/builds.h"
#include "backends/runtime/device_slip.h"
#include "backends/runtime/explain.h"
#include "backends/runtime/pass_checks.h"
#include "backends/runtime/protocol_runs.h"
#include "compiler/decomposition.h"
#include "compiler/functional_form.h"
#include "compiler/lower.h"
#include "compiler/passes/fuse_integers.h"
#include "graph/runs.h"
#include "graph/second_feed.h"
#include "graph/symbols.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "oracle/judge.h"

namespace parallax {
namespace {

// A program is compiled for the bound, and held against its graph at a few sizes. At others the graph may be another
// one, which shows here where its results have another shape: squeeze of one element, for example.
Result<void> check_outputs(const Graph& resized, const Case& test, const SymbolSizes& sizes) {
  TRY(const Graph wanted, at_sizes(test.graph, test.symbols, sizes));
  for (std::size_t i = 0; i < wanted.outputs.size(); ++i) {
    if (resized.meta(resized.outputs[i]).layout.sizes == wanted.meta(wanted.outputs[i]).layout.sizes) continue;
    return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                 fmt::format("output {} has another shape at {} than the compiled graph gives it", i,
                                             text(test.symbols, sizes))});
  }
  return {};
}

using namespace runtime;

class CompiledTarget : public Target {
 public:
  CompiledTarget(std::string name, const CompiledTargetOptions& options)
      : name_(std::move(name)),
        options_(options),
        plain_(options.delegates ? plain_delegating_build : plain_build),
        profile_(find_profile(options.delegates ? options.delegates->profile : "portable")) {
    PARALLAX_CHECK(profile_ != nullptr);
  }

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *profile_; }
  bool promises_identity() const override { return true; }

  // A view costs no kernel; an in-place op becomes its functional twin; some ops become several.
  bool takes(const Op& op) const override {
    const auto runs = [&](const Op& made) {
      return portable::find_kernel(made.name) || is_decomposed(made) || delegates(made);
    };
    if (op.is_view() || runs(op)) return true;
    const Op* twin = op.writes() ? functional_twin(op) : nullptr;
    return twin && runs(*twin);
  }

  bool delegates(const Op& op, DType dtype) const override {
    return options_.delegates && options_.delegates->may_take(op, dtype);
  }

  bool takes_several_runs() const override { return true; }
  ControlKinds control_kinds() const override { return ControlKinds().set(); }
  // A device works in the memory of one program.
  bool takes_methods() const override { return !options_.device; }

  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome;
    complained();  // of what an earlier case or its explanation ran
    // Both builds have the same passes, which take the most time of all.
    const Result<PassedGraphs> passed = passed_graphs(test, options_of(plain_, test));
    const Result<LoadedRuns> plain = passed ? built(test, *passed, plain_) : std::unexpected(passed.error());
    const Result<LoadedRuns> full = plain ? built(test, *passed, full_build) : plain;
    if (full) {
      run_protocol(*plain, *full, options_.memory, test, second, outcome);
      if (options_.threads > 1 && outcome.status == Status::Ok)
        run_on_threads(full->front(), options_.memory, test, options_.threads, outcome);
      if (!test.symbols.empty()) {
        const auto is_alone = [](const Loaded& one) { return one->program.symbols.empty(); };
        outcome.recompiled = static_cast<int>(std::ranges::count_if(*plain, is_alone));
      }
      outcome.reused_slots = count_reused_slots(plain->front()->program.plan);
      outcome.fusable = fusable_calls(test.graph);
      outcome.fused = fused_calls(plain->front()->program.graph);
      if (options_.delegates && !options_.device) outcome.delegated = delegated_nodes(*plain->front());
      if (outcome.status == Status::Ok) ask_detectors({*plain, *full}, test, outcome);
    } else {
      stop(outcome, "lower", full.error());
    }
    outcome.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return outcome;
  }

  std::vector<Diagnosis> explain(const Case& test) override {
    complained();  // of what was run before
    std::vector<Diagnosis> diagnoses = {explain_passes(pass_failures(test))};
    auto of_program = program_failure(test);
    std::vector<Diagnosis> of_plans = explain_plans(test);
    auto of_build = wrong_integers(test);
    if (!of_build) of_build = wrong_build(test);
    // What a partition or a loop loses is told by the part that lost it, where the ladder sees only what comes of it.
    // Where memory is what goes wrong first, the partitions computed right.
    const bool of_memory = of_build && of_build->blame == "planner";
    if (of_program && !of_memory) diagnoses.push_back(explain_program(*of_program));
    if (of_build) {
      // Where every plan is sound, what shows once memory is shared is a kernel that reads more than it was given.
      if (options_.device && of_memory && of_plans.empty()) of_build->blame = device_part;
      if (of_build->blame == device_part) of_build->kind = slip_of_device(test);
      diagnoses.push_back(*std::move(of_build));
    }
    if (of_program && of_memory) diagnoses.push_back(explain_program(*of_program));
    std::ranges::move(of_plans, std::back_inserter(diagnoses));
    return diagnoses;
  }

  std::vector<std::string> partitions(const Case& test) override {
    const CompileOptions options = options_of(plain_, test);
    if (options.backends.empty()) return {};
    const Result<Program> program = compile(test.graph, options);
    return program ? partition_lines(*program, options.backends) : std::vector<std::string>();
  }

 private:
  // Of any dtype.
  bool delegates(const Op& op) const {
    for (int dtype = 0; dtype < dtype_count; ++dtype) {
      if (delegates(op, static_cast<DType>(dtype))) return true;
    }
    return false;
  }

  // What is drawn for a case hangs on its name alone, so that a reduction keeps it.
  static uint64_t seed_of(const Case& test) {
    uint64_t seed = 0;
    for (const char byte : test.name) seed = mix(seed, static_cast<uint8_t>(byte));
    return seed;
  }

  CompileOptions options_of(const Build& how, const Case& test) const {
    CompileOptions options = compile_options(how, options_.delegates, options_.left);
    options.faults = options_.faults;
    options.alignment = options_.alignment;
    options.arena_limit = options_.arena_limit;
    options.redzone = options_.redzone;
    options.evaluate = evaluate;
    options.selection = options_.selection;
    if (!how.integers) leave_out(options, "fuse_integers");
    if (options_.draws_order) options.order = seed_of(test) | 1;
    return options;
  }

  static void leave_out(CompileOptions& options, std::string_view pass) {
    const std::vector<Pass> all = options.faults.parts().passes;
    const Result<std::vector<Pass>> selected = options.selection.from(all);
    if (!selected) return;
    options.selection = {};
    for (const Pass& one : *selected) {
      if (one.name != pass) options.selection.passes.emplace_back(one.name);
    }
  }

  // What the passes make of a case's graph, and of those of its methods.
  using PassedGraphs = std::vector<PassedGraph>;

  static Result<PassedGraphs> passed_graphs(const Case& test, const CompileOptions& options) {
    PassedGraphs graphs(1);
    if (!test.symbols.empty()) {
      TRY(graphs.front(), run_passes(test.graph, test.symbols, options));
      return graphs;
    }
    TRY(graphs.front(), run_passes(test.graph, options));
    for (const Method& method : test.methods) {
      TRY(PassedGraph of_method, run_passes(method.graph, options));
      graphs.push_back(std::move(of_method));
    }
    return graphs;
  }

  Result<LoadedRuns> built(const Case& test, const Build& how) const {
    if (how.anew && has_several_runs(test)) {
      LoadedRuns runs;
      for (std::size_t run = 0; run <= test.later.size(); ++run) {
        TRY(Loaded alone, built_alone(test, run, how));
        runs.push_back(std::move(alone));
      }
      return runs;
    }
    TRY(const PassedGraphs passed, passed_graphs(test, options_of(how, test)));
    return built(test, passed, how);
  }

  // One executable a run. Each is resized from the one before it: whether a plan still holds is asked of the
  // plan that is there. At sizes where the program is another one it is compiled again.
  Result<LoadedRuns> built(const Case& test, const PassedGraphs& passed, const Build& how) const {
    const CompileOptions options = options_of(how, test);
    TRY(Program program, compile(passed.front(), options));
    LoadedRuns runs;
    if (test.symbols.empty()) {
      TRY(Loaded first, loaded(std::move(program), test, how));
      LoadedRuns methods = {std::move(first)};
      for (const PassedGraph& method : std::span(passed).subspan(1)) {
        TRY(Program of_method, compile(method, options));
        TRY(Loaded executable, loaded(std::move(of_method), test, how));
        methods.push_back(std::move(executable));
      }
      runs = {methods.front()};
      for (const LaterRun& run : test.later) runs.push_back(methods[run.method]);
      return runs;
    }
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      const SymbolSizes sizes = sizes_of_run(test, run);
      if (is_compiled_alone(program, sizes)) {
        TRY(Loaded alone, built_alone(test, run, how));
        runs.push_back(std::move(alone));
        continue;
      }
      TRY(program, resize(program, sizes, options));
      TRY_VOID(check_outputs(program.graph, test, sizes));
      TRY(Loaded executable, loaded(program, test, how));
      runs.push_back(std::move(executable));
    }
    return runs;
  }

  // Of one run's graph, at its sizes.
  Result<Loaded> built_alone(const Case& test, std::size_t run, const Build& how) const {
    TRY(const Case one, case_of_run(test, run));
    TRY(Program program, compile(one.graph, options_of(how, test)));
    return loaded(std::move(program), test, how);
  }

  Result<Loaded> loaded(Program program, const Case& test, const Build& how) const {
    DeviceOfBackend device;
    if (how.partitioned && !how.on_host) device = {options_.device, 0, {options_.faults.parts().device, seed_of(test)}};
    return load(std::move(program), delegate_makers(how, options_.delegates), device);
  }

  // Whether the plan of a program that is resized from run to run is sound where it is made for this run's sizes alone.
  bool holds_when_made_anew(const Case& test, std::size_t run, const Build& how) const {
    if (test.symbols.empty()) return false;
    const Result<Case> alone = case_of_run(test, run);
    if (!alone) return false;
    const Result<LoadedRuns> runs = built(*alone, how);
    if (!runs) return false;
    const Program& program = runs->front()->program;
    return check_plan(schedule_of(program), program.plan).empty();
  }

  // What the pass checks find at the sizes of the first run that shows something.
  std::vector<PassFailure> pass_failures(const Case& test) const {
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      const Result<Case> one = case_of_run(test, run);
      if (!one) break;
      auto failures = check_passes(*one, options_of(plain_, test), *profile_);
      if (!failures.empty()) return failures;
    }
    return {};
  }

  // Whether the device has a complaint, which is forgotten then.
  bool complained() const { return options_.device && !options_.device->take_complaints().empty(); }

  // The kernels of delegates round in their own way: what their builds compute is held against the oracle.
  BuildCheck build_check(const Case& test) const {
    if (!options_.delegates) return bit_for_bit();
    const Result<ExpectedRuns> expected = expected_runs(*profile_, test);
    if (!expected) return bit_for_bit();
    return {"be wrong", [this, &test, expected = *expected](const Outcome&, const Outcome& outcome) {
              return complained() || is_finding(judge(test, expected, outcome, promises_identity()).verdict);
            }};
  }

  // What the detectors of memory see of the plain build, or of the one with everything.
  std::vector<Diagnosis> explain_plans(const Case& test) const {
    std::vector<Diagnosis> diagnoses;
    for (const Build& how : {plain_, full_build}) {
      const Result<LoadedRuns> runs = built(test, how);
      if (!runs) continue;
      for (std::size_t run = 0; run < runs->size() && diagnoses.empty(); ++run) {
        const Program& program = (*runs)[run]->program;
        const auto reckon = [&](const Graph& graph) {
          return lifetimes_of(graph, program.groups, options_.faults.parts(), options_of(how, test));
        };
        const auto add = [&](Detector detector, const std::vector<PlanFailure>& failures) {
          auto found = explain_failures(detector, called_graph(test, run), program, reckon, failures);
          if (!found) return;
          if (holds_when_made_anew(test, run, how)) found->kind = "kept at sizes that it does not hold at";
          diagnoses.push_back(*std::move(found));
        };
        add(Detector::Plan, check_plan(schedule_of(program), program.plan));
        if (auto of_subgraph = explain_subgraphs(program)) diagnoses.push_back(*std::move(of_subgraph));
        add(Detector::Sanitizer, sanitized_run((*runs)[run], feed_of_run(test, run)));
      }
      if (!diagnoses.empty()) break;  // the other build would tell the same story again
    }
    return diagnoses;
  }

  // Of the case as the passes leave it, which is what the device sees.
  std::string slip_of_device(const Case& test) const {
    std::vector<Case> compiled;
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      Result<Case> one = case_of_run(test, run);
      if (!one) break;
      const Result<LoadedRuns> runs = built(*one, Build{});
      if (!runs) break;
      one->graph = runs->front()->program.graph;
      compiled.push_back(*std::move(one));
    }
    return std::string(device_slip(compiled, [&](const Case& other) { return wrong_build(other).has_value(); }));
  }

  std::optional<Diagnosis> wrong_build(const Case& test) const {
    return first_wrong_build(test, [&](const Build& how) { return built(test, how); }, build_check(test));
  }

  // Whether fused calls are wrong where the same calls in floats are right.
  std::optional<Diagnosis> wrong_integers(const Case& test) const {
    if (fusable_calls(test.graph) == 0) return std::nullopt;
    const Result<ExpectedRuns> expected = expected_runs(*profile_, test);
    if (!expected) return std::nullopt;
    const std::vector<Tensor> second = second_feed(test);
    const auto is_wrong = [&](const Build& how) -> std::optional<bool> {
      const Result<LoadedRuns> runs = built(test, how);
      if (!runs) return std::nullopt;
      Outcome outcome;
      run_protocol(*runs, *runs, FreshMemory(), test, &second, outcome);
      return is_finding(judge(test.graph, *expected, outcome, promises_identity()).verdict);
    };
    if (!is_wrong(Build{}).value_or(false) || is_wrong(Build{.part = integers_part, .integers = false}).value_or(true))
      return std::nullopt;
    return Diagnosis{Detector::Builds,
                     fmt::format("after the passes, the {} are the first part to be wrong", integers_part),
                     {},
                     std::string(integers_part)};
  }

  // What the partitions and loops lose of the graph.
  std::optional<ProgramFailure> program_failure(const Case& test) const {
    const Result<LoadedRuns> whole = built(test, Build{});
    const Result<LoadedRuns> full = whole ? built(test, full_build) : whole;
    if (!full) return std::nullopt;
    return check_program(full->front()->program, options_of(full_build, test).backends, whole->front()->program.graph);
  }

  // Detectors that were asked to raise a finding of their own, although the values may be right.
  void ask_detectors(const std::array<LoadedRuns, 2>& builds, const Case& test, Outcome& outcome) const {
    const auto raise = [&](std::string stage, Detector detector, std::string message) {
      if (outcome.status == Status::Ok) stop(outcome, std::move(stage), detector, std::move(message));
    };
    const bool asks_plan = options_.detect.contains(Detector::Plan);
    const bool asks_sanitizer = options_.detect.contains(Detector::Sanitizer);
    if (options_.detect.contains(Detector::Passes)) {
      for (const PassFailure& failure : pass_failures(test)) {
        raise("lower", Detector::Passes, fmt::format("pass {} {}", failure.pass, failure.what));
      }
    }
    if (options_.device) {
      for (Complaint& complaint : options_.device->take_complaints()) {
        raise("run", complaint.detector, std::move(complaint.text));
      }
    }
    if (!asks_plan && !asks_sanitizer) return;
    for (const LoadedRuns& runs : builds) {
      for (std::size_t run = 0; run < runs.size(); ++run) {
        const Program& program = runs[run]->program;
        if (asks_plan) {
          for (const PlanFailure& failure : check_plan(schedule_of(program), program.plan)) {
            raise("plan", Detector::Plan, describe(program.graph, failure));
          }
          for (const SubgraphFailure& failure : subgraph_failures(program)) {
            raise("plan", Detector::Plan, failure.text);
          }
        }
        if (asks_sanitizer) {
          for (const PlanFailure& failure : sanitized_run(runs[run], feed_of_run(test, run))) {
            raise("run", Detector::Sanitizer, describe(program.graph, failure));
          }
        }
      }
    }
  }

  std::string name_;
  CompiledTargetOptions options_;
  Build plain_;
  const Profile* profile_;
};

}  // namespace

Result<std::unique_ptr<Target>> make_compiled_target(std::string name, const CompiledTargetOptions& options) {
  if (options.alignment < 1) return fail("an alignment of {} bytes", options.alignment);
  TRY_VOID(options.selection.from(options.faults.parts().passes));
  return std::make_unique<CompiledTarget>(std::move(name), options);
}

}  // namespace parallax
