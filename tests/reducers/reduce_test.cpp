#include "reducers/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "graph/builder.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"
#include "tests/reducers/generated_cases.h"
#include "tests/support/control_case.h"
#include "tests/support/methods_case.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

using testing::first_interesting;
using testing::generated_case;
using testing::record_ones;

constexpr int large = 40;

bool reads(const Node& node, ValueId value) {
  bool found = false;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId read) { found = found || read == value; });
  }
  return found;
}

bool is(const Node& node, std::string_view op) { return node.op->name == op; }

// A clone whose source another node reads later: what an eliding planner gets wrong.
bool clone_with_later_reader(const Case& test) {
  const std::vector<Node>& nodes = test.graph.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!is(nodes[n], "aten.clone.default")) continue;
    const ValueId source = std::get<ValueId>(nodes[n].arguments[0]);
    if (std::any_of(nodes.begin() + static_cast<std::ptrdiff_t>(n) + 1, nodes.end(),
                    [&](const Node& node) { return reads(node, source); }))
      return true;
  }
  return false;
}

bool sigmoid_into_neg(const Case& test) {
  const std::vector<Node>& nodes = test.graph.nodes;
  for (const Node& first : nodes) {
    if (!is(first, "aten.sigmoid.default")) continue;
    for (const Node& second : nodes) {
      if (is(second, "aten.neg.default") && reads(second, first.results[0])) return true;
    }
  }
  return false;
}

bool holds_op(const Case& test, std::string_view op) {
  return std::any_of(test.graph.nodes.begin(), test.graph.nodes.end(), [&](const Node& node) { return is(node, op); });
}

bool sigmoid_and_clone(const Case& test) {
  return holds_op(test, "aten.sigmoid.default") && holds_op(test, "aten.clone.default");
}

bool element_below_minus_two(const Case& test) {
  for (const Tensor& tensor : test.feed) {
    for (int64_t i = 0; i < tensor.numel(); ++i) {
      if (tensor.get_double(i) < -2) return true;
    }
  }
  return false;
}

// The reported F01 shape: a = f(x), b = clone(a), c = g(a), d = h(c) with b read after d.
bool elided_copy_read_after_overwrite(const Case& test) {
  const std::vector<Node>& nodes = test.graph.nodes;
  for (std::size_t copy = 0; copy < nodes.size(); ++copy) {
    if (!is(nodes[copy], "aten.clone.default")) continue;
    const ValueId source = std::get<ValueId>(nodes[copy].arguments[0]);
    const bool made =
        std::any_of(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(copy), [&](const Node& node) {
          return !node.results.empty() && node.results[0] == source && !node.op->is_view() && !node.op->writes();
        });
    if (!made) continue;
    for (std::size_t last = copy + 1; last < nodes.size(); ++last) {
      if (!reads(nodes[last], source) || nodes[last].results.empty()) continue;
      for (std::size_t taker = last + 1; taker < nodes.size(); ++taker) {
        if (!reads(nodes[taker], nodes[last].results[0])) continue;
        for (std::size_t late = taker + 1; late < nodes.size(); ++late) {
          if (reads(nodes[late], nodes[copy].results[0])) return true;
        }
      }
    }
  }
  return false;
}

struct Target {
  const char* name;
  bool (*interesting)(const Case&);
  std::size_t nodes;  // the exact minimum
  std::size_t most_sources;
};

class ReducesToMinimum : public ::testing::TestWithParam<Target> {};

TEST_P(ReducesToMinimum, FromFortyNodes) {
  const Target& target = GetParam();
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Case start = first_interesting(seed, large, target.interesting);
    const ReduceResult result = reduce(start, target.interesting, record_ones);
    EXPECT_TRUE(target.interesting(result.reduced)) << "seed " << seed;
    EXPECT_TRUE(result.finished) << "seed " << seed;
    EXPECT_EQ(result.reduced.graph.nodes.size(), target.nodes) << "seed " << seed << ": " << to_json(result.reduced);
    EXPECT_LE(result.reduced.graph.sources.size(), target.most_sources)
        << "seed " << seed << ": " << to_json(result.reduced);
    EXPECT_EQ(result.reduced.graph.outputs.size(), 1u) << "seed " << seed << ": " << to_json(result.reduced);
    EXPECT_LT(result.checks, 600) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Predicates, ReducesToMinimum,
                         ::testing::Values(Target{"CloneWithLaterReader", clone_with_later_reader, 2, 1},
                                           Target{"AdjacentPair", sigmoid_into_neg, 2, 1},
                                           Target{"TwoBranches", sigmoid_and_clone, 2, 1},
                                           Target{"Value", element_below_minus_two, 0, 1},
                                           Target{"ElidedCopy", elided_copy_read_after_overwrite, 5, 2}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Reduce, LeavesOnlyWhatTheValuePredicateNeeds) {
  const Case start = first_interesting(11, 12, element_below_minus_two);
  const Case reduced = reduce(start, element_below_minus_two, record_ones).reduced;
  ASSERT_EQ(reduced.feed.size(), 1u);
  EXPECT_EQ(reduced.feed[0].numel(), 1) << to_json(reduced);
  EXPECT_EQ(reduced.feed[0].dtype, DType::F32) << to_json(reduced);
}

TEST(Reduce, WritesCanonicalNames) {
  const Case start = first_interesting(3, large, sigmoid_into_neg);
  const Graph graph = reduce(start, sigmoid_into_neg, record_ones).reduced.graph;
  EXPECT_EQ(graph.name(graph.sources[0].value), "x");
  EXPECT_EQ(graph.nodes[0].name, "a");
  EXPECT_EQ(graph.nodes[1].name, "b");
}

TEST(Reduce, KeepsTheBestWhenTheChecksAreSpent) {
  const Case start = first_interesting(5, large, clone_with_later_reader);
  int calls = 0;
  const Interesting counted = [&](const Case& test) {
    ++calls;
    return clone_with_later_reader(test);
  };
  const ReduceResult result = reduce(start, counted, record_ones, {.max_checks = 10});
  EXPECT_EQ(result.checks, 10);
  EXPECT_EQ(calls, 10);
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(clone_with_later_reader(result.reduced));
  EXPECT_LT(size_of_case(result.reduced), size_of_case(start));
}

TEST(Reduce, StopsAtOnceWithoutTime) {
  const Case start = first_interesting(5, large, clone_with_later_reader);
  const ReduceResult result = reduce(start, clone_with_later_reader, record_ones, {.max_seconds = 0});
  EXPECT_EQ(result.checks, 0);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(to_json(result.reduced), to_json(start));
}

TEST(Reduce, IsDeterministic) {
  const Case start = first_interesting(7, large, clone_with_later_reader);
  const ReduceResult first = reduce(start, clone_with_later_reader, record_ones);
  const ReduceResult second = reduce(start, clone_with_later_reader, record_ones);
  EXPECT_EQ(to_json(first.reduced), to_json(second.reduced));
  EXPECT_EQ(first.checks, second.checks);
}

TEST(Reduce, NeverChecksACaseTwice) {
  const Case start = first_interesting(9, large, clone_with_later_reader);
  std::set<std::string> checked = {to_json(start)};
  const Interesting once = [&](const Case& test) {
    EXPECT_TRUE(checked.insert(to_json(test)).second) << to_json(test);
    return clone_with_later_reader(test);
  };
  reduce(start, once, record_ones);
}

// Candidates that are asked about together end where single ones do, in fewer rounds: what succeeds apart is merged.
TEST(Reduce, AsksAboutSeveralCandidatesTogether) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Case start = first_interesting(seed, large, elided_copy_read_after_overwrite);
    const ReduceResult alone = reduce(start, elided_copy_read_after_overwrite, record_ones);
    int rounds = 0;
    std::size_t widest = 0;
    ReduceOptions options;
    options.together = 8;
    options.interesting_together = [&](std::span<const Case> candidates) {
      ++rounds;
      widest = std::max(widest, candidates.size());
      std::vector<bool> answers;
      for (const Case& candidate : candidates) answers.push_back(elided_copy_read_after_overwrite(candidate));
      return answers;
    };
    const Interesting never = [](const Case&) -> bool { throw std::logic_error("asked about one alone"); };
    const ReduceResult together = reduce(start, never, record_ones, options);
    EXPECT_TRUE(elided_copy_read_after_overwrite(together.reduced)) << "seed " << seed;
    EXPECT_EQ(together.reduced.graph.nodes.size(), alone.reduced.graph.nodes.size()) << "seed " << seed;
    EXPECT_EQ(widest, 8U) << "seed " << seed;
    EXPECT_LT(3 * rounds, 2 * alone.checks) << "seed " << seed;
  }
}

// Each element of one input must go, and can: what is found in one round goes in one step.
TEST(Reduce, MergesWhatSucceedsApart) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({8}));
  builder.add_output(*builder.call("aten.neg.default", {x}, "a"));
  Case test;
  test.graph = builder.take();
  Tensor& data = test.feed.emplace_back(DType::F32, Dims{8});
  for (int64_t i = 0; i < 8; ++i) data.set_double(i, 0.12345 + static_cast<double>(i));
  // The tensor as a whole cannot become plainer, since the last element must keep most of its digits.
  const auto keeps_the_last = [](const Case& candidate) {
    const Tensor& fed = candidate.feed[0];
    return holds_op(candidate, "aten.neg.default") && fed.numel() == 8 && fed.get_double(7) > 7.1 &&
           fed.get_double(7) < 7.15;
  };
  int steps = 0;
  ReduceOptions options;
  options.together = 16;
  options.interesting_together = [&](std::span<const Case> candidates) {
    std::vector<bool> answers;
    for (const Case& candidate : candidates) answers.push_back(keeps_the_last(candidate));
    steps += std::ranges::count(answers, true) > 0;
    return answers;
  };
  const Case reduced = reduce(test, keeps_the_last, record_ones, options).reduced;
  for (int64_t i = 0; i < 7; ++i) EXPECT_EQ(reduced.feed[0].get_double(i), 0) << i;
  EXPECT_LT(steps, 12);
}

TEST(Reduce, EndsWithTheBestSoFarWhenInterrupted) {
  const Case start = first_interesting(3, large, sigmoid_and_clone);
  int asked = 0;
  std::size_t nodes = start.graph.nodes.size();
  ReduceOptions options;
  options.interrupted = [&] { return asked >= 10; };
  options.progress = [&](const ReduceProgress& progress) {
    EXPECT_FALSE(progress.pass.empty());
    EXPECT_EQ(progress.checks, asked);
    EXPECT_LE(progress.nodes, nodes);
    nodes = progress.nodes;
  };
  const Interesting counted = [&](const Case& test) {
    ++asked;
    return sigmoid_and_clone(test);
  };
  const ReduceResult result = reduce(start, counted, record_ones, options);
  EXPECT_EQ(asked, 10);
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(sigmoid_and_clone(result.reduced));
  EXPECT_EQ(result.reduced.graph.nodes.size(), nodes);
  EXPECT_LT(nodes, start.graph.nodes.size());
}

TEST(Reduce, GetsALongWayWithoutRecordedValues) {
  const Case start = first_interesting(4, large, clone_with_later_reader);
  const auto nothing = [](const Case&) { return std::optional<std::vector<Tensor>>(); };
  const ReduceResult result = reduce(start, clone_with_later_reader, nothing);
  EXPECT_TRUE(clone_with_later_reader(result.reduced));
  EXPECT_LE(result.reduced.graph.nodes.size(), 8u) << to_json(result.reduced);
}

// What a pass wants checked of a case when nothing is interesting.
std::vector<Case> offered_by(const ReductionPass& pass, const Case& start) {
  std::vector<Case> offered;
  if (pass.run == nullptr) {
    for (Edit& edit : pass.candidates(start, record_ones)) offered.push_back(std::move(edit.result));
    return offered;
  }
  const Interesting never = [&](const Case& candidate) {
    offered.push_back(candidate);
    return false;
  };
  const RecordedValues recorded = record_ones;
  const ReduceOptions options;
  Reduction reduction(start, never, recorded, options);
  pass.run(reduction);
  return offered;
}

TEST(ReductionPasses, OfferOnlySmallerCasesThatReadBack) {
  for (uint64_t stream = 0; stream < 60; ++stream) {
    const Case start = generated_case(21, stream, 1 + static_cast<int>(stream % 14));
    const CaseSize size = size_of_case(start);
    for (const ReductionPass& pass : reduction_passes) {
      for (const Case& candidate : offered_by(pass, start)) {
        EXPECT_LT(size_of_case(candidate), size) << pass.name << ", stream " << stream;
        const std::string json = to_json(candidate);
        const Result<Case> read = parse_case(json);
        ASSERT_TRUE(read.has_value()) << pass.name << ", stream " << stream << ": " << read.error().text() << "\n"
                                      << json;
        EXPECT_EQ(to_json(*read), json) << pass.name << ", stream " << stream;
      }
    }
  }
}

// An adjacent pair in a long graph costs a bisection from either end, not a check a node.
TEST(Reduce, FindsAnAdjacentPairInFewChecks) {
  const Case start = first_interesting(13, 300, sigmoid_into_neg);
  int until_two = 0;
  int checks = 0;
  const Interesting counted = [&](const Case& test) {
    ++checks;
    const bool pair = sigmoid_into_neg(test);
    if (pair && test.graph.nodes.size() == 2 && until_two == 0) until_two = checks;
    return pair;
  };
  EXPECT_EQ(reduce(start, counted, record_ones).reduced.graph.nodes.size(), 2u);
  EXPECT_GT(until_two, 0);
  EXPECT_LE(until_two, 60);
}

TEST(ReductionPasses, EachOffersSomethingOfSomeCase) {
  std::set<std::string_view> offered;
  for (uint64_t stream = 0; stream < 200; ++stream) {
    // The profile of the generated ones has no runs.
    const Case start = stream == 0   ? testing::mean_case()
                       : stream == 1 ? parse_case(testing::loop_case).value()
                       : stream == 2 ? parse_case(testing::methods_case).value()
                                     : generated_case(22, stream, 10);
    for (const ReductionPass& pass : reduction_passes) {
      if (!offered.contains(pass.name) && !offered_by(pass, start).empty()) offered.insert(pass.name);
    }
  }
  EXPECT_EQ(offered.size(), reduction_passes.size());
}

TEST(Runs, GoWhereOneShowsTheSame) {
  const Interesting takes_a_mean = [](const Case& test) { return holds_op(test, "aten.mean.dim"); };
  const Case reduced = reduce(testing::mean_case(), takes_a_mean, record_ones).reduced;
  EXPECT_FALSE(has_several_runs(reduced));
  EXPECT_EQ(reduced.graph.nodes.size(), 1U);
}

TEST(Runs, StayValidWhereTheyAreNeeded) {
  int candidates = 0;
  const Interesting at_two_sizes = [&](const Case& test) {
    ++candidates;
    EXPECT_TRUE(check_runs(test)) << to_json(test);
    return !test.later.empty() && !test.symbols.empty() && holds_op(test, "aten.mul.Tensor");
  };
  const Case reduced = reduce(testing::mean_case(), at_two_sizes, record_ones).reduced;
  EXPECT_GT(candidates, 5);
  EXPECT_EQ(reduced.graph.nodes.size(), 1U);
  EXPECT_EQ(reduced.later.size(), 1U);
  const Result<Case> again = parse_case(to_json(reduced));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_json(*again), to_json(reduced));
}

TEST(Runs, AreDroppedFromEitherEnd) {
  const Interesting has_two = [](const Case& test) {
    return test.later.size() == 1 && !test.feed.empty() && test.feed[0].get_double(0) == 3;
  };
  const Case reduced = reduce(testing::counting_case(), has_two, record_ones).reduced;
  EXPECT_EQ(reduced.later.size(), 1U);
}

TEST(Methods, GoWhereTheGraphShowsTheSame) {
  const Interesting takes_a_sum = [](const Case& test) { return holds_op(test, "aten.sum.dim_IntList"); };
  const Case reduced = reduce(parse_case(testing::methods_case).value(), takes_a_sum, record_ones).reduced;
  EXPECT_TRUE(reduced.methods.empty());
  EXPECT_FALSE(has_several_runs(reduced));
}

// What the method needs of its own calls, and of its two runs, stays; the rest goes.
TEST(Methods, AreMadeSmallerWhereTheyAreNeeded) {
  int candidates = 0;
  const Interesting writes_in_a_method = [&](const Case& test) {
    ++candidates;
    EXPECT_TRUE(check_runs(test)) << to_json(test);
    if (test.methods.empty() || test.graph.nodes.empty() || holds_op(test, "aten.index_copy_.default")) return false;
    const bool called = std::ranges::any_of(test.later, [](const LaterRun& run) { return run.method == 1; });
    return called && std::ranges::any_of(test.methods[0].graph.nodes,
                                         [](const Node& node) { return is(node, "aten.index_copy_.default"); });
  };
  const Case reduced = reduce(parse_case(testing::methods_case).value(), writes_in_a_method, record_ones).reduced;
  EXPECT_GT(candidates, 5);
  EXPECT_EQ(reduced.graph.nodes.size(), 1U);
  EXPECT_EQ(reduced.methods.size(), 1U);
  EXPECT_EQ(reduced.methods[0].graph.nodes.size(), 1U);
  EXPECT_EQ(reduced.later.size(), 1U);
  const Result<Case> again = parse_case(to_json(reduced));
  ASSERT_TRUE(again) << again.error().text();
}

// Neither of two calls, the second of which undoes what the first did, can go without the other.
TEST(Bypass, TakesTheValueThatSeveralCallsLeadBackTo) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const ValueId a = *builder.call("aten.exp.default", {x}, "a");
  const ValueId b = *builder.call("aten.unsqueeze.default", {a, Scalar(int64_t{0})}, "b");
  const ValueId c = *builder.call("aten.squeeze.default", {b}, "c");
  builder.add_output(*builder.call("aten.neg.default", {c}, "d"));
  Case test;
  test.graph = builder.take();
  test.feed.emplace_back(DType::F32, Dims{2});
  const Interesting exp_into_neg = [](const Case& candidate) {
    return holds_op(candidate, "aten.exp.default") && holds_op(candidate, "aten.neg.default");
  };
  const RecordedValues nothing = [](const Case&) { return std::nullopt; };
  EXPECT_TRUE(std::ranges::any_of(bypass_candidates(test, nothing), [&](const Edit& edit) {
    return edit.what == "a for c, pruned" && edit.result.graph.nodes.size() == 2 && exp_into_neg(edit.result);
  }));
}

// A stack of another shape than its operand cannot be bypassed; the output can be the operand.
TEST(EarlierOutputs, TakeTheOperandOfWhatMadeTheOutput) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const ValueId a = *builder.call("aten.exp.default", {x}, "a");
  const ValueId b = *builder.call("aten.stack.default", {ValueList{a, a}}, "b");
  builder.add_output(b);
  Case test;
  test.graph = builder.take();
  test.feed.emplace_back(DType::F32, Dims{2});
  const std::vector<Edit> candidates = earlier_output_candidates(test, {});
  ASSERT_FALSE(candidates.empty());
  const Case& first = candidates[0].result;
  EXPECT_EQ(first.graph.nodes.size(), 1U);
  EXPECT_TRUE(holds_op(first, "aten.exp.default"));
  EXPECT_EQ(first.graph.name(first.graph.outputs[0]), "a");
}

// A fault that shows at three elements after two: no size, range or run is left that it does not need.
TEST(Reduce, SizesOfSymbolsAreMadeSmall) {
  const Case start = parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"],
    "symbols": {"B": [1, 9], "S": [1, 7]}, "graph": {
      "inputs": {"x": {"type": "f32[B]"}, "y": {"type": "f32[S]"}},
      "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
                {"out": "b", "op": "aten.neg.default", "args": ["%y"]}],
      "outputs": ["%a", "%b"]},
    "runs": [{"feed": {"x": {"type": "f32[9]", "data": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "y": {"type": "f32[2]", "data": [1, 2]}}},
             {"feed": {"x": {"type": "f32[5]", "data": [1, 2, 3, 4, 5]}, "y": {"type": "f32[3]", "data": [1, 2, 3]}}},
             {"feed": {"x": {"type": "f32[8]", "data": [1, 2, 3, 4, 5, 6, 7, 8]}, "y": {"type": "f32[1]", "data": [1]}}}]})")
                         .value();
  const auto grows_to_three = [](const Case& test) {
    for (std::size_t run = 1; run <= test.later.size(); ++run) {
      const SymbolSizes before = sizes_of_run(test, run - 1);
      const SymbolSizes now = sizes_of_run(test, run);
      for (std::size_t s = 0; s < now.size(); ++s) {
        if (test.symbols.list[s].high >= 3 && now[s] >= 3 && before[s] < now[s]) return true;
      }
    }
    return false;
  };
  ASSERT_TRUE(grows_to_three(start));
  const Case reduced = reduce(start, grows_to_three, record_ones).reduced;
  ASSERT_EQ(reduced.symbols.list.size(), 1U);
  EXPECT_EQ(reduced.later.size(), 1U);
  EXPECT_EQ(sizes_of_run(reduced, 0), SymbolSizes{1});
  EXPECT_EQ(sizes_of_run(reduced, 1), SymbolSizes{3});
  EXPECT_EQ(reduced.symbols.list.front().high, 3);
}

}  // namespace
}  // namespace parallax
