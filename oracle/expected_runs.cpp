#include "oracle/expected_runs.h"

#include <map>
#include <memory>

#include "graph/runs.h"
#include "graph/second_feed.h"

namespace parallax {
namespace {

// The interpreters of a case's programs: one for each method on each instance. The methods of an instance hand its
// state on.
class Programs {
 public:
  Programs(const Case& test, const Profile& profile, Interpreter& first) : test_(test), profile_(profile) {
    last_[0] = &first;
    started_[{0, 0}] = &first;
  }

  // What makes that run, with the state that the last run on its instance left.
  Interpreter& of_run(std::size_t run) {
    const LaterRun& later = test_.later[run - 1];
    Interpreter*& own = started_[{later.instance, later.method}];
    if (!own) own = made_.emplace_back(std::make_unique<Interpreter>(called_graph(test_, run), profile_)).get();
    Interpreter*& last = last_[later.instance];
    if (last && last != own) own->take_state(*last);
    last = own;
    return *own;
  }

 private:
  const Case& test_;
  const Profile& profile_;
  std::map<std::pair<int, std::size_t>, Interpreter*> started_;  // by instance and method
  std::map<int, Interpreter*> last_;                             // by instance
  std::vector<std::unique_ptr<Interpreter>> made_;
};

// What the runs after the first must give; `first` has gone through that one. Each other instance has state of its own.
// A method's nodes are shown as those of a subgraph.
Result<std::vector<Expected>> expected_later(Interpreter& first, const Profile& profile, const Case& test,
                                             const Interpreter::Observer& observe,
                                             const Interpreter::InnerObserver& inner,
                                             const Interpreter::Substitute& substitute) {
  std::vector<Expected> expected;
  const Interpreter::Observer nobody;
  std::vector<Graph> graphs;
  graphs.reserve(test.later.size());
  Programs programs(test, profile, first);
  for (std::size_t run = 1; run <= test.later.size(); ++run) {
    TRY(Graph called, graph_of_run(test, run));
    const Graph& graph = graphs.emplace_back(std::move(called));
    Interpreter& interpreter = programs.of_run(run);
    interpreter.resize(graph);
    const bool is_method = test.later[run - 1].method != 0;
    const Interpreter::Observer as_inner = [&](NodeId node, std::span<const BallView> values) {
      inner(graph.node(node), values);
    };
    const Interpreter::Observer& shown = is_method ? (inner ? as_inner : nobody) : observe;
    TRY(Expected after, interpreter.run(test.later[run - 1].feed, shown, inner, substitute));
    expected.push_back(std::move(after));
  }
  return expected;
}

}  // namespace

Result<ExpectedRuns> expected_runs(const Profile& profile, const Case& test, const Interpreter::Observer& observe,
                                   const Interpreter::InnerObserver& inner, const Interpreter::Substitute& substitute) {
  Interpreter interpreter(test.graph, profile);
  TRY(Expected first, interpreter.run(test.feed, observe, inner, substitute));
  ExpectedRuns expected{std::move(first), std::nullopt, {}};
  if (has_several_runs(test)) {
    TRY(expected.later, expected_later(interpreter, profile, test, observe, inner, substitute));
    return expected;
  }
  if (Result<Expected> after = interpreter.run(second_feed(test), observe, inner, substitute)) {
    expected.b = *std::move(after);
  }
  return expected;
}

}  // namespace parallax
