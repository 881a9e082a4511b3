// Where two numbers that are not exact nearly cancel, their difference may be 0 in an implementation.
#include "oracle/vanishing_results.h"

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

}  // namespace
}  // namespace parallax
