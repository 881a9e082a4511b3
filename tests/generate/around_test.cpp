// Graphs around a model: its parts are valid cases of its own shapes and weights, nothing is drawn that the oracle
// could not bear, and what is drawn around it fits.
#include "fuzz/generate/around.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/examine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/work.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

// A convolution with its weight, a buffer that counts, and a head of another input.
Case model() {
  return testing::case_of(
      R"({
      "inputs": {"x": {"type": "f32[1,2,4,4]"}, "y": {"type": "f32[3,5]"}},
      "constants": {"w": {"type": "f32[3,2,3,3]", "data": {"random": {"seed": 1, "low": -2, "high": 2}}}},
      "buffers": {"steps": {"type": "f32[1]", "data": [2]}},
      "nodes": [
        {"out": "counted", "op": "aten.add_.Scalar", "args": ["%steps", 1]},
        {"out": "conv", "op": "aten.conv2d.default", "args": ["%x", "%w"]},
        {"out": "scaled", "op": "aten.mul.Tensor", "args": ["%conv", "%counted"]},
        {"out": "flat", "op": "aten.view.default", "args": ["%scaled", [3, 4]]},
        {"out": "act", "op": "aten.relu.default", "args": ["%flat"]},
        {"out": "head", "op": "aten.tanh.default", "args": ["%y"]},
        {"out": "turned", "op": "aten.permute.default", "args": ["%head", [1, 0]]},
        {"out": "out", "op": "aten.mm.default", "args": ["%turned", "%act"]}],
      "outputs": ["%out"]})",
      R"({"x": {"random": {"seed": 1, "low": -2, "high": 2}}, "y": {"random": {"seed": 1, "low": -2, "high": 2}}})");
}

Around around(Case test) {
  Result<Around> made = Around::of(std::move(test));
  EXPECT_TRUE(made) << made.error().text();
  return *std::move(made);
}

TEST(Around, PartsAreOfTheModel) {
  const Around whole = around(model());
  std::set<std::string> ops;
  std::set<std::size_t> sizes;
  for (uint64_t k = 0; k < 300; ++k) {
    Choices choices(3, k);
    const std::optional<Case> part = whole.draw_part(choices, 1 + k % 5, Vocabulary::all());
    ASSERT_TRUE(part) << "seed 3 part " << k;
    EXPECT_LE(part->graph.nodes.size(), 1 + k % 5);
    sizes.insert(part->graph.nodes.size());
    for (const Node& node : part->graph.nodes) {
      ops.insert(node.op->name);
      const auto same = std::ranges::find(whole.model().graph.nodes, node.name, &Node::name);
      ASSERT_NE(same, whole.model().graph.nodes.end());
      const ValueId made = node.results.front();
      EXPECT_EQ(part->graph.meta(made).layout.sizes, whole.model().graph.meta(same->results.front()).layout.sizes);
    }
    for (const Source& source : part->graph.sources) {
      if (part->graph.name(source.value) != "w") continue;
      EXPECT_EQ(source.kind, SourceKind::Constant);
      const auto given = std::ranges::find(whole.model().graph.sources, SourceKind::Constant, &Source::kind);
      const bool converted = source.data.dtype != DType::F32;
      EXPECT_TRUE(converted || source.data.bytes == given->data.bytes) << "seed 3 part " << k;
    }
    const std::string json = to_json(*part);
    const Result<Case> read = parse_case(json);
    ASSERT_TRUE(read) << read.error().text() << "\n" << json;
  }
  EXPECT_EQ(ops.size(), whole.model().graph.nodes.size());
  EXPECT_EQ(sizes, (std::set<std::size_t>{1, 2, 3, 4, 5}));
}

TEST(Around, PartsAreOfWhatTheTargetsTake) {
  const Around whole = around(model());
  const Vocabulary views([](const Op& op) { return op.is_view(); });
  for (uint64_t k = 0; k < 50; ++k) {
    Choices choices(4, k);
    const std::optional<Case> part = whole.draw_part(choices, 4, views);
    ASSERT_TRUE(part);
    for (const Node& node : part->graph.nodes) EXPECT_TRUE(node.op->is_view()) << node.op->name;
  }
  Choices choices(4, 0);
  EXPECT_FALSE(whole.draw_part(choices, 4, Vocabulary([](const Op& op) { return op.name == "aten.sin.default"; })));
}

TEST(Around, WhatIsTooMuchForTheOracleIsLeftOut) {
  const Case large = testing::case_of(
      R"({
      "inputs": {"a": {"type": "f32[1024,1024]"}, "b": {"type": "f32[1024,1024]"}},
      "nodes": [
        {"out": "c", "op": "aten.mm.default", "args": ["%a", "%b"]},
        {"out": "d", "op": "aten.select.int", "args": ["%c", 0, 0]},
        {"out": "e", "op": "aten.neg.default", "args": ["%d"]}],
      "outputs": ["%e"]})",
      R"({"a": {"random": {"seed": 1, "low": -2, "high": 2}}, "b": {"random": {"seed": 1, "low": -2, "high": 2}}})");
  const Around whole = around(large);
  for (uint64_t k = 0; k < 50; ++k) {
    Choices choices(5, k);
    const std::optional<Case> part = whole.draw_part(choices, 3, Vocabulary::all());
    ASSERT_TRUE(part);
    for (const Node& node : part->graph.nodes) EXPECT_NE(node.name, "c");
  }
  Case alone = large;
  alone.name = "model.pt2";
  alone.graph.nodes.resize(1);
  alone.graph.outputs = alone.graph.nodes.front().results;
  const Result<Around> none = Around::of(alone);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("model.pt2: no node of it is small enough"));
}

TEST(Around, GraphsGrowBetweenTheNodesOfAPart) {
  const Around whole = around(model());
  GenerateOptions options;
  options.profile = GenerateProfile::All;
  options.around = &whole;
  int of_model = 0;
  int drawn = 0;
  int run = 0;
  for (uint64_t k = 0; k < 400; ++k) {
    Choices choices(6, k);
    const Case test = generate(choices, options);
    double work = 0;
    for (const Node& node : test.graph.nodes) {
      const bool known =
          std::ranges::any_of(whole.model().graph.nodes, [&](const Node& other) { return other.op == node.op; });
      ++(known ? of_model : drawn);
      work += work_of(test.graph, node);
    }
    EXPECT_LT(work, 4 * Around::most_work) << "seed 6 case " << k;
    const Result<Case> read = parse_case(to_json(test));
    ASSERT_TRUE(read) << "seed 6 case " << k << ": " << read.error().text();
    run += expected_runs(*find_profile("eager"), test).has_value();
    Choices again(6, k);
    EXPECT_EQ(to_json(generate(again, options)), to_json(test)) << "seed 6 case " << k;
  }
  EXPECT_GT(of_model, 1000);
  EXPECT_GT(drawn, 1000);
  EXPECT_GT(run, 380);
}

TEST(Work, CountsProductsExactlyAndTheRestByTheElement) {
  const Case test = testing::case_of(
      R"({
      "inputs": {"a": {"type": "f32[20,30]"}, "b": {"type": "f32[30,40]"}, "c": {"type": "f32[1,1,10,10]"}},
      "nodes": [
        {"out": "d", "op": "aten.mm.default", "args": ["%a", "%b"]},
        {"out": "e", "op": "aten.add.Tensor", "args": ["%d", "%d"]},
        {"out": "f", "op": "aten.avg_pool2d.default", "args": ["%c", [5, 5], [1, 1]]},
        {"out": "g", "op": "aten.sum.default", "args": ["%e"]}],
      "outputs": ["%g", "%f"]})",
      R"({"a": {"random": {"seed": 1, "low": -2, "high": 2}}, "b": {"random": {"seed": 1, "low": -2, "high": 2}}, "c": {"random": {"seed": 1, "low": -2, "high": 2}}})");
  std::vector<double> work;
  for (const Node& node : test.graph.nodes) work.push_back(work_of(test.graph, node));
  EXPECT_DOUBLE_EQ(work[0], 20 * 30 * 40);
  EXPECT_DOUBLE_EQ(work[1], 3 * 800);
  EXPECT_DOUBLE_EQ(work[2], 36 * 25 + 100);
  EXPECT_DOUBLE_EQ(work[3], 801);
}

// What is drawn without a model is small however it is drawn: no graph can hold the others up.
TEST(Work, OfDrawnGraphsIsBounded) {
  constexpr double bound = 100'000;  // operations of a graph of at most 22 nodes
  constexpr int64_t most_elements = 20'000;
  for (const GenerateProfile profile : {GenerateProfile::All, GenerateProfile::Numeric, GenerateProfile::Shape}) {
    for (uint64_t k = 0; k < 4000; ++k) {
      Choices choices(7, k);
      const Case test = generate(choices, {.profile = profile});
      double work = 0;
      int64_t elements = 0;
      for (const TensorMeta& meta : test.graph.metas) elements += meta.layout.numel();
      for (const Node& node : test.graph.nodes) work += work_of(test.graph, node);
      EXPECT_LT(work, bound) << name(profile) << ", seed 7 case " << k;
      EXPECT_LT(elements, most_elements) << name(profile) << ", seed 7 case " << k;
    }
  }
}

}  // namespace
}  // namespace parallax
