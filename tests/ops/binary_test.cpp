// Examples of the families of two and three operands: results that PyTorch documents or returns, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

Argument number(int64_t x) { return Scalar(x); }
Argument number(double x) { return Scalar(x); }
Argument number(bool x) { return Scalar(x); }

struct Column {
  DType dtype;
  std::vector<double> elements;
};

// One call over two 1-d tensors, and its exact result.
struct Example {
  const char* op;
  Column a;
  Column b;
  Column result;
  std::vector<std::pair<std::string, Argument>> named = {};
};

void expect_elements(const OpHarness& harness, ValueId result, const Column& expected, const std::string& what) {
  ASSERT_EQ(harness.meta(result).dtype, expected.dtype) << what;
  ASSERT_EQ(harness.meta(result).layout.numel(), static_cast<int64_t>(expected.elements.size())) << what;
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (is_floating(expected.dtype)) {
      EXPECT_TRUE(same_ball(harness.ball(result, index), Ball::exact(expected.elements[i])))
          << what << ", element " << i << ": " << harness.ball(result, index).mid << " by "
          << harness.ball(result, index).radius << ", not " << expected.elements[i];
    } else {
      EXPECT_EQ(harness.integer(result, index).undecided, Undecided::No) << what << ", element " << i;
      EXPECT_EQ(harness.integer(result, index).value, static_cast<int64_t>(expected.elements[i]))
          << what << ", element " << i;
    }
  }
}

ValueId add(OpHarness& harness, const Column& column) {
  return harness.add(column.dtype, {static_cast<int64_t>(column.elements.size())}, column.elements);
}

TEST(Binary, ExactResults) {
  const auto floor = std::vector<std::pair<std::string, Argument>>{{"rounding_mode", std::string("floor")}};
  const auto trunc = std::vector<std::pair<std::string, Argument>>{{"rounding_mode", std::string("trunc")}};
  const std::vector<Example> examples = {
      {"aten.rsub.Tensor",
       {DType::I32, {1, 2}},
       {DType::I32, {5, 5}},
       {DType::I32, {3, 1}},
       {{"alpha", number(int64_t{2})}}},
      {"aten.fmax.default", {DType::F32, {nan, 1, nan}}, {DType::F32, {2, nan, nan}}, {DType::F32, {2, 1, nan}}},
      {"aten.fmin.default", {DType::I8, {-3, 4}}, {DType::U8, {2, 1}}, {DType::I16, {-3, 1}}},
      {"aten.max.other", {DType::F32, {nan, 1}}, {DType::F32, {2, 3}}, {DType::F32, {nan, 3}}},

      {"aten.floor_divide.default",
       {DType::I8, {7, -7, 7, -7, -128}},
       {DType::I8, {2, 2, -2, -2, -1}},
       {DType::I8, {3, -4, -4, 3, -128}}},
      {"aten.div.Tensor_mode",
       {DType::I64, {7, -7, 7, -7}},
       {DType::I64, {2, 2, -2, -2}},
       {DType::I64, {3, -3, -3, 3}},
       trunc},
      {"aten.div.Tensor_mode",
       {DType::F32, {7, -7, -5, 5, infinity}},
       {DType::F32, {2, 2, infinity, infinity, 2}},
       {DType::F32, {3, -3, 0, 0, infinity}},
       trunc},
      {"aten.div.Tensor_mode",
       {DType::F32, {7, -7, -5, 5}},
       {DType::F32, {2, 2, infinity, infinity}},
       {DType::F32, {3, -4, -1, 0}},
       floor},
      {"aten.div_.Tensor_mode", {DType::U8, {200, 7}}, {DType::U8, {255, 2}}, {DType::U8, {0, 3}}, floor},
      {"aten.div_.Tensor", {DType::F32, {3, -8}}, {DType::I32, {4, 2}}, {DType::F32, {0.75, -4}}},
      {"aten.div.Tensor", {DType::F32, {3, -8, 0}}, {DType::I32, {0, 0, 0}}, {DType::F32, {infinity, -infinity, nan}}},
      {"aten.fmod.Tensor",
       {DType::F32, {5, -5, 5, infinity, -5, 3}},
       {DType::F32, {0, infinity, -infinity, 2, 3, 3}},
       {DType::F32, {nan, -5, 5, nan, -2, 0}}},
      {"aten.remainder.Tensor",
       {DType::F32, {5, -5, 5, infinity, -5, 5}},
       {DType::F32, {0, infinity, -infinity, 2, 3, -3}},
       {DType::F32, {nan, infinity, -infinity, nan, 1, -1}}},
      {"aten.fmod.Tensor",
       {DType::I64, {7, -7, std::ldexp(-1.0, 63)}},
       {DType::I64, {2, 2, -1}},
       {DType::I64, {1, -1, 0}}},
      {"aten.remainder_.Tensor",
       {DType::I8, {7, -7, 7, -128}},
       {DType::I8, {2, 2, -2, -1}},
       {DType::I8, {1, 1, -1, 0}}},

      {"aten.pow.Tensor_Tensor",
       {DType::I64, {2, 1, -1, -1, 0, -2}},
       {DType::I64, {-1, -5, -3, -2, -1, -3}},
       {DType::I64, {0, 1, -1, 1, 0, 0}}},
      {"aten.pow.Tensor_Tensor", {DType::I8, {2, 3, -3}}, {DType::I8, {7, 6, 5}}, {DType::I8, {-128, -39, 13}}},
      {"aten.pow_.Tensor",
       {DType::F32, {nan, 0, infinity, 0.5, -2}},
       {DType::F32, {0, -2, -1, infinity, -infinity}},
       {DType::F32, {1, infinity, 0, 0, 0}}},
      {"aten.pow.Tensor_Tensor", {DType::F32, {-8, -2}}, {DType::F32, {0.25, 0.5}}, {DType::F32, {nan, nan}}},
      {"aten.ldexp.Tensor",
       {DType::F32, {0.5, 1, 3}},
       {DType::I32, {127, -126, 2}},
       {DType::F32, {0x1p126, 0x1p-126, 12}}},

      {"aten.copysign.Tensor", {DType::F32, {1, -2, 0}}, {DType::I32, {0, -3, -1}}, {DType::F32, {1, -2, 0}}},
      {"aten.heaviside.default", {DType::F32, {nan, 0, 1, -1}}, {DType::F32, {5, 6, 7, 8}}, {DType::F32, {0, 6, 1, 0}}},
      {"aten.heaviside_.default", {DType::Bool, {1, 0, 0}}, {DType::Bool, {0, 1, 0}}, {DType::Bool, {1, 1, 0}}},
      {"aten.nextafter.default",
       {DType::F32, {1, 0, infinity, 1, nan}},
       {DType::F32, {2, -1, 0, 1, 0}},
       {DType::F32, {0x1.000002p0, -0x1p-149, 0x1.fffffep127, 1, nan}}},
      {"aten.nextafter_.default",
       {DType::F16, {1, 65504}},
       {DType::F16, {0, infinity}},
       {DType::F16, {0x1.ffcp-1, infinity}}},
      {"aten.atan2.default", {DType::I32, {0, 0, 0}}, {DType::I32, {0, 2, 5}}, {DType::F32, {0, 0, 0}}},
      {"aten.hypot.default", {DType::F64, {0, infinity}}, {DType::F64, {0, 1}}, {DType::F64, {0, infinity}}},
      {"aten.logaddexp.default",
       {DType::F32, {-infinity, infinity, nan}},
       {DType::F32, {-infinity, -infinity, infinity}},
       {DType::F32, {-infinity, infinity, nan}}},
      {"aten.xlogy.Tensor",
       {DType::F32, {0, 0, 0, 1, nan}},
       {DType::F32, {nan, infinity, -1, 0, 0}},
       {DType::F32, {nan, 0, 0, -infinity, nan}}},

      {"aten.bitwise_and.Tensor", {DType::I8, {-1, 12}}, {DType::U8, {200, 10}}, {DType::I16, {200, 8}}},
      {"aten.bitwise_or_.Tensor", {DType::Bool, {1, 0}}, {DType::Bool, {0, 0}}, {DType::Bool, {1, 0}}},
      {"aten.bitwise_xor.Tensor", {DType::I32, {5, -1}}, {DType::I32, {3, 1}}, {DType::I32, {6, -2}}},
      {"aten.bitwise_left_shift.Tensor",
       {DType::I8, {1, -1, 5, 1, 1}},
       {DType::I8, {7, 7, 8, -1, 4}},
       {DType::I8, {-128, -128, 0, 0, 16}}},
      {"aten.bitwise_right_shift.Tensor",
       {DType::I64, {1, -1, -5, 5, -16}},
       {DType::I64, {63, 63, 64, -1, 2}},
       {DType::I64, {0, -1, -1, 0, -4}}},
      {"aten.gcd.default",
       {DType::I8, {-128, -128, 12, 0, -128}},
       {DType::I8, {0, -128, -18, 0, 64}},
       {DType::I8, {-128, -128, 6, 0, 64}}},
      {"aten.lcm.default",
       {DType::I8, {-128, 127, 12, 0, 5}},
       {DType::I8, {3, 126, -18, 0, -128}},
       {DType::I8, {-128, -126, 36, 0, -128}}},
      {"aten.lcm_.default",
       {DType::I32, {2147483647, 100000}},
       {DType::I32, {2147483646, 99999}},
       {DType::I32, {2147483646, 1409965408}}},

      {"aten.logical_and.default", {DType::F32, {nan, 0, 2}}, {DType::I8, {1, 1, 0}}, {DType::Bool, {1, 0, 0}}},
      {"aten.logical_xor_.default", {DType::F32, {3, 0, 2}}, {DType::I8, {1, 1, 0}}, {DType::F32, {0, 1, 1}}},
      {"aten.ne.Tensor", {DType::F32, {nan, 1, 2}}, {DType::F32, {nan, 1, 3}}, {DType::Bool, {1, 0, 1}}},
      {"aten.le_.Tensor", {DType::I64, {1, 2}}, {DType::F32, {1.5, 1.5}}, {DType::I64, {1, 0}}},
      {"aten.ge.Tensor", {DType::U8, {1, 2}}, {DType::I8, {1, -1}}, {DType::Bool, {1, 1}}},

      {"aten.clamp_min.Tensor", {DType::F32, {1, nan, 3}}, {DType::F32, {nan, 0, 5}}, {DType::F32, {nan, nan, 5}}},
      {"aten.clamp_max_.Tensor", {DType::I32, {1, 9}}, {DType::I32, {5, 5}}, {DType::I32, {1, 5}}},
      {"aten.clamp_max.Tensor", {DType::Bool, {1, 0}}, {DType::Bool, {0, 1}}, {DType::Bool, {0, 0}}},
  };
  for (const Example& example : examples) {
    OpHarness harness;
    const ValueId a = add(harness, example.a);
    const ValueId b = add(harness, example.b);
    const Result<ValueId> result = harness.call(example.op, {a, b}, example.named);
    ASSERT_TRUE(result.has_value()) << example.op << ": " << result.error().text();
    expect_elements(harness, *result, example.result, example.op);
  }
}

struct NumberExample {
  const char* op;
  Column a;
  std::vector<Argument> rest;
  Column result;
};

TEST(Binary, ExactResultsWithNumbers) {
  const std::vector<NumberExample> examples = {
      {"aten.lt.Scalar", {DType::U8, {1, 255}}, {number(int64_t{-1})}, {DType::Bool, {1, 0}}},
      {"aten.ne_.Scalar", {DType::F32, {1, 2}}, {number(int64_t{1})}, {DType::F32, {0, 1}}},
      {"aten.fmod.Scalar", {DType::U8, {7}}, {number(int64_t{-1})}, {DType::U8, {7}}},
      {"aten.remainder.Scalar", {DType::I8, {7, 100}}, {number(int64_t{200})}, {DType::I8, {-49, -12}}},
      {"aten.remainder.Scalar", {DType::I64, {7, -7}}, {number(2.5)}, {DType::F32, {2, 0.5}}},
      {"aten.floor_divide.default", {DType::I32, {7, -7}}, {number(int64_t{2})}, {DType::I32, {3, -4}}},
      {"aten.div.Scalar", {DType::F32, {7, 0, -7}}, {number(int64_t{0})}, {DType::F32, {infinity, nan, -infinity}}},
      {"aten.div_.Scalar", {DType::F32, {7, -1}}, {number(int64_t{2})}, {DType::F32, {3.5, -0.5}}},
      {"aten.pow.Tensor_Scalar", {DType::U8, {2, 3}}, {number(int64_t{255})}, {DType::U8, {0, 171}}},
      {"aten.pow.Tensor_Scalar", {DType::Bool, {1, 0}}, {number(true)}, {DType::Bool, {1, 0}}},
      {"aten.pow.Tensor_Scalar", {DType::Bool, {1, 0}}, {number(int64_t{2})}, {DType::I64, {1, 0}}},
      {"aten.copysign.Scalar", {DType::F32, {1, -2}}, {number(-0.5)}, {DType::F32, {-1, -2}}},
      {"aten.bitwise_and.Scalar", {DType::U8, {255}}, {number(int64_t{300})}, {DType::U8, {44}}},
      {"aten.bitwise_left_shift.Tensor_Scalar", {DType::Bool, {1}}, {number(int64_t{2})}, {DType::I64, {4}}},
      {"aten.rsub.Scalar", {DType::U8, {1}}, {number(int64_t{300})}, {DType::U8, {43}}},
      {"aten.clamp_min.default", {DType::U8, {3, 200}}, {number(int64_t{-1})}, {DType::U8, {255, 255}}},
      {"aten.clamp_min.default", {DType::I64, {1, 5}}, {number(2.5)}, {DType::F32, {2.5, 5}}},
      {"aten.fill.Scalar", {DType::I8, {1, 2}}, {number(3.5)}, {DType::I8, {3, 3}}},
      {"aten.fill_.Scalar", {DType::F16, {1}}, {number(0.5)}, {DType::F16, {0.5}}},
      {"aten.float_power.Tensor_Scalar", {DType::I32, {3, 0}}, {number(int64_t{0})}, {DType::F64, {1, 1}}},
  };
  for (const NumberExample& example : examples) {
    OpHarness harness;
    std::vector<Argument> arguments = {add(harness, example.a)};
    arguments.insert(arguments.end(), example.rest.begin(), example.rest.end());
    const Result<ValueId> result = harness.call(example.op, arguments);
    ASSERT_TRUE(result.has_value()) << example.op << ": " << result.error().text();
    expect_elements(harness, *result, example.result, example.op);
  }
}

TEST(Binary, NumbersBeforeTensors) {
  OpHarness harness;
  const ValueId x = add(harness, {DType::I64, {-1, 3}});
  expect_elements(harness, *harness.call("aten.pow.Scalar", {number(int64_t{2}), x}), {DType::I64, {0, 8}}, "pow");
  const ValueId byte = add(harness, {DType::U8, {1, 3}});
  expect_elements(harness, *harness.call("aten.pow.Scalar", {number(int64_t{300}), byte}), {DType::U8, {44, 192}},
                  "pow");
  const ValueId y = add(harness, {DType::I64, {2, 3, -2}});
  expect_elements(harness, *harness.call("aten.remainder.Scalar_Tensor", {number(int64_t{7}), y}),
                  {DType::I64, {1, 1, -1}}, "remainder");
  const ValueId shift = add(harness, {DType::I8, {2, 3}});
  expect_elements(harness, *harness.call("aten.bitwise_left_shift.Scalar_Tensor", {number(int64_t{1}), shift}),
                  {DType::I8, {4, 8}}, "shift");
}

// Each operator, operand dtypes and second operand (a number) that PyTorch refuses before it computes.
TEST(Binary, RefusesWhatPyTorchRefuses) {
  struct Refusal {
    const char* op;
    DType a;
    std::variant<DType, Scalar> b;
  };
  const std::vector<Refusal> refusals = {
      {"aten.pow.Tensor_Tensor", DType::Bool, DType::Bool},
      {"aten.fmod.Tensor", DType::Bool, DType::Bool},
      {"aten.floor_divide.default", DType::Bool, DType::Bool},
      {"aten.rsub.Tensor", DType::Bool, DType::I32},
      {"aten.hypot.default", DType::I32, DType::I64},
      {"aten.nextafter.default", DType::I32, DType::I32},
      {"aten.bitwise_and.Tensor", DType::F32, DType::I32},
      {"aten.gcd.default", DType::Bool, DType::Bool},
      {"aten.heaviside.default", DType::F32, DType::F64},
      {"aten.bitwise_left_shift.Tensor", DType::Bool, DType::Bool},
      {"aten.copysign_.Tensor", DType::I32, DType::I32},
      {"aten.div_.Tensor", DType::I32, DType::I32},
      {"aten.pow_.Tensor", DType::I32, DType::F32},
      {"aten.clamp_min_.Tensor", DType::I32, DType::F32},
      {"aten.pow.Tensor_Scalar", DType::I32, Scalar(int64_t{-1})},
      {"aten.pow.Tensor_Scalar", DType::U8, Scalar(int64_t{257})},
      {"aten.pow.Tensor_Scalar", DType::F16, Scalar(1e6)},
      {"aten.rsub.Scalar", DType::I32, Scalar(true)},
      {"aten.clamp_min.default", DType::Bool, Scalar(true)},
      {"aten.clamp_max.default", DType::F16, Scalar(1e6)},
      {"aten.float_power_.Scalar", DType::F32, Scalar(int64_t{2})},
      {"aten.fill.Scalar", DType::I8, Scalar(int64_t{300})},
      {"aten.bitwise_and.Scalar", DType::I32, Scalar(1.0)},
  };
  for (const Refusal& refusal : refusals) {
    OpHarness harness;
    std::vector<Argument> arguments = {harness.add(refusal.a, {2})};
    if (const DType* dtype = std::get_if<DType>(&refusal.b)) {
      arguments.emplace_back(harness.add(*dtype, {2}));
    } else {
      arguments.emplace_back(std::get<Scalar>(refusal.b));
    }
    const auto result = harness.infer(refusal.op, arguments);
    ASSERT_FALSE(result.has_value()) << refusal.op;
    EXPECT_EQ(result.error().kind, ErrorKind::EagerRefuses) << refusal.op;
  }
}

// Measured on eager 2.13: rsub(a, b) is sub(b, a), whose result lies as its first operand does.
TEST(Binary, AResultLiesAsTheFirstTermDoes) {
  OpHarness harness;
  const ValueId rows = harness.add(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const ValueId columns = harness.add(DType::F32, Layout{{2, 3}, {1, 2}, 0});
  const auto strides = [&](std::string_view op, ValueId a, ValueId b) {
    return harness.infer(op, {a, b})->front().layout.strides;
  };
  EXPECT_EQ(strides("aten.sub.Tensor", rows, columns), (Dims{3, 1}));
  EXPECT_EQ(strides("aten.sub.Tensor", columns, rows), (Dims{1, 2}));
  EXPECT_EQ(strides("aten.rsub.Tensor", rows, columns), (Dims{1, 2}));
  EXPECT_EQ(strides("aten.rsub.Tensor", columns, rows), (Dims{3, 1}));
}

TEST(Binary, ExponentsThatAreNotComputedAreNotChecked) {
  OpHarness harness;
  EXPECT_TRUE(harness.infer("aten.pow.Tensor_Scalar", {harness.add(DType::Bool, {2}), number(false)}));
  EXPECT_TRUE(harness.infer("aten.pow.Tensor_Scalar", {harness.add(DType::F32, {2}), number(1e300)}));
}

TEST(Binary, IntegerDivisionByZeroIsRefusedOnTheData) {
  for (const char* op : {"aten.floor_divide.default", "aten.fmod.Tensor", "aten.remainder.Tensor"}) {
    OpHarness harness;
    const ValueId a = add(harness, {DType::I32, {7, 8}});
    const ValueId b = add(harness, {DType::I32, {7, 0}});
    const Result<ValueId> result = harness.call(op, {a, b});
    ASSERT_FALSE(result.has_value()) << op;
    EXPECT_EQ(result.error().kind, ErrorKind::EagerRefuses) << op;
    EXPECT_TRUE(harness.call(op, {harness.add(DType::I32, {0}), harness.add(DType::I32, {0})})) << op << " of nothing";
  }
}

TEST(Binary, TheRoundingModeIsFloorTruncOrNone) {
  OpHarness harness;
  const ValueId a = add(harness, {DType::I32, {7, -7}});
  const ValueId b = add(harness, {DType::I32, {2, 2}});
  expect_elements(harness, *harness.call("aten.div.Tensor_mode", {a, b}, {{"rounding_mode", Argument()}}),
                  {DType::F32, {3.5, -3.5}}, "none");
  EXPECT_FALSE(harness.infer("aten.div.Tensor_mode", {a, b}, {{"rounding_mode", std::string("up")}}));
}

// A zero of a float tensor has a sign that is not known; those of integers are positive.
TEST(Binary, SignsOfZeros) {
  OpHarness harness;
  const ValueId zero = add(harness, {DType::F32, {0}});
  const ValueId negative = add(harness, {DType::F32, {-1}});
  const ValueId angle = *harness.call("aten.atan2.default", {zero, negative});
  for (double pi : {0x1.921fb6p1, -0x1.921fb6p1}) EXPECT_TRUE(in_ball(DType::F32, harness.ball(angle), pi));
  EXPECT_FALSE(in_ball(DType::F32, harness.ball(angle), 3.2));
  const ValueId known = *harness.call("aten.atan2.default", {add(harness, {DType::I32, {0}}), negative});
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(known), 0x1.921fb6p1));
  EXPECT_FALSE(in_ball(DType::F32, harness.ball(known), -0x1.921fb6p1));
  const ValueId two = add(harness, {DType::F32, {2}});
  const Ball copied = harness.ball(*harness.call("aten.copysign.Tensor", {two, zero}));
  EXPECT_TRUE(in_ball(DType::F32, copied, 2) && in_ball(DType::F32, copied, -2));
  const Ball quotient = harness.ball(*harness.call("aten.div.Tensor", {two, zero}));
  EXPECT_TRUE(in_ball(DType::F32, quotient, infinity) && in_ball(DType::F32, quotient, -infinity));
  EXPECT_FALSE(in_ball(DType::F32, quotient, 1e30));
}

// The square root of -inf is NaN, and its power of a half infinite; eager takes the root.
TEST(Binary, ARootOfMinusInfinityMayBeEither) {
  OpHarness harness;
  const ValueId x = add(harness, {DType::F32, {-infinity}});
  const Ball root = harness.ball(*harness.call("aten.pow.Tensor_Scalar", {x, number(0.5)}));
  EXPECT_TRUE(in_ball(DType::F32, root, nan) && in_ball(DType::F32, root, infinity));
  EXPECT_FALSE(in_ball(DType::F32, root, 0));
}

TEST(Binary, UndecidedTruthsAreDecidedByTheOther) {
  OpHarness harness;
  const ValueId open = harness.add(DType::F32, {1});
  harness.ball(open) = {0, 1, false, false, Undecided::No};
  const ValueId no = add(harness, {DType::F32, {0}});
  const ValueId yes = add(harness, {DType::F32, {2}});
  EXPECT_EQ(harness.integer(*harness.call("aten.logical_and.default", {open, no})).undecided, Undecided::No);
  EXPECT_EQ(harness.integer(*harness.call("aten.logical_or.default", {open, yes})).value, 1);
  EXPECT_NE(harness.integer(*harness.call("aten.logical_or.default", {open, no})).undecided, Undecided::No);
  EXPECT_EQ(harness.integer(*harness.call("aten.logical_xor.default", {open, open})).value, 0);
  EXPECT_EQ(harness.integer(*harness.call("aten.ne.Tensor", {open, open})).value, 0);
}

TEST(Ternary, LerpAndItsWeights) {
  OpHarness harness;
  const ValueId start = add(harness, {DType::F32, {1, 0}});
  const ValueId end = add(harness, {DType::F32, {3, 1}});
  expect_elements(harness, *harness.call("aten.lerp.Scalar", {start, end, number(int64_t{2})}), {DType::F32, {5, 2}},
                  "lerp");
  const ValueId half = harness.add(DType::F64, Dims(), {0.5});
  expect_elements(harness, *harness.call("aten.lerp_.Tensor", {start, end, half}), {DType::F32, {2, 0.5}}, "lerp_");
  EXPECT_FALSE(harness.infer("aten.lerp.Tensor", {start, end, harness.add(DType::F64, {2})}));
  EXPECT_FALSE(harness.infer("aten.lerp.Scalar", {start, half, number(0.5)})) << "an end of another dtype";
  const ValueId integers = add(harness, {DType::I64, {1, 2}});
  EXPECT_FALSE(harness.infer("aten.lerp.Scalar", {integers, integers, number(0.5)}));
}

TEST(Ternary, AddcdivDividesFloats) {
  OpHarness harness;
  const ValueId x = add(harness, {DType::I32, {1, 2}});
  const ValueId a = add(harness, {DType::F32, {2, 3}});
  const ValueId b = add(harness, {DType::I32, {4, 2}});
  expect_elements(harness, *harness.call("aten.addcdiv.default", {x, a, b}, {{"value", number(int64_t{2})}}),
                  {DType::F32, {2, 5}}, "addcdiv");
  EXPECT_FALSE(harness.infer("aten.addcdiv.default", {a, x, b})) << "two integers";
  EXPECT_FALSE(harness.infer("aten.addcdiv.default", {a, a, a}, {{"value", number(1e300)}}));
}

TEST(Clamp, LimitsThatAreTensors) {
  OpHarness harness;
  const ValueId x = add(harness, {DType::I64, {1, 5, 9}});
  const ValueId low = add(harness, {DType::F32, {1.5}});
  const ValueId high = harness.add(DType::F64, Dims(), {7});
  expect_elements(harness, *harness.call("aten.clamp.Tensor", {x, low, high}), {DType::F32, {1.5, 5, 7}}, "clamp");
  expect_elements(harness, *harness.call("aten.clamp.Tensor", {x, Argument(), add(harness, {DType::I64, {4, 4, 4}})}),
                  {DType::I64, {1, 4, 4}}, "clamp");
  EXPECT_FALSE(harness.infer("aten.clamp.Tensor", {x})) << "no limit";
  const ValueId truth = harness.add(DType::Bool, {2});
  EXPECT_TRUE(harness.infer("aten.clamp.Tensor", {truth, truth}));
  EXPECT_FALSE(harness.infer("aten.clamp.Tensor", {truth, truth, truth}));
  // A low over the high gives the high.
  const ValueId crossed =
      *harness.call("aten.clamp.Tensor", {x, add(harness, {DType::I64, {8}}), add(harness, {DType::I64, {2}})});
  expect_elements(harness, crossed, {DType::I64, {2, 2, 2}}, "clamp");
}

TEST(Where, NumbersAsBranches) {
  OpHarness harness;
  const ValueId condition = add(harness, {DType::Bool, {1, 0}});
  const ValueId x = add(harness, {DType::I8, {1, 2}});
  expect_elements(harness, *harness.call("aten.where.ScalarOther", {condition, x, number(1.5)}), {DType::F32, {1, 1.5}},
                  "where");
  expect_elements(harness, *harness.call("aten.where.Scalar", {condition, number(true), number(int64_t{2})}),
                  {DType::I64, {1, 2}}, "where");
  EXPECT_FALSE(harness.infer("aten.where.ScalarSelf", {condition, number(int64_t{300}), x}));
}

TEST(Fill, ByATensor) {
  OpHarness harness;
  const ValueId x = add(harness, {DType::I8, {1, 2}});
  const ValueId value = harness.add(DType::I64, Dims(), {300});
  expect_elements(harness, *harness.call("aten.fill.Tensor", {x, value}), {DType::I8, {44, 44}}, "fill");
  EXPECT_FALSE(harness.infer("aten.fill.Tensor", {x, x})) << "a value with dims";
  const ValueId y = add(harness, {DType::F32, {0, 1, 2}});
  const ValueId one = harness.view(y, {Dims(), Dims(), 1});
  expect_elements(harness, *harness.call("aten.fill_.Tensor", {y, one}), {DType::F32, {1, 1, 1}}, "of itself");
  EXPECT_FALSE(harness.infer("aten.fill_.Tensor", {harness.view(y, {{3, 2}, {1, 0}, 0}), value})) << "expanded";
}

TEST(Fill, UnderAMaskByATensorThatFits) {
  OpHarness harness;
  const ValueId x = add(harness, {DType::I8, {1, 2}});
  const ValueId mask = add(harness, {DType::Bool, {1, 0}});
  const ValueId value = harness.add(DType::F32, Dims(), {3.75});
  expect_elements(harness, *harness.call("aten.masked_fill.Tensor", {x, mask, value}), {DType::I8, {3, 2}}, "masked");
  const Result<ValueId> refused =
      harness.call("aten.masked_fill_.Tensor", {x, mask, harness.add(DType::I64, Dims(), {300})});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::EagerRefuses);
}

TEST(Full, NumbersOfHalvesMayOverflow) {
  OpHarness harness;
  const Ball over =
      harness.ball(*harness.call("aten.scalar_tensor.default", {number(1e6)}, {{"dtype", Argument(DType::F16)}}));
  EXPECT_TRUE(in_ball(DType::F16, over, infinity));
  EXPECT_EQ(harness.infer("aten.scalar_tensor.default", {number(int64_t{3})})->front().dtype, DType::F32);
  EXPECT_FALSE(harness.infer("aten.scalar_tensor.default", {number(int64_t{300})}, {{"dtype", Argument(DType::I8)}}));
  EXPECT_FALSE(harness.infer("aten.scalar_tensor.default", {number(1e300)}));
}

}  // namespace
}  // namespace parallax
