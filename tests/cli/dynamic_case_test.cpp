// Cases with symbols on the command line: `check --sizes`, and bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/cli/command_line.h"

namespace {

using parallax::CommandLine;
using parallax::Ran;

constexpr const char* dynamic_case =
    R"({"parallax": 1, "name": "mean", "requires": ["runs", "symbols"], "symbols": {"B": [1, 9]}, "graph": {
  "inputs": {"x": {"type": "f32[B,3]"}},
  "nodes": [{"out": "a", "op": "aten.mean.dim", "args": ["%x", [0]]}], "outputs": ["%a"]},
  "runs": [{"feed": {"x": {"type": "f32[2,3]", "data": [1, 2, 3, 4, 5, 6]}}}]})";

TEST_F(CommandLine, CheckRunsACaseWithSymbolsAtManySizes) {
  write("mean.json", dynamic_case);
  const Ran ran = run("check mean.json --target portable --sizes 8");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("portable · match · at 8 sizes"));
  const Ran many = run("check mean.json --target portable --sizes 20");
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, testing::HasSubstr("--sizes 20: the case has 9 sizes and not 20: B in [1, 9]"));
}

// One line that names the symbol.
TEST_F(CommandLine, SymbolsThatContradictAreBadInput) {
  const std::array<std::array<const char*, 3>, 3> rows = {
      std::array{"[1, 9]", "[9, 1]", "B: [9, 1] has no members"},
      std::array{"f32[2,3]", "f32[10,3]", "B is 10, outside [1, 9]"},
      std::array{"f32[B,3]", "f32[2*B+1,3]", "2*B+1 is 2 for no size of B"},
  };
  for (const auto& [from, to, why] : rows) {
    std::string text = dynamic_case;
    text.replace(text.find(from), std::string(from).size(), to);
    write("bad.json", text);
    const Ran ran = run("check bad.json --target portable");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, testing::HasSubstr(why));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
}

}  // namespace
