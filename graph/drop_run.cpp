#include "graph/drop_run.h"

#include "graph/runs.h"

namespace parallax {
namespace {

std::optional<Case> without_first_run(const Case& test) {
  Result<Case> second = case_of_run(test, 1);
  if (!second) return std::nullopt;
  Case shorter = test;
  shorter.graph = std::move(second->graph);
  shorter.feed = std::move(second->feed);
  const int now_first = shorter.later.front().instance;
  // The graph and the method that it calls change places.
  const std::size_t now_called = shorter.later.front().method;
  if (now_called != 0) shorter.methods[now_called - 1].graph = test.graph;
  shorter.later.erase(shorter.later.begin());
  for (LaterRun& run : shorter.later) {
    if (run.method == now_called) {
      run.method = 0;
    } else if (run.method == 0) {
      run.method = now_called;
    }
    if (run.instance == now_first) {
      run.instance = 0;
    } else if (run.instance == 0) {
      run.instance = now_first;
    }
  }
  return shorter;
}

}  // namespace

std::optional<Case> without_run(const Case& test, std::size_t run) {
  if (test.later.empty() || run > test.later.size()) return std::nullopt;
  std::optional<Case> shorter;
  if (run == 0) {
    shorter = without_first_run(test);
  } else {
    shorter = test;
    shorter->later.erase(shorter->later.begin() + static_cast<std::ptrdiff_t>(run) - 1);
  }
  if (!shorter) return std::nullopt;
  if (run == 0) shorter->expect = {};
  for (std::size_t behind = run == 0 ? 0 : run - 1; behind < shorter->later.size(); ++behind)
    shorter->later[behind].expect = {};
  return shorter;
}

}  // namespace parallax
