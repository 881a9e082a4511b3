// Every form of the table: what takes it lies within the bounds where a profile allows it, and only there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/case.h"
#include "graph/case_json.h"
#include "ops/families.h"
#include "ops/profiles.h"
#include "ops/registry.h"
#include "oracle/acceptance.h"
#include "oracle/interpreter.h"
#include "tests/ops/op_harness.h"
#include "tests/soundness/form_twins.h"

namespace parallax {
namespace {

const Profile& eager() { return *find_profile("eager"); }

Profile allowing(Form form) {
  Profile profile = eager();
  allow(profile, form);
  return profile;
}

TEST(Forms, AreNamedOnceAndBelongToFamilies) {
  std::set<std::string_view> names;
  for (const FormInfo& row : forms) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(parse_form(row.name), row.form);
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos) << row.name;
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.name;
    const auto has = [&](const OpFamily& family) { return applies(row.form, family.name); };
    // As many families as the row lists: none is misspelt.
    const auto listed = std::ranges::count(row.families, ',') + 1;
    EXPECT_EQ(std::ranges::count_if(op_families, has),
              row.families == "all" ? static_cast<std::ptrdiff_t>(op_families.size()) : listed)
        << row.name;
  }
  EXPECT_FALSE(parse_form("all").has_value());
}

TEST(Forms, EachIsAllowedBySomeBuiltInProfile) {
  for (const FormInfo& row : forms) {
    EXPECT_TRUE(std::ranges::any_of(profile_names(), [&](const std::string& name) {
      return find_profile(name)->allowed.anywhere().has(row.form);
    })) << row.name;
  }
}

TEST(Forms, EachHasATwinThatIsCaughtOnlyWhereItIsNotAllowed) {
  for (const FormInfo& row : forms) {
    const Profile with = allowing(row.form);
    int twins = 0;
    for (const FormTwin& twin : form_twins()) {
      if (twin.form != row.form) continue;
      ++twins;
      int caught = 0;
      for (uint64_t implementation = 0; implementation < 30; ++implementation) {
        EXPECT_FALSE(twin.outside(with, with, implementation)) << row.name << ": " << twin.what;
        EXPECT_FALSE(twin.outside(eager(), eager(), implementation)) << row.name << ": " << twin.what;
        // One that computes in a wider format loses nothing by the form.
        caught += twin.outside(with, eager(), implementation);
      }
      EXPECT_GE(caught, 3) << row.name << ": " << twin.what;
    }
    EXPECT_GE(twins, 1) << row.name << " needs a twin in form_twins.cpp";
  }
}

// A leeway holds for the op and the dtype that it is given for, in place too, and for no other.
TEST(Forms, HoldWhereTheyAreAllowed) {
  Profile profile = eager();
  for (const char* op : {"aten.cumsum.default", "aten.cumsum_.default"}) {
    allow(profile, Form::AccumulateInHalf, *find_op(op), std::array{DType::F16});
  }
  const auto radius = [&](const Profile& under, const char* op, DType dtype) {
    OpHarness harness(under);
    const ValueId x = harness.add(dtype, {64}, std::vector<double>(64, 1.0009765625));
    return harness.ball(*harness.call(op, {x, Scalar(int64_t{0})}), 63).radius;
  };
  for (const char* op : {"aten.cumsum.default", "aten.cumsum_.default"}) {
    EXPECT_GT(radius(profile, op, DType::F16), 4 * radius(eager(), op, DType::F16)) << op;
    EXPECT_EQ(radius(profile, op, DType::BF16), radius(eager(), op, DType::BF16)) << op;
  }
  EXPECT_EQ(radius(profile, "aten.cumprod.default", DType::F16), radius(eager(), "aten.cumprod.default", DType::F16));
}

// y of a chain of constants, and its ball.
Ball chained(const Profile& profile, std::string_view type, std::string_view nodes, double x,
             std::string_view more = "", std::string_view needs = "") {
  Result<Case> test = parse_case(fmt::format(
      R"({{"parallax": 1, "name": "chain"{}, "graph": {{"inputs": {{"x": {{"type": "{}[1]"}}}}{}, "nodes": [{}],
           "outputs": ["%y"]}}, "feed": {{"x": [{}]}}}})",
      needs, type, more, nodes, x));
  EXPECT_TRUE(test.has_value()) << test.error().text();
  return Interpreter(test->graph, profile).run(test->feed).value().outputs[0].balls[0];
}

constexpr std::string_view joined = R"({"out": "a", "op": "aten.sub.Scalar", "args": ["%x", 1]},
    {"out": "b", "op": "aten.sub.Scalar", "args": ["%a", 0.1]},
    {"out": "c", "op": "aten.mul.Scalar", "args": ["%b", 2]},
    {"out": "y", "op": "aten.rsub.Scalar", "args": ["%c", 2]})";

// -2 x + 4.2 is within the bounds, and a constant that is wrong in its 20th bit is not.
TEST(JoinedConstants, ExcludeAWrongConstant) {
  const Profile profile = allowing(Form::JoinedConstants);
  for (const double x : {1.0625, -3.75, 100.0}) {
    const Ball ball = chained(profile, "f32", joined, x);
    EXPECT_TRUE(accepts(DType::F32, ball, static_cast<float>(-2 * x + 4.2F))) << x;
    const double off = 0x1p-20 * (2 * std::fabs(x) + 4.2);
    EXPECT_FALSE(accepts(DType::F32, ball, static_cast<float>(-2 * x + 4.2 + off))) << x;
    EXPECT_FALSE(accepts(DType::F32, ball, static_cast<float>(-2 * x + 4.2 - off))) << x;
  }
}

TEST(JoinedConstants, StayExactWhereNothingRounds) {
  const Profile profile = allowing(Form::JoinedConstants);
  const Ball ball = chained(profile, "f32", R"({"out": "a", "op": "aten.add.Scalar", "args": ["%x", 3]},
      {"out": "b", "op": "aten.mul.Scalar", "args": ["%a", 5]}, {"out": "y", "op": "aten.sub.Scalar", "args": ["%b", 0.5]})",
                            7);
  EXPECT_TRUE(ball.is_exact());
  EXPECT_EQ(ball.mid, 49.5);
}

// One constant joins with nothing.
TEST(JoinedConstants, OneConstantIsWidenedByNothing) {
  const std::string_view nodes = R"({"out": "y", "op": "aten.mul.Scalar", "args": ["%x", 0.1]})";
  const Ball alone = chained(allowing(Form::JoinedConstants), "f32", nodes, 3.7);
  EXPECT_EQ(alone.radius, chained(eager(), "f32", nodes, 3.7).radius);
}

// A constant tensor joins as a number does, through a view and in place; an input is no constant.
TEST(JoinedConstants, TensorsJoinThroughViewsAndInPlace) {
  const std::string_view constants = R"(, "constants": {"k": {"type": "f32[1]", "data": [1048576.1]}})";
  const std::string nodes = R"({"out": "a", "op": "aten.add.Tensor", "args": ["%x", "%k"]},
      {"out": "b", "op": "aten.view.default", "args": ["%a", [1]]},
      {"out": "y", "op": "aten.sub_.Tensor", "args": ["%b", "%k"]})";
  const Ball eagerly = chained(eager(), "f32", nodes, 0x1p-5, constants);
  const Ball joining = chained(allowing(Form::JoinedConstants), "f32", nodes, 0x1p-5, constants);
  // In place, 2^-5 + k - k: the constants cancel where they are joined.
  EXPECT_TRUE(accepts(DType::F32, joining, 0x1p-5));
  EXPECT_GE(joining.radius, eagerly.radius);
}

// The integers of a case's output.
std::vector<IntegerBall> requantized(const Profile& profile, std::string_view nodes, std::string_view x, int count) {
  Result<Case> test = parse_case(fmt::format(
      R"({{"parallax": 1, "name": "requantized", "requires": ["quantized"], "graph": {{"inputs": {{"x": {{"type": "i8[{}]"}}}},
           "nodes": [{}], "outputs": ["%y"]}}, "feed": {{"x": [{}]}}}})",
      count, nodes, x));
  EXPECT_TRUE(test.has_value()) << test.error().text();
  return Interpreter(test->graph, profile).run(test->feed).value().outputs[0].integers;
}

// A scale of 1/16 is shifted by three bits after its product is rounded, so that 7/16 may come out as 1. What is
// further from the tie than that, what a clamp has at its end, and a number that nobody dequantized stay one integer.
TEST(FixedPoint, IsOpenOnlyNextToATie) {
  const std::string_view rescale = R"({"out": "f", "op": "quantized_decomposed.dequantize_per_tensor.default",
      "args": ["%x", 0.0625, 0, -128, 127, "i8"]}, {"out": "r", "op": "aten.clamp.default", "args": ["%f", -3.0, 2.0]},
      {"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%r", 1.0, 5, -128, 127, "i8"]})";
  const auto of = [&](const Profile& profile) { return requantized(profile, rescale, "5, 6, 7, 8, 10, -10, 70", 7); };
  const std::vector<IntegerBall> fixed = of(allowing(Form::FixedPoint));
  const std::vector<IntegerBall> eagerly = of(eager());
  for (const IntegerBall& integer : eagerly) EXPECT_TRUE(integer.decided());
  const std::vector<std::pair<int64_t, int64_t>> ends = {{5, 5}, {5, 5}, {5, 6}, {5, 6}, {6, 6}, {4, 4}, {7, 7}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(fixed[i].lowest(), ends[i].first) << i;
    EXPECT_EQ(fixed[i].highest(), ends[i].second) << i;
    EXPECT_EQ(fixed[i].value, eagerly[i].value) << i;
  }
  const std::string_view floats =
      R"({"out": "c", "op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "f32"}},
      {"out": "f", "op": "aten.mul.Scalar", "args": ["%c", 0.0625]},
      {"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%f", 1.0, 0, -128, 127, "i8"]})";
  EXPECT_TRUE(requantized(allowing(Form::FixedPoint), floats, "7", 1)[0].decided());
}

// Two channels whose scales differ, the second under the result's: only 1/4 of its product is shifted.
TEST(FixedPoint, FollowsProductsAndSums) {
  const std::string_view product = R"({"out": "f", "op": "quantized_decomposed.dequantize_per_tensor.default",
      "args": ["%x", 0.5, 0, -128, 127, "i8"]}, {"out": "p", "op": "aten.mul.Tensor", "args": ["%f", "%f"]},
      {"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%p", 1.0, 0, -128, 127, "i8"]})";
  const std::vector<IntegerBall> squares = requantized(allowing(Form::FixedPoint), product, "1, 2, 3", 3);
  EXPECT_EQ(squares[0].highest(), 1);  // 1/4, whose product of 1/2 is rounded to 1 and shifted to 1/2
  EXPECT_TRUE(squares[1].decided());
  EXPECT_EQ(squares[2].lowest(), 2);  // 9/4
  EXPECT_EQ(squares[2].highest(), 3);
  const std::string_view sum = R"({"out": "f", "op": "quantized_decomposed.dequantize_per_tensor.default",
      "args": ["%x", 0.25, 0, -128, 127, "i8"]}, {"out": "p", "op": "aten.add.Tensor", "args": ["%f", "%f"]},
      {"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%p", 1.0, 0, -128, 127, "i8"]})";
  const std::vector<IntegerBall> sums = requantized(allowing(Form::FixedPoint), sum, "1, 2, 3", 3);
  EXPECT_EQ(sums[0].lowest(), 0);  // a tie
  EXPECT_EQ(sums[0].highest(), 1);
  EXPECT_TRUE(sums[1].decided());
  EXPECT_EQ(sums[2].highest(), 2);
}

// A dequantized byte may be q s - z s, or an end of the range and its steps. A thousandth of a step is a difference.
TEST(JoinedConstants, ADequantizedByteIsAnEndAndItsSteps) {
  const std::string_view nodes = R"({"out": "y", "op": "quantized_decomposed.dequantize_per_tensor.default",
      "args": ["%x", 0.0742, 127, 0, 255, "u8"]})";
  constexpr std::string_view needs = R"(, "requires": ["quantized"])";
  const float scale = 0.0742F;
  const float lowest = -127 * scale;
  const float step = (128 * scale - lowest) / 255;
  for (const int q : {0, 1, 127, 128, 255}) {
    const auto x = static_cast<float>(q);
    const Ball joining = chained(allowing(Form::JoinedConstants), "u8", nodes, q, "", needs);
    EXPECT_TRUE(accepts(DType::F32, joining, lowest + x * step)) << q;
    EXPECT_TRUE(accepts(DType::F32, joining, x * scale - 127 * scale)) << q;
    EXPECT_FALSE(accepts(DType::F32, joining, (x - 127) * scale + scale / 1000)) << q;
    const Ball alone = chained(eager(), "u8", nodes, q, "", needs);
    EXPECT_FALSE(accepts(DType::F32, alone, (x - 127) * scale + scale / 10000)) << q;
  }
}

}  // namespace
}  // namespace parallax
