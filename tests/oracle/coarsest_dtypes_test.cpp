#include "oracle/coarsest_dtypes.h"

#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/recorded_target.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

// A case over f32[4], with these nodes and outputs as JSON.
Case program_of(const std::string& nodes, const std::string& outputs, const std::string& more = "") {
  Result<Case> test =
      parse_case(R"({"parallax":1,"name":"c","graph":{"inputs":{"x":{"type":"f32[4]"}},"nodes":[)" + nodes +
                     R"(],"outputs":[)" + outputs + R"(]},"feed":{"x":[0.1,0.7,1.3,-2.9]})" + more + "}",
                 "c.json");
  EXPECT_TRUE(test) << test.error().text();
  return *std::move(test);
}

// That of the first output.
DType coarsest_of(const std::string& nodes, const std::string& output) {
  const Case test = program_of(nodes, "\"" + output + "\"");
  const std::vector<DType> coarsest = coarsest_dtypes(test.graph);
  return coarsest.empty() ? DType::F64 : coarsest[test.graph.meta(test.graph.outputs[0]).storage.index];
}

std::string cast_of(const std::string& out, const std::string& of, const std::string& dtype) {
  return R"({"out":")" + out + R"(","op":"aten._to_copy.default","args":["%)" + of + R"("],"kwargs":{"dtype":")" +
         dtype + R"("}})";
}
std::string exp_of(const std::string& out, const std::string& of) {
  return R"({"out":")" + out + R"(","op":"aten.exp.default","args":["%)" + of + R"("]})";
}

TEST(CoarsestDtypes, FollowWhatIsComputed) {
  EXPECT_EQ(coarsest_of(exp_of("y", "x"), "%y"), DType::F64) << "no f16 and no bf16 is in it";
  EXPECT_EQ(coarsest_of(cast_of("h", "x", "bf16") + "," + exp_of("y", "x"), "%y"), DType::F64);
  EXPECT_EQ(coarsest_of(cast_of("h", "x", "bf16") + "," + cast_of("w", "h", "f32") + "," + exp_of("y", "w"), "%y"),
            DType::BF16);
  EXPECT_EQ(
      coarsest_of(cast_of("h", "x", "bf16") + "," + cast_of("q", "h", "f16") + "," + cast_of("y", "q", "f32"), "%y"),
      DType::BF16);
  EXPECT_EQ(coarsest_of(cast_of("h", "x", "f16") + "," + cast_of("y", "h", "f64"), "%y"), DType::F16);
}

TEST(CoarsestDtypes, EndAtIntegers) {
  EXPECT_EQ(
      coarsest_of(cast_of("h", "x", "bf16") + "," + cast_of("i", "h", "i32") + "," + cast_of("y", "i", "f32"), "%y"),
      DType::F64);
}

TEST(CoarsestDtypes, PassThroughViewsAndWrites) {
  const std::string half = cast_of("h", "x", "f16") + R"(,{"out":"v","op":"aten.view.default","args":["%h",[2,2]]},)" +
                           cast_of("w", "v", "f32") + R"(,{"out":"z","op":"aten.mul.Scalar","args":["%x",3.0]},)" +
                           R"({"out":"s","op":"aten.view.default","args":["%z",[2,2]]},)";
  EXPECT_EQ(coarsest_of(half + R"({"out":"t","op":"aten.add_.Tensor","args":["%s","%w"]})", "%z"), DType::F16);
}

// Cast to bf16 and multiplied there, as autocast does it: no legal result is sharper than bf16. The same spread is
// undecided where the program says f32 throughout.
TEST(CoarsestDtypes, AnF32OfHalvesIsAskedForWhatHalvesShow) {
  const std::string through_halves = cast_of("h", "x", "bf16") + "," + exp_of("e", "h") + "," + exp_of("f", "e") + "," +
                                     cast_of("w", "f", "f32") +
                                     R"(,{"out":"y","op":"aten.mul.Tensor","args":["%w","%x"]})";
  const auto judged = [&](double factor) {
    Case test = program_of(through_halves, R"("%y")", R"(,"expect":[{"type":"f32[4]","data":[0,0,0,0]}])");
    const double right[] = {0.302, 5.25, 51.0, -3.06};
    for (int64_t i = 0; i < 4; ++i) (*test.expect.outputs)[0].set_double(i, factor * right[i]);
    return examine(*make_recorded_target(), test).judgement;
  };
  const Judgement match = judged(1);
  EXPECT_EQ(match.verdict, Verdict::Match) << match.reason;
  EXPECT_EQ(judged(1.25).verdict, Verdict::Mismatch);
}

}  // namespace
}  // namespace parallax
