// Planted faults of passes: on a small graph each gives wrong values, and the pass that it breaks is blamed.
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "backends/runtime/pass_checks.h"
#include "ops/profiles.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

struct Example {
  std::string fault;
  std::string pass;
  std::string graph;
  std::string feed;
};

const std::vector<Example> examples = {
    {"F04", "drop_dead_nodes",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "v", "op": "aten.view.default", "args": ["%x", [2]]},
                   {"out": "w", "op": "aten.neg_.default", "args": ["%x"]},
                   {"out": "a", "op": "aten.exp.default", "args": ["%v"]}],
         "outputs": ["%a"]})",
     R"({"x": [1, 2]})"},
    {"F05", "merge_common_calls",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.exp.default", "args": ["%x"]},
                   {"out": "w", "op": "aten.neg_.default", "args": ["%x"]},
                   {"out": "b", "op": "aten.exp.default", "args": ["%x"]}],
         "outputs": ["%a", "%b"]})",
     R"({"x": [1, 2]})"},
    {"F06", "functionalize",
     R"({"inputs": {"x": {"type": "f32[2,2]"}},
         "nodes": [{"out": "v", "op": "aten.select.int", "args": ["%x", 0, 1]},
                   {"out": "w", "op": "aten.neg_.default", "args": ["%v"]}],
         "outputs": ["%w"]})",
     R"({"x": [1, 2, 3, 4]})"},
    {"F06", "functionalize",
     R"({"inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%y"]},
                   {"out": "w", "op": "aten.copy_.default", "args": ["%x", "%a"]}],
         "outputs": ["%a"]})",
     R"({"x": [1, 2], "y": [3, 4]})"},
    {"F07", "simplify",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.mul.Scalar", "args": ["%x", 1.0]},
                   {"out": "w", "op": "aten.neg_.default", "args": ["%x"]},
                   {"out": "b", "op": "aten.exp.default", "args": ["%a"]}],
         "outputs": ["%b"]})",
     R"({"x": [1, 2]})"},
    {"F13", "simplify",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.mul.Scalar", "args": ["%x", 0.0]}],
         "outputs": ["%a"]})",
     R"({"x": [1, "nan"]})"},
    // Of floats the bound allows it: a value may be kept wider than its dtype.
    {"F14", "simplify",
     R"({"inputs": {"x": {"type": "i32[2]"}},
         "nodes": [{"out": "a", "op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "i8"}},
                   {"out": "b", "op": "aten._to_copy.default", "args": ["%a"], "kwargs": {"dtype": "i32"}}],
         "outputs": ["%b"]})",
     R"({"x": [7, 300]})"},
    {"F15", "decompose",
     R"({"inputs": {"x": {"type": "i32[2]"}, "y": {"type": "i32[2]"}},
         "nodes": [{"out": "a", "op": "aten.floor_divide.default", "args": ["%x", "%y"]},
                   {"out": "b", "op": "aten.remainder.Tensor", "args": ["%x", "%y"]}],
         "outputs": ["%a", "%b"]})",
     R"({"x": [-7, 7], "y": [2, -2]})"},
    {"F16", "decompose",
     R"({"inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.rsub.Tensor", "args": ["%x", "%y"]}],
         "outputs": ["%a"]})",
     R"({"x": [1, 2], "y": [3, 5]})"},
    {"F26", "simplify",
     R"({"inputs": {"x": {"type": "f32[2,2,2]"}},
         "nodes": [{"out": "a", "op": "aten.permute.default", "args": ["%x", [1, 2, 0]]},
                   {"out": "b", "op": "aten.permute.default", "args": ["%a", [0, 2, 1]]},
                   {"out": "c", "op": "aten.neg.default", "args": ["%b"]}],
         "outputs": ["%c"]})",
     R"({"x": [1, 2, 3, 4, 5, 6, 7, 8]})"},
    {"F27", "elide_copies",
     R"({"inputs": {"x": {"type": "f32[2,3]"}},
         "nodes": [{"out": "t", "op": "aten.permute.default", "args": ["%x", [1, 0]]},
                   {"out": "b", "op": "aten.clone.default", "args": ["%t"], "kwargs": {"memory_format": "contiguous_format"}},
                   {"out": "c", "op": "aten.neg.default", "args": ["%b"]},
                   {"out": "d", "op": "aten.as_strided.default", "args": ["%c", [6], [1]]}],
         "outputs": ["%d"]})",
     R"({"x": [1, 2, 3, 4, 5, 6]})"},
    {"F28", "sink_permutes",
     R"({"inputs": {"x": {"type": "f32[2,2]"}},
         "nodes": [{"out": "t", "op": "aten.permute.default", "args": ["%x", [1, 0]]},
                   {"out": "a", "op": "aten.sum.dim_IntList", "args": ["%t", [0]]}],
         "outputs": ["%a"]})",
     R"({"x": [1, 2, 3, 4]})"},
    {"F34", "merge_common_calls",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.zeros_like.default", "args": ["%x"]},
                   {"out": "b", "op": "aten.zeros_like.default", "args": ["%x"]},
                   {"out": "w", "op": "aten.add_.Tensor", "args": ["%a", "%x"]}],
         "outputs": ["%a", "%b"]})",
     R"({"x": [1, 2]})"},
    {"F37", "simplify",
     R"({"inputs": {"x": {"type": "f32[6]"}},
         "nodes": [{"out": "a", "op": "aten.slice.Tensor", "args": ["%x", 0, 0, 6, 2]},
                   {"out": "b", "op": "aten.slice.Tensor", "args": ["%a", 0, 1, 2]},
                   {"out": "c", "op": "aten.neg.default", "args": ["%b"]}],
         "outputs": ["%c"]})",
     R"({"x": [1, 2, 3, 4, 5, 6]})"},
    {"F38", "decompose",
     R"({"inputs": {"x": {"type": "f32[2,2]"}, "y": {"type": "f32[2,2]"}, "b": {"type": "f32[2]"}},
         "nodes": [{"out": "a", "op": "aten.addmm.default", "args": ["%b", "%x", "%y"]},
                   {"out": "c", "op": "aten.linear.default", "args": ["%x", "%y", "%b"]}],
         "outputs": ["%a", "%c"]})",
     R"({"x": [1, 2, 3, 4], "y": [1, 0, 0, 1], "b": [10, 20]})"},
    {"F43", "functionalize",
     R"({"inputs": {"x": {"type": "f32[1]"}, "at": {"type": "i64[1]"}},
         "buffers": {"s": {"type": "f32[3]", "data": [1, 2, 3]}},
         "nodes": [{"out": "w", "op": "aten.index_copy_.default", "args": ["%s", 0, "%at", "%x"]},
                   {"out": "a", "op": "aten.exp.default", "args": ["%w"]}],
         "outputs": ["%a"]})",
     R"({"x": [4], "at": [1]})"},
    {"F44", "functionalize",
     R"({"inputs": {"x": {"type": "f32[1]"}},
         "buffers": {"s": {"type": "f32[3]", "data": [1, 2, 3]}},
         "nodes": [{"out": "v", "op": "aten.slice.Tensor", "args": ["%s", 0, 2, 3]},
                   {"out": "w", "op": "aten.copy_.default", "args": ["%v", "%x"]}],
         "outputs": ["%w"]})",
     R"({"x": [4]})"},
    {"F45", "functionalize",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "buffers": {"s": {"type": "f32[2]", "data": [1, 2]}},
         "nodes": [{"out": "a", "op": "aten.mul.Tensor", "args": ["%x", "%s"]},
                   {"out": "w", "op": "aten.copy_.default", "args": ["%s", "%x"]}],
         "outputs": ["%a"]})",
     R"({"x": [4, 5]})"},
    {"F46", "functionalize",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "buffers": {"s": {"type": "f32[2]", "data": [1, 2]}, "t": {"type": "f32[2]", "data": [3, 4]}},
         "nodes": [{"out": "v", "op": "aten.add_.Tensor", "args": ["%s", "%x"]},
                   {"out": "w", "op": "aten.add_.Tensor", "args": ["%t", "%x"]}],
         "outputs": ["%x"]})",
     R"({"x": [4, 5]})"},
    {"F47", "functionalize",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "buffers": {"at": {"type": "i64[1]", "data": [0]}},
         "nodes": [{"out": "a", "op": "aten.index_select.default", "args": ["%x", 0, "%at"]},
                   {"out": "n", "op": "aten.fill_.Scalar", "args": ["%at", 1]}],
         "outputs": ["%a"]})",
     R"({"x": [4, 5]})"},
    {"F48", "functionalize",
     R"({"inputs": {"x": {"type": "f32[2]"}},
         "buffers": {"s": {"type": "f32[2]", "data": [1, 2]}},
         "nodes": [{"out": "a", "op": "aten.clone.default", "args": ["%s"]},
                   {"out": "w", "op": "aten.add_.Tensor", "args": ["%s", "%x"]}],
         "outputs": ["%a"]})",
     R"({"x": [4, 5]})"},
};

TEST(PassFaults, GiveWrongValuesAndAreBlamedOnTheirPass) {
  for (const Example& example : examples) {
    SCOPED_TRACE(example.fault);
    const Case test = testing::case_of(example.graph, example.feed);
    CompiledTargetOptions options;
    const Examination right = examine(*make_compiled_target("portable", options).value(), test);
    EXPECT_EQ(right.judgement.verdict, Verdict::Match) << right.judgement.reason;
    options.faults = FaultSet::of(std::vector<std::string>{example.fault}).value();
    const Examination wrong = examine(*make_compiled_target("portable", options).value(), test);
    EXPECT_EQ(wrong.outcome.status, Status::Ok) << wrong.outcome.message;
    EXPECT_EQ(wrong.judgement.verdict, Verdict::Mismatch) << wrong.judgement.reason;
    CompileOptions compiled;
    compiled.faults = options.faults;
    const std::vector<PassFailure> failures = check_passes(test, compiled, *find_profile("portable"));
    ASSERT_FALSE(failures.empty());
    EXPECT_EQ(failures.front().pass, example.pass) << failures.front().what;
  }
}

}  // namespace
}  // namespace parallax
