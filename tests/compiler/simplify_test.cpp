// Simplify: which calls become simpler ones, and which must not.
#include <gtest/gtest.h>

#include "compiler/simplify_rules.h"
#include "tests/support/pass_examples.h"

namespace parallax {
namespace {

const char* const sources =
    R"("inputs": {"x": {"type": "f32[2,3]"}, "i": {"type": "i32[2,3]"}, "m": {"type": "bool[2,3]"},
                                          "c": {"type": "f32[2,2,2]"}},
                               "constants": {"one": {"type": "f32[2,3]", "data": [1, 1, 1, 1, 1, 1]}})";
const char* const feed = R"({"x": [1, 2, 3, 4, 5, 6], "i": [1, 2, 3, 4, 5, 6],
                             "m": [true, false, true, false, true, false], "c": [1, 2, 3, 4, 5, 6, 7, 8]})";

std::string call(const std::string& out, const std::string& op, const std::string& args) {
  return R"({"out": ")" + out + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
}

std::string cast(const std::string& out, const std::string& of, const std::string& dtype) {
  return R"({"out": ")" + out + R"(", "op": "aten._to_copy.default", "args": [")" + of +
         R"("], "kwargs": {"dtype": ")" + dtype + R"("}})";
}

TEST(Simplify, DoesWhatHoldsForEveryNumber) {
  const std::vector<testing::PassExample> examples = {
      {"times one", call("a", "mul.Scalar", R"("%x", 1.0)"), R"("%a")", "clone"},
      {"times a constant of ones", call("a", "mul.Tensor", R"("%x", "%one")"), R"("%a")", "clone"},
      {"over one", call("a", "div.Scalar", R"("%x", 1)"), R"("%a")", "clone"},
      {"over one, into another dtype", call("a", "div.Scalar", R"("%i", 1)"), R"("%a")", "div"},
      {"plus zero loses the sign of zero", call("a", "add.Scalar", R"("%x", 0.0)"), R"("%a")", "add"},
      {"plus zero of integers", call("a", "add.Scalar", R"("%i", 0)"), R"("%a")", "clone"},
      {"less zero", call("a", "sub.Scalar", R"("%x", 0.0)"), R"("%a")", "clone"},
      {"x - x of floats may be NaN", call("a", "sub.Tensor", R"("%x", "%x")"), R"("%a")", "sub"},
      {"x - x of integers", call("a", "sub.Tensor", R"("%i", "%i")"), R"("%a")", "zeros_like"},
      {"x * 0 of floats may be NaN", call("a", "mul.Scalar", R"("%x", 0)"), R"("%a")", "mul"},
      {"x * 0 of integers", call("a", "mul.Scalar", R"("%i", 0)"), R"("%a")", "zeros_like"},
      {"log(exp(x)) may overflow", call("a", "exp.default", R"("%x")") + "," + call("b", "log.default", R"("%a")"),
       R"("%b")", "exp log"},
      {"a double negation", call("a", "neg.default", R"("%x")") + "," + call("b", "neg.default", R"("%a")"), R"("%b")",
       "neg clone"},
      {"a double not of bools",
       call("a", "logical_not.default", R"("%m")") + "," + call("b", "logical_not.default", R"("%a")"), R"("%b")",
       "logical_not clone"},
      {"a double not of numbers",
       call("a", "logical_not.default", R"("%x")") + "," + call("b", "logical_not.default", R"("%a")"), R"("%b")",
       "logical_not logical_not"},
      {"the magnitude of -x", call("a", "neg.default", R"("%x")") + "," + call("b", "abs.default", R"("%a")"),
       R"("%b")", "neg abs"},
      {"the larger of x and x", call("a", "maximum.default", R"("%x", "%x")"), R"("%a")", "clone"},
      {"where, of the same twice", call("a", "where.self", R"("%m", "%x", "%x")"), R"("%a")", "clone"},
      {"where, of a constant condition",
       call("t", "zeros_like.default", R"("%m")") + "," + call("a", "where.self", R"("%t", "%x", "%one")"), R"("%a")",
       "zeros_like clone"},
      {"one tensor joined", call("a", "cat.default", R"(["%x"])"), R"("%a")", "clone"},
  };
  testing::expect_ops(by_graph<simplify>, {}, sources, feed, examples);
}

TEST(Simplify, SkipsCastsThatKeepEveryNumber) {
  const std::vector<testing::PassExample> examples = {
      {"through a wider dtype", cast("a", "%x", "f64") + "," + cast("b", "%a", "f16"), R"("%b")", "_to_copy _to_copy"},
      {"through a narrower dtype", cast("a", "%x", "f16") + "," + cast("b", "%a", "f32"), R"("%b")",
       "_to_copy _to_copy"},
  };
  testing::expect_ops(by_graph<simplify>, {}, sources, feed, examples);
  const Case wide = testing::case_of(R"({"inputs": {"x": {"type": "f32[2]"}}, "nodes": [)" + cast("a", "%x", "f64") +
                                         "," + cast("b", "%a", "f16") + R"(], "outputs": ["%b"]})",
                                     R"({"x": [1, 2]})");
  const Graph simple = simplify(wide.graph).value();
  EXPECT_EQ(std::get<ValueId>(simple.nodes.back().arguments[0]), simple.sources[0].value);
}

TEST(Simplify, KnowsWhichDtypesHoldWhich) {
  EXPECT_TRUE(holds_all(DType::F16, DType::U8));
  EXPECT_TRUE(holds_all(DType::BF16, DType::I8));
  EXPECT_FALSE(holds_all(DType::BF16, DType::I16));
  EXPECT_FALSE(holds_all(DType::F32, DType::I32));
  EXPECT_TRUE(holds_all(DType::F64, DType::I32));
  EXPECT_FALSE(holds_all(DType::F16, DType::BF16)) << "a wider range";
  EXPECT_FALSE(holds_all(DType::BF16, DType::F16)) << "more digits";
  EXPECT_FALSE(holds_all(DType::U8, DType::I8));
  EXPECT_FALSE(holds_all(DType::Bool, DType::U8));
  EXPECT_TRUE(holds_all(DType::I8, DType::Bool));
}

TEST(Simplify, PutsViewsTogether) {
  const std::vector<testing::PassExample> examples = {
      {"a transposition undone", call("a", "transpose.int", R"("%x", 0, 1)") + "," + call("b", "t.default", R"("%a")"),
       R"("%b")", "transpose alias"},
      {"two rotations",
       call("a", "permute.default", R"("%c", [1, 2, 0])") + "," + call("b", "permute.default", R"("%a", [1, -1, 0])") +
           "," + call("d", "neg.default", R"("%b")"),
       R"("%d")", "permute permute neg"},
      {"slices with a step",
       call("a", "slice.Tensor", R"("%x", 1, 0, 3, 2)") + "," + call("b", "slice.Tensor", R"("%a", 1, 1, 9)") + "," +
           call("d", "neg.default", R"("%b")"),
       R"("%d")", "slice slice neg"},
      {"views", call("a", "view.default", R"("%x", [6])") + "," + call("b", "view.default", R"("%a", [3, 2])"),
       R"("%b")", "view view"},
      {"a view undone, of our own value",
       call("n", "neg.default", R"("%x")") + "," + call("a", "view.default", R"("%n", [6])") + "," +
           call("b", "view.default", R"("%a", [2, 3])"),
       R"("%b")", "neg view"},
      {"expansions",
       call("a", "expand.default", R"("%x", [2, 2, 3])") + "," + call("b", "expand.default", R"("%a", [4, 2, 2, 3])"),
       R"("%b")", "expand expand"},
  };
  testing::expect_ops(by_graph<simplify>, {}, sources, feed, examples);
}

TEST(Simplify, ComposesSlicesAndPermutations) {
  const Case test = testing::case_of(
      std::string("{") + sources + R"(, "nodes": [)" + call("a", "slice.Tensor", R"("%x", 1, 0, 3, 2)") + "," +
          call("b", "slice.Tensor", R"("%a", -1, 1, 9)") + "," + call("p", "permute.default", R"("%c", [1, 2, 0])") +
          "," + call("q", "permute.default", R"("%p", [0, 2, 1])") + R"(], "outputs": ["%b", "%q"]})",
      feed);
  const Graph simple = simplify(test.graph).value();
  const Node& slice = simple.nodes[1];
  EXPECT_EQ(simple.name(std::get<ValueId>(slice.arguments[0])), "x");
  EXPECT_EQ(as_integer(std::get<Scalar>(slice.arguments[2])), 2);
  EXPECT_EQ(as_integer(std::get<Scalar>(slice.arguments[4])), 2);
  const Node& permute = simple.nodes[3];
  EXPECT_EQ(simple.name(std::get<ValueId>(permute.arguments[0])), "c");
  EXPECT_EQ(std::get<IntList>(permute.arguments[1]), (IntList{1, 0, 2}));
}

TEST(Simplify, DoesNotLookThroughAWrite) {
  const Case test =
      testing::case_of(std::string("{") + sources + R"(, "nodes": [)" + call("a", "neg.default", R"("%x")") + "," +
                           call("w", "relu_.default", R"("%x")") + "," + call("b", "neg.default", R"("%a")") +
                           R"(], "outputs": ["%b"]})",
                       feed);
  EXPECT_EQ(testing::ops_of(simplify(test.graph).value()), "neg relu_ neg");
}

}  // namespace
}  // namespace parallax
