// Fewer methods, and each of them smaller: what the other passes make of it where it is looked at alone.
#include <fmt/format.h>

#include <algorithm>

#include "graph/runs.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

// Without a method and the runs that call it.
Case without_method(const Case& test, std::size_t method) {
  Case fewer = test;
  fewer.expect = {};
  fewer.methods.erase(fewer.methods.begin() + static_cast<std::ptrdiff_t>(method));
  std::erase_if(fewer.later, [&](const LaterRun& run) { return run.method == method + 1; });
  for (LaterRun& run : fewer.later) {
    run.expect = {};
    if (run.method > method) --run.method;
  }
  return fewer;
}

// The runs that call a method, as a case of their own on one instance; nothing where no run does.
std::optional<Case> method_alone(const Case& test, std::size_t method) {
  Case alone;
  alone.name = test.name;
  alone.graph = test.methods[method].graph;
  bool called = false;
  for (const LaterRun& run : test.later) {
    if (run.method != method + 1) continue;
    if (called) {
      alone.later.push_back({{}, run.feed, {}});
    } else {
      alone.feed = run.feed;
    }
    called = true;
  }
  if (!called) return std::nullopt;
  return alone;
}

// The case with what became of a method alone; nothing where that has other runs, or the buffers are others.
std::optional<Case> with_method(const Case& test, std::size_t method, const Case& alone) {
  Case changed = test;
  changed.expect = {};
  changed.methods[method].graph = alone.graph;
  std::size_t next = 0;
  for (LaterRun& run : changed.later) {
    run.expect = {};
    if (run.method != method + 1) continue;
    if (next > alone.later.size()) return std::nullopt;
    run.feed = next == 0 ? alone.feed : alone.later[next - 1].feed;
    ++next;
  }
  if (next != alone.later.size() + 1 || !check_runs(changed)) return std::nullopt;
  return changed;
}

constexpr std::array passes_of_a_method = {
    output_candidates, earlier_output_candidates, bypass_candidates, source_candidates,
    dim_candidates,    attribute_candidates,      value_candidates};

}  // namespace

std::vector<Edit> method_candidates(const Case& test, const RecordedValues& recorded) {
  CandidateList candidates(test);
  for (std::size_t method = 0; method < test.methods.size(); ++method) {
    candidates.offer(fmt::format("without method {}", test.methods[method].name), without_method(test, method));
  }
  for (std::size_t method = 0; method < test.methods.size(); ++method) {
    const std::optional<Case> alone = method_alone(test, method);
    if (!alone) continue;
    for (const auto& pass : passes_of_a_method) {
      for (Edit& edit : pass(*alone, recorded)) {
        candidates.offer(fmt::format("{} in method {}", edit.what, test.methods[method].name),
                         with_method(test, method, edit.result));
      }
    }
  }
  return candidates.take();
}

}  // namespace parallax
