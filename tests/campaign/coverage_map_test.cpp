#include "fuzz/campaign/coverage_map.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

// A view of an input that is written through, and its sum in another dtype.
Graph written_view() {
  return parse_case(
             R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[2,2]"}}, "nodes": [
               {"out": "a", "op": "aten.t.default", "args": ["%x"]},
               {"out": "b", "op": "aten.neg_.default", "args": ["%a"]},
               {"out": "c", "op": "aten.eq.Tensor", "args": ["%b", "%b"]}], "outputs": ["%c"]},
               "feed": {"x": [1, 2, 3, 4]}})")
      ->graph;
}

const CoverageMap::Cell& cell(const CoverageMap& map, const char* op, DType dtype) {
  return map.ops().at(op)[static_cast<std::size_t>(dtype)];
}

bool has(const CoverageMap::Cell& cell, AliasRelation relation) {
  return cell.relations[static_cast<std::size_t>(relation)];
}

void add(CoverageMap& map, const Graph& graph, bool is_undecided = false) {
  map.add(graph, alias_relations_by_node(graph).by_node, is_undecided);
}

TEST(CoverageMapTest, CountsByTheDtypeOfWhatComesOut) {
  CoverageMap map;
  add(map, written_view());
  add(map, written_view());
  EXPECT_EQ(cell(map, "aten.t.default", DType::F32).nodes, 2);
  EXPECT_TRUE(has(cell(map, "aten.t.default", DType::F32), AliasRelation::ViewOfInput));
  EXPECT_TRUE(has(cell(map, "aten.neg_.default", DType::F32), AliasRelation::WriteThroughView));
  EXPECT_EQ(cell(map, "aten.eq.Tensor", DType::Bool).nodes, 2);
  EXPECT_EQ(cell(map, "aten.eq.Tensor", DType::F32).nodes, 0);
}

TEST(CoverageMapTest, ComesBackFromItsJsonAndAddsUp) {
  CoverageMap map;
  add(map, written_view());
  const CoverageMap read = CoverageMap::from_json(map.to_json());
  EXPECT_EQ(read, map);
  CoverageMap both = read;
  both.add(map);
  EXPECT_EQ(cell(both, "aten.t.default", DType::F32).nodes, 2);
  EXPECT_EQ(cell(both, "aten.t.default", DType::F32).relations, cell(map, "aten.t.default", DType::F32).relations);
}

TEST(CoverageMapTest, CountsWhatEndedUndecided) {
  CoverageMap map = CoverageMap::from_json(nlohmann::json::parse(R"({"aten.neg.default": {"f32": [5, []]}})"));
  EXPECT_EQ(cell(map, "aten.neg.default", DType::F32).undecided, 0);  // of a campaign that did not count it
  const auto test = parse_case(R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, 2]}})");
  ASSERT_TRUE(test);
  add(map, test->graph, true);
  add(map, test->graph);
  map.add(CoverageMap::from_json(map.to_json()));
  EXPECT_EQ(cell(map, "aten.neg.default", DType::F32).nodes, 14);
  EXPECT_EQ(cell(map, "aten.neg.default", DType::F32).undecided, 2);
}

TEST(CoverageMapTest, WhatALaterVersionCountsIsLeftOut) {
  const CoverageMap map =
      CoverageMap::from_json(nlohmann::json::parse(R"({"a": {"f32": [3, ["view-of-dream"]], "f128": [1, []]}})"));
  EXPECT_EQ(cell(map, "a", DType::F32).nodes, 3);
  EXPECT_TRUE(cell(map, "a", DType::F32).relations.none());
  EXPECT_THROW(CoverageMap::from_json(nlohmann::json::parse(R"({"a": {"f32": []}})")), nlohmann::json::exception);
}

}  // namespace
}  // namespace parallax
