#include "backends/runtime/protocol_runs.h"

#include <barrier>
#include <map>
#include <thread>

#include "backends/lost_target.h"
#include "graph/counts.h"
#include "graph/runs.h"

namespace parallax::runtime {
namespace {

// Two patterns that differ in every byte and give small, large and odd values in every dtype.

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

// Kernels compute the same bits on every thread. NaN is the same as itself.
bool same_bytes(const Observation& a, const Observation& b) {
  return a.outputs == b.outputs && a.inputs == b.inputs && a.buffers == b.buffers;
}

// What runs: one for each method on each instance of the program. The first that ran on an instance has its buffers.
class Instances {
 public:
  Instances(Instance& first, std::byte poison) : poison_(poison) {
    all_[{0, 0}] = &first;
    owners_[0] = &first;
  }

  Instance& of(const LaterRun& run, const Loaded& executable) {
    Instance*& own = all_[{run.instance, run.method}];
    if (!own) own = made_.emplace_back(std::make_unique<Instance>(executable, poison_)).get();
    own->resize(executable);
    Instance*& owner = owners_[run.instance];
    if (!owner) owner = own;
    if (owner != own) own->share_state(*owner);
    return *own;
  }

 private:
  std::byte poison_;
  std::map<std::pair<int, std::size_t>, Instance*> all_;  // by instance and method
  std::map<int, Instance*> owners_;                       // by instance
  std::vector<std::unique_ptr<Instance>> made_;
};

// The runs after the first, which `first` has run, on it and on other instances; whether all went well. `kept` takes
// the outputs of all but the last as they are after it, or is null.
bool run_later(const LoadedRuns& runs, const Case& test, Instance& first, std::byte poison,
               std::vector<Observation>& seen, std::vector<std::vector<Tensor>>* kept, Outcome& outcome) {
  Instances instances(first, poison);
  std::vector<RunResult> earlier;
  for (std::size_t i = 0; i < test.later.size(); ++i) {
    const Loaded& executable = runs[i + 1];
    Result<RunResult> result = instances.of(test.later[i], executable).run(test.later[i].feed);
    if (!result) {
      stop(outcome, "run", result.error());
      return false;
    }
    seen.push_back(observe(*executable, *result));
    if (kept && i + 1 < test.later.size()) earlier.push_back(*std::move(result));
  }
  for (const RunResult& result : earlier) kept->push_back(read_all(result.outputs));
  return true;
}

}  // namespace

void stop(Outcome& outcome, Status status, std::string stage, std::string kind, std::string message) {
  outcome.status = status;
  outcome.stage = std::move(stage);
  outcome.kind = std::move(kind);
  outcome.message = std::move(message);
}

void stop(Outcome& outcome, std::string stage, Detector detector, std::string message) {
  stop(outcome, Status::Error, std::move(stage), std::string(kind_raised_by(detector)), std::move(message));
  outcome.raised_by = detector;
}

void stop(Outcome& outcome, const std::string& stage, const Error& error) {
  if (error.kind == ErrorKind::NoTarget) {
    return stop(outcome, Status::Unsupported, stage, std::string(lost_target_kind), error.text());
  }
  const bool unsupported = error.kind == ErrorKind::Unsupported;
  stop(outcome, unsupported ? Status::Unsupported : Status::Error, stage, unsupported ? "Unsupported" : "Error",
       error.text());
}

void run_protocol(const LoadedRuns& runs, const LoadedRuns& again, const FreshMemory& memory, const Case& test,
                  const std::vector<Tensor>* second, Outcome& outcome) {
  const bool several = has_several_runs(test);
  // Other data may make other sizes, which a case of one run does not say.
  const bool runs_second = second && !holds_counts(test.graph);
  Instance instance(runs.front(), memory.first);
  const Result<RunResult> a = instance.run(test.feed);
  if (!a) return stop(outcome, "run", a.error());
  outcome.a = observe(*runs.front(), *a);
  if (runs.front()->device.device) outcome.delegated = a->on_device;
  if (several) {
    if (!run_later(runs, test, instance, memory.first, outcome.later, &outcome.later_kept, outcome)) return;
  } else if (runs_second) {
    const Result<RunResult> b = instance.run(*second);
    if (!b) return stop(outcome, "run", b.error());
    outcome.b = observe(*runs.front(), *b);
  }
  if (several || runs_second) outcome.a_kept = read_all(a->outputs);
  Instance fresh(again.front(), memory.second);
  const Result<RunResult> a_again = fresh.run(test.feed);
  if (!a_again) return stop(outcome, "run", a_again.error());
  outcome.a_again = observe(*again.front(), *a_again);
  if (several) run_later(again, test, fresh, memory.second, outcome.later_again, nullptr, outcome);
}

void run_on_threads(const Loaded& executable, const FreshMemory& memory, const Case& test, int threads,
                    Outcome& outcome) {
  std::vector<Observation> seen(static_cast<std::size_t>(threads));
  std::vector<std::string> errors(seen.size());
  std::barrier together(threads);
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 0; t < seen.size(); ++t) {
      running.emplace_back([&, t] {
        Instance instance(executable, memory.second);
        together.arrive_and_wait();
        const Result<RunResult> ran = instance.run(test.feed);
        if (ran) {
          seen[t] = observe(*executable, *ran);
        } else {
          errors[t] = ran.error().text();
        }
      });
    }
  }
  for (std::size_t t = 0; t < seen.size(); ++t) {
    if (!errors[t].empty())
      return stop(outcome, Status::Error, "run", "Error", errors[t] + " on one thread of several");
    if (!same_bytes(seen[t], *outcome.a)) outcome.a_again = std::move(seen[t]);
  }
}

std::vector<PlanFailure> sanitized_run(const Loaded& executable, std::span<const Tensor> feed) {
  Sanitizer sanitizer(executable->program);
  // What the data makes an op raise is not the sanitizer's business; it has seen the steps up to there.
  (void)Instance(executable, FreshMemory().first).run(feed, &sanitizer);
  return sanitizer.failures();
}

}  // namespace parallax::runtime
