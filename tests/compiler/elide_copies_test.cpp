// Copy elision: which copies go, and which have to stay.
#include <gtest/gtest.h>

#include "compiler/passes.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

struct Example {
  std::string name;
  std::string nodes;
  std::string outputs;
  std::string ops;  // after the pass
};

// Over x: f32[2,3] and y: f32[2,3].
const std::vector<Example> examples = {
    {"a copy that only our ops read",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "b", "op": "aten.clone.default", "args": ["%a"]},
        {"out": "c", "op": "aten.neg.default", "args": ["%b"]})",
     R"("%c", "%a")", "neg alias neg"},
    {"a copy of an input that only our ops read",
     R"({"out": "b", "op": "aten.lift_fresh_copy.default", "args": ["%x"]},
        {"out": "c", "op": "aten.neg.default", "args": ["%b"]})",
     R"("%c")", "alias neg"},
    {"the copy alone is returned",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "b", "op": "aten.clone.default", "args": ["%a"]})",
     R"("%b")", "neg alias"},
    {"both are returned",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "b", "op": "aten.clone.default", "args": ["%a"]})",
     R"("%a", "%b")", "neg clone"},
    {"a view of the copy and a view of its source are returned",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "v", "op": "aten.select.int", "args": ["%a", 0, 0]},
        {"out": "b", "op": "aten.clone.default", "args": ["%a"]},
        {"out": "w", "op": "aten.select.int", "args": ["%b", 0, 1]})",
     R"("%v", "%w")", "neg select clone select"},
    {"one of two copies may be returned beside the other's source",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "b", "op": "aten.clone.default", "args": ["%a"]},
        {"out": "c", "op": "aten.clone.default", "args": ["%a"]})",
     R"("%b", "%c")", "neg alias clone"},
    {"a copy of an input is returned", R"({"out": "b", "op": "aten.clone.default", "args": ["%x"]})", R"("%b")",
     "clone"},
    {"a copy of an input that is written later, read before",
     R"({"out": "b", "op": "aten.clone.default", "args": ["%x"]},
        {"out": "c", "op": "aten.neg.default", "args": ["%b"]},
        {"out": "w", "op": "aten.copy_.default", "args": ["%x", "%c"]})",
     R"("%c")", "alias neg copy_"},
    {"a copy of an input that is written later, read after",
     R"({"out": "b", "op": "aten.clone.default", "args": ["%x"]},
        {"out": "w", "op": "aten.copy_.default", "args": ["%x", "%y"]},
        {"out": "c", "op": "aten.copy_.default", "args": ["%y", "%b"]})",
     R"("%w")", "clone copy_ copy_"},
    {"a copy into a copy that is written",
     R"({"out": "b", "op": "aten.clone.default", "args": ["%y"]},
        {"out": "w", "op": "aten.copy_.default", "args": ["%b", "%x"]},
        {"out": "c", "op": "aten.neg.default", "args": ["%b"]})",
     R"("%c")", "clone copy_ neg"},
    {"other strides, which no reader minds",
     R"({"out": "t", "op": "aten.permute.default", "args": ["%x", [1, 0]]},
        {"out": "b", "op": "aten.clone.default", "args": ["%t"], "kwargs": {"memory_format": "contiguous_format"}},
        {"out": "c", "op": "aten.neg.default", "args": ["%b"]})",
     R"("%c")", "permute alias neg"},
    {"other strides, under which a view is none",
     R"({"out": "t", "op": "aten.permute.default", "args": ["%x", [1, 0]]},
        {"out": "b", "op": "aten.clone.default", "args": ["%t"], "kwargs": {"memory_format": "contiguous_format"}},
        {"out": "c", "op": "aten.view.default", "args": ["%b", [6]]},
        {"out": "d", "op": "aten.neg.default", "args": ["%c"]})",
     R"("%d")", "permute clone view neg"},
    {"other strides, under which a reshape would no longer share memory with what is returned",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "t", "op": "aten.permute.default", "args": ["%a", [1, 0]]},
        {"out": "b", "op": "aten.clone.default", "args": ["%t"], "kwargs": {"memory_format": "contiguous_format"}},
        {"out": "c", "op": "aten.reshape.default", "args": ["%b", [6]]})",
     R"("%c", "%b")", "neg permute clone reshape"},
    {"other strides, which as_strided reads through an op that keeps them",
     R"({"out": "t", "op": "aten.permute.default", "args": ["%x", [1, 0]]},
        {"out": "b", "op": "aten.clone.default", "args": ["%t"], "kwargs": {"memory_format": "contiguous_format"}},
        {"out": "c", "op": "aten.neg.default", "args": ["%b"]},
        {"out": "d", "op": "aten.as_strided.default", "args": ["%c", [6], [1]]})",
     R"("%d")", "permute clone neg as_strided"},
    {"the copying twin of a view, and a cast to the same dtype",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "b", "op": "aten.view_copy.default", "args": ["%a", [6]]},
        {"out": "c", "op": "aten._to_copy.default", "args": ["%b"], "kwargs": {"dtype": "f32"}},
        {"out": "d", "op": "aten._to_copy.default", "args": ["%c"], "kwargs": {"dtype": "f64"}})",
     R"("%d")", "neg view alias _to_copy"},
    {"a copy of the whole source, but not one that repeats it",
     R"({"out": "a", "op": "aten.neg.default", "args": ["%x"]},
        {"out": "s", "op": "aten.select.int", "args": ["%a", 0, 0]},
        {"out": "b", "op": "aten.copy.default", "args": ["%y", "%a"]},
        {"out": "c", "op": "aten.copy.default", "args": ["%y", "%s"]},
        {"out": "d", "op": "aten.add.Tensor", "args": ["%b", "%c"]})",
     R"("%d")", "neg select alias copy add"},
    {"an addition of zero is no copy", R"({"out": "b", "op": "aten.add.Scalar", "args": ["%x", 0]})", R"("%b")", "add"},
};

TEST(ElideCopies, MakesAliasesOnlyWhereNobodyCanTell) {
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);
    const Case test =
        testing::case_of(R"({"inputs": {"x": {"type": "f32[2,3]"}, "y": {"type": "f32[2,3]"}}, "nodes": [)" +
                             example.nodes + R"(], "outputs": [)" + example.outputs + "]}",
                         R"({"x": [1, 2, 3, 4, 5, 6], "y": [6, 5, 4, 3, 2, 1]})");
    const Result<Graph> elided = elide_copies(test.graph);
    ASSERT_TRUE(elided) << elided.error().text();
    EXPECT_EQ(testing::ops_of(*elided), example.ops);
  }
}

}  // namespace
}  // namespace parallax
