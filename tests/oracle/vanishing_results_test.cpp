// Where two numbers that are not exact nearly cancel, their difference may be 0 in an implementation.
#include "oracle/vanishing_results.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "ops/profiles.h"

namespace parallax {
namespace {

TEST(VanishingResults, OfADifferenceOfInexactNumbersThatLieClose) {
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "close", "graph": {
    "inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}}, "nodes": [
      {"out": "exact", "op": "aten.sub.Tensor", "args": ["%x", "%y"]},
      {"out": "a", "op": "aten.sin.default", "args": ["%x"]},
      {"out": "b", "op": "aten.sin.default", "args": ["%y"]},
      {"out": "c", "op": "aten.rsub.Tensor", "args": ["%a", "%b"]},
      {"out": "d", "op": "aten.mul.Tensor", "args": ["%a", "%b"]}], "outputs": ["%exact", "%c", "%d"]},
    "feed": {"x": [1, 1], "y": [1.00000012, 2]}})");
  ASSERT_TRUE(test) << test.error().text();
  const VanishingResults vanishing = VanishingResults::of(*find_profile("portable"), *test);
  const auto reaches = [&](std::size_t visit) { return vanishing.reaches(visit, *test->graph.nodes[visit].op); };
  ASSERT_EQ(reaches(0).size(), 2U);
  EXPECT_EQ(reaches(0)[0], 0) << "exact numbers differ in every implementation";
  ASSERT_EQ(reaches(3).size(), 2U);
  EXPECT_GT(reaches(3)[0], 1e-7F);
  EXPECT_LT(reaches(3)[0], 1e-5F);
  EXPECT_EQ(reaches(3)[1], 0) << "sin(1) and sin(2) are far apart";
  EXPECT_TRUE(reaches(4).empty()) << "a product cancels nothing";
  EXPECT_TRUE(vanishing.reaches(3, *test->graph.nodes[4].op).empty()) << "another op's visit";
}

// Those of a branch are counted by nobody; the sum before it has elements of its own.
TEST(VanishingResults, OfABranchNothingIsKnown) {
  std::string sizes = "1";
  for (int i = 1; i < 64; ++i) sizes += ", 1";
  const Result<Case> test = parse_case(fmt::format(R"({{"parallax": 1, "name": "branch", "requires": ["subgraphs"],
    "graph": {{"inputs": {{"x": {{"type": "f32[1]"}}, "y": {{"type": "f32[64]"}}, "p": {{"type": "bool[]"}}}}, "nodes": [
      {{"out": "sum", "op": "aten.add.Tensor", "args": ["%x", "%x"]}},
      {{"out": "c", "op": "cond", "args": ["%p", {{"graph": "then"}}, {{"graph": "else"}}, ["%y"]]}},
      {{"out": "c0", "op": "getitem", "args": ["%c", 0]}},
      {{"out": "d", "op": "aten.sub.Tensor", "args": ["%c0", "%x"]}}], "outputs": ["%sum", "%d"],
      "subgraphs": {{
        "then": {{"inputs": {{"a": {{"type": "f32[64]"}}}}, "nodes": [
          {{"out": "b", "op": "aten.add.Tensor", "args": ["%a", "%a"]}}], "outputs": ["%b"]}},
        "else": {{"inputs": {{"a": {{"type": "f32[64]"}}}}, "nodes": [], "outputs": ["%a"]}}}}}},
    "feed": {{"x": [1], "y": [{}], "p": [true]}}}})",
                                                   sizes));
  ASSERT_TRUE(test) << test.error().text();
  const VanishingResults vanishing = VanishingResults::of(*find_profile("portable"), *test);
  EXPECT_EQ(vanishing.reaches(0, *test->graph.nodes.front().op).size(), 1U);
  EXPECT_EQ(vanishing.reaches(1, *test->graph.nodes.back().op).size(), 64U);
}

}  // namespace
}  // namespace parallax
