// What a graph tells a fuzzing engine.
#include "fuzz/generate/semantic_coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/choices.h"
#include "fuzz/generate/alias_relation.h"
#include "fuzz/generate/generate.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

Graph graph_of(const std::string& graph) {
  return testing::case_of(graph, R"({"x": {"random": {"seed": 7, "low": -2, "high": 2}}})").graph;
}

std::set<uint16_t> features_of(const std::string& graph) {
  const auto features = semantic_features(graph_of(graph));
  return {features.begin(), features.end()};
}

// A clone of x that is written to, or another result of the same kind.
constexpr const char* writes_a_view = R"({
  "inputs": {"x": {"type": "f32[4]"}},
  "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
            {"out": "v", "op": "aten.view.default", "args": ["%a", [2, 2]]},
            {"out": "w", "op": "aten.exp_.default", "args": ["%v"]}],
  "outputs": ["%a"]})";
constexpr const char* writes_no_view = R"({
  "inputs": {"x": {"type": "f32[2,2]"}},
  "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
            {"out": "w", "op": "aten.exp_.default", "args": ["%a"]}],
  "outputs": ["%a"]})";

TEST(SemanticCoverage, StaysInTheCounters) {
  std::set<uint16_t> seen;
  for (uint64_t k = 0; k < 300; ++k) {
    Choices choices(11, k);
    const Graph graph = generate(choices, {GenerateProfile::All}).graph;
    const auto features = semantic_features(graph);
    EXPECT_GE(features.size(), graph.nodes.size());
    EXPECT_TRUE(std::ranges::all_of(features, [](uint16_t feature) { return feature < semantic_counters; }));
    seen.insert(features.begin(), features.end());
    count_semantic_coverage(graph);
  }
  // Many are reached, and not nearly all by a few graphs, after which nothing would be new.
  EXPECT_GT(seen.size(), semantic_counters / 8);
  EXPECT_LT(seen.size(), semantic_counters * 7 / 8);
}

TEST(SemanticCoverage, IsTheSameForTheSameGraphAndForOtherNames) {
  std::string renamed = writes_a_view;
  for (std::size_t at = 0; (at = renamed.find("%a", at)) != std::string::npos; ++at) renamed.replace(at, 2, "%z");
  renamed.replace(renamed.find("\"out\": \"a\""), 10, "\"out\": \"z\"");
  EXPECT_EQ(features_of(writes_a_view), features_of(renamed));
}

TEST(SemanticCoverage, SeesOpDtypeRankAndHowMemoryIsShared) {
  const auto features_of_one = [](const std::string& type, const std::string& op) {
    return features_of(R"({"inputs": {"x": {"type": ")" + type + R"("}}, "nodes": [{"out": "a", "op": "aten.)" + op +
                       R"(.default", "args": ["%x"]}], "outputs": ["%a"]})");
  };
  const auto usual = features_of_one("f32[4]", "neg");
  EXPECT_NE(usual, features_of_one("f32[4]", "abs"));
  EXPECT_NE(usual, features_of_one("f16[4]", "neg"));
  EXPECT_NE(usual, features_of_one("f32[2,2]", "neg"));
  EXPECT_EQ(usual, features_of_one("f32[5]", "neg"));

  const auto through_view = features_of(writes_a_view);
  const auto directly = features_of(writes_no_view);
  EXPECT_FALSE(std::ranges::includes(directly, through_view));
}

TEST(AliasRelationsByNode, NameTheNodeThatBringsThemAbout) {
  const Graph graph = graph_of(writes_a_view);
  const auto [found, by_node] = alias_relations_by_node(graph);
  const auto has = [&by_node](std::size_t node, AliasRelation relation) {
    return by_node[node][static_cast<std::size_t>(relation)];
  };
  ASSERT_EQ(by_node.size(), 3U);
  EXPECT_TRUE(by_node[0].none());
  EXPECT_TRUE(has(1, AliasRelation::ViewOfIntermediate));
  EXPECT_FALSE(has(1, AliasRelation::WriteThroughView));
  EXPECT_TRUE(has(2, AliasRelation::WriteThroughView));
  AliasRelations all;
  for (const AliasRelations& relations : by_node) all |= relations;
  EXPECT_EQ(all & found, all);
  EXPECT_EQ(found, alias_relations(graph));
}

}  // namespace
}  // namespace parallax
