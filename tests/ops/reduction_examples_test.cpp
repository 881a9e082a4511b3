// Examples of reductions and scans: small calls with results that anybody can check, and what eager refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

Argument integer(int64_t x) { return Argument(std::in_place_type<Scalar>, x); }
Argument real(double x) { return Argument(std::in_place_type<Scalar>, x); }
Argument flag(bool x) { return Argument(std::in_place_type<Scalar>, x); }
const Argument none;

// A call over one 1-d tensor, the exact elements of its first result and, where it has two, of its second.
struct Example {
  const char* op;
  DType dtype;
  std::vector<double> elements;
  std::vector<Argument> rest;
  std::vector<double> first;
  std::vector<double> second = {};
};

void expect_elements(const OpHarness& harness, ValueId value, const std::vector<double>& expected) {
  ASSERT_EQ(harness.meta(value).layout.numel(), static_cast<int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (is_floating(harness.meta(value).dtype)) {
      EXPECT_TRUE(same_ball(harness.ball(value, index), Ball::exact(expected[i])))
          << "element " << i << " is " << harness.ball(value, index).mid << " +- " << harness.ball(value, index).radius;
    } else {
      EXPECT_EQ(harness.integer(value, index).value, static_cast<int64_t>(expected[i])) << "element " << i;
      EXPECT_EQ(harness.integer(value, index).undecided, Undecided::No) << "element " << i;
    }
  }
}

TEST(ReductionExamples, ExactResults) {
  const std::vector<Example> examples = {
      {"aten.nansum.default", DType::F32, {1, nan, 2}, {}, {3}},
      {"aten.nansum.default", DType::U8, {200, 100}, {}, {300}},
      {"aten.any.default", DType::F32, {0, nan}, {}, {1}},
      {"aten.any.default", DType::F32, {}, {}, {0}},
      {"aten.any.default", DType::U8, {0, 7}, {}, {1}},
      {"aten.all.default", DType::I32, {3, 0}, {}, {0}},
      {"aten.all.default", DType::F32, {}, {}, {1}},
      {"aten.any.dims", DType::I32, {3, 0}, {IntList{}}, {1, 0}},
      {"aten.any.dims", DType::I32, {3, 0}, {none}, {1}},
      {"aten.count_nonzero.default", DType::F32, {0, -0.0, nan, 2}, {}, {2}},
      {"aten.amin.default", DType::F32, {3, nan, 0.5}, {}, {nan}},
      {"aten.amin.default", DType::I64, {3, std::ldexp(-1, 63), 0}, {}, {std::ldexp(-1, 63)}},
      {"aten.max.default", DType::Bool, {0, 1}, {}, {1}},
      {"aten.max.dim", DType::F32, {1, 3, 3}, {integer(0)}, {3}, {1}},
      {"aten.max.dim", DType::F32, {1, nan, 3, nan}, {integer(0)}, {nan}, {1}},
      {"aten.min.dim", DType::I8, {1, -128, -128}, {integer(-1)}, {-128}, {1}},
      {"aten.min.dim", DType::Bool, {1, 0, 0}, {integer(0)}, {0}, {1}},
      {"aten.argmax.default", DType::F32, {1, 3, 3}, {}, {1}},
      {"aten.argmin.default", DType::F32, {1, nan, 3, nan}, {}, {1}},
      {"aten.cummax.default", DType::F32, {1, nan, 3, nan, 5}, {integer(0)}, {1, nan, nan, nan, nan}, {0, 1, 1, 3, 3}},
      {"aten.cummin.default", DType::F32, {2, 2, 1, nan, 3}, {integer(0)}, {2, 2, 1, nan, nan}, {0, 1, 2, 3, 3}},
      {"aten.cummax.default", DType::Bool, {1, 0, 1}, {integer(0)}, {1, 1, 1}, {0, 0, 2}},
      {"aten.median.default", DType::I32, {4, 1, 3, 2}, {}, {2}},
      {"aten.median.default", DType::F32, {}, {}, {nan}},
      {"aten.median.dim", DType::F32, {1, nan, 3, nan}, {integer(0)}, {nan}, {1}},
      {"aten.nanmedian.dim", DType::F32, {nan, 5, 3, nan}, {integer(0)}, {3}, {2}},
      {"aten.kthvalue.default", DType::F32, {nan, 1, 3}, {integer(2)}, {3}, {2}},
      {"aten.kthvalue.default", DType::F16, {nan, 1, 3}, {integer(3)}, {nan}, {0}},
      {"aten.cumprod.default", DType::I8, {100, 100, 2}, {integer(0)}, {100, 10000, 20000}},
      {"aten.cumprod_.default", DType::I8, {100, 100, 2}, {integer(0)}, {100, 16, 32}},
      {"aten.cumprod.default", DType::F32, {2, 0.5, nan, 1}, {integer(0)}, {2, 1, nan, nan}},
      {"aten.var.correction", DType::F32, {3}, {none}, {nan}},
      {"aten.var.correction", DType::F32, {3}, {none, integer(0)}, {0}},
      {"aten.var.correction", DType::F32, {3, infinity}, {none}, {nan}},
      {"aten.var.correction", DType::F32, {3, 4}, {none, integer(3)}, {infinity}},
      {"aten.var.correction", DType::F32, {}, {none}, {nan}},
      {"aten.var_mean.correction", DType::F32, {0, 0, 0}, {none}, {0}, {0}},
      {"aten.linalg_vector_norm.default", DType::F32, {3, -4}, {}, {5}},
      {"aten.linalg_vector_norm.default", DType::F32, {3, -4}, {integer(1)}, {7}},
      {"aten.linalg_vector_norm.default", DType::F32, {3, 0, nan}, {integer(0)}, {2}},
      {"aten.linalg_vector_norm.default", DType::F32, {3, -4}, {real(infinity)}, {4}},
      {"aten.linalg_vector_norm.default", DType::F32, {3, -4}, {real(-infinity)}, {3}},
      {"aten.linalg_vector_norm.default", DType::F32, {3, nan}, {real(infinity)}, {nan}},
      {"aten.linalg_vector_norm.default", DType::F32, {0, 2}, {integer(-1)}, {0}},
      {"aten.linalg_vector_norm.default", DType::F32, {infinity, 2}, {integer(2)}, {infinity}},
      {"aten.linalg_vector_norm.default", DType::F32, {}, {integer(2)}, {0}},
      {"aten.norm.Scalar", DType::F64, {3, -4}, {}, {5}},
      {"aten._softmax.default", DType::F32, {-infinity, -infinity}, {integer(0), flag(false)}, {nan, nan}},
      {"aten._softmax.default", DType::F32, {infinity, 0}, {integer(0), flag(false)}, {nan, nan}},
      {"aten._log_softmax.default", DType::F32, {nan, 0}, {integer(0), flag(false)}, {nan, nan}},
      {"aten.logsumexp.default", DType::F32, {-infinity, -infinity}, {IntList{0}}, {-infinity}},
      {"aten.logsumexp.default", DType::F32, {infinity, infinity}, {IntList{0}}, {infinity}},
      {"aten.logsumexp.default", DType::F32, {}, {IntList{0}}, {-infinity}},
      {"aten.logcumsumexp.default",
       DType::F32,
       {-infinity, infinity, 1, nan, 2},
       {integer(0)},
       {-infinity, infinity, infinity, nan, nan}},
  };
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const Example& example = examples[k];
    SCOPED_TRACE(std::string(example.op) + ", example " + std::to_string(k));
    OpHarness harness;
    std::vector<Argument> arguments = {
        harness.add(example.dtype, {static_cast<int64_t>(example.elements.size())}, example.elements)};
    std::vector<std::pair<std::string, Argument>> named;
    for (const Argument& argument : example.rest) {
      // var's correction goes by name.
      if (arguments.size() == 2 && std::string_view(example.op).starts_with("aten.var")) {
        named.emplace_back("correction", argument);
      } else {
        arguments.push_back(argument);
      }
    }
    const Result<ValueId> result = harness.call(example.op, arguments, named);
    ASSERT_TRUE(result.has_value());
    expect_elements(harness, *result, example.first);
    if (!example.second.empty()) expect_elements(harness, ValueId(result->index + 1), example.second);
  }
}

// A value that eager gives, and one that is wrong.
struct NearExample {
  const char* op;
  DType dtype;
  std::vector<double> elements;
  std::vector<Argument> rest;
  int64_t element;
  double right;
  double wrong;
};

TEST(ReductionExamples, RoundedResults) {
  const std::vector<NearExample> examples = {
      {"aten.var.correction", DType::F32, {3, 0, 1}, {}, 0, 2.3333332538604736, 2.33334},
      {"aten.var.correction", DType::F16, {2, 5, 1}, {}, 0, 4.33203125, 4.34375},
      {"aten.std.correction", DType::F32, {3, 4}, {}, 0, 0.7071067690849304, 0.70712},
      {"aten.mean.default", DType::F32, {1, 2, 2}, {}, 0, 1.6666666269302368, 1.66667},
      {"aten._softmax.default", DType::F32, {3, 0, 1}, {integer(0), flag(false)}, 0, 0.8437947034835815, 0.8438},
      {"aten._softmax.default", DType::F16, {3, 0, 1}, {integer(0), flag(false)}, 1, 0.042022705078125, 0.0425},
      {"aten._log_softmax.default", DType::F32, {3, 0, 1}, {integer(0), flag(false)}, 2, -2.1698460578918457, -2.1699},
      {"aten.logsumexp.default", DType::I64, {3, 0, 1}, {IntList{0}}, 0, 3.1698460578918457, 3.1699},
      {"aten.logcumsumexp.default", DType::F32, {3, 0, 1}, {integer(0)}, 1, 3.0485873222351074, 3.0486},
      {"aten.linalg_vector_norm.default", DType::F32, {1, 2}, {real(0.5)}, 0, 5.828427791595459, 5.8285},
      {"aten.linalg_vector_norm.default", DType::F16, {1e4, 1e4, 6e4}, {integer(2)}, 0, 61632, 61760},
      {"aten.layer_norm.default", DType::F32, {3, 0, 1}, {IntList{3}}, 0, 1.3363019227981567, 1.33640},
      {"aten.rms_norm.default", DType::F32, {1, 2, 2}, {IntList{3}}, 0, 0.5773502588272095, 0.57740},
  };
  for (const NearExample& example : examples) {
    SCOPED_TRACE(example.op);
    OpHarness harness;
    std::vector<Argument> arguments = {
        harness.add(example.dtype, {static_cast<int64_t>(example.elements.size())}, example.elements)};
    arguments.insert(arguments.end(), example.rest.begin(), example.rest.end());
    const Result<ValueId> result = harness.call(example.op, arguments);
    ASSERT_TRUE(result.has_value());
    const Ball ball = harness.ball(*result, example.element);
    const DType dtype = harness.meta(*result).dtype;
    EXPECT_TRUE(ball.decided());
    EXPECT_TRUE(in_ball(dtype, ball, example.right)) << ball.mid << " +- " << ball.radius;
    EXPECT_FALSE(in_ball(dtype, ball, round_to(dtype, example.wrong))) << ball.mid << " +- " << ball.radius;
  }
}

// The index of an extreme is known where the intervals are apart, and where what overlaps is one storage element.
TEST(ReductionExamples, IndicesOfInexactElements) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {3}, {1, 5, 4});
  harness.ball(x, 1).radius = 0.25;
  harness.ball(x, 2).radius = 0.25;
  EXPECT_EQ(harness.integer(*harness.call("aten.argmax.default", {x})).value, 1);
  EXPECT_EQ(harness.integer(*harness.call("aten.argmax.default", {x})).undecided, Undecided::No);
  harness.ball(x, 2).radius = 1;
  EXPECT_EQ(harness.integer(*harness.call("aten.argmax.default", {x})).undecided, Undecided::InexactCompare);
  EXPECT_EQ(harness.integer(*harness.call("aten.argmin.default", {x})).undecided, Undecided::No);
  const ValueId scan = *harness.call("aten.cummax.default", {x, integer(0)});
  EXPECT_EQ(harness.integer(ValueId(scan.index + 1), 1).value, 1);
  EXPECT_EQ(harness.integer(ValueId(scan.index + 1), 2).undecided, Undecided::InexactCompare);
  const ValueId same = harness.view(x, {{4}, {0}, 1});
  EXPECT_EQ(harness.integer(*harness.call("aten.argmax.default", {same})).value, 0);
  EXPECT_EQ(harness.integer(*harness.call("aten.argmax.default", {same})).undecided, Undecided::No);
}

// Eager stores the sum of the exponentials as a half: log(1.00390625) is not log(1.0037), and both may come out.
TEST(ReductionExamples, HalvesStoreTheirIntermediates) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F16, {5}, {1.822265625, -3.521484375, -4.4140625, 2.328125, 8.3984375});
  const ValueId out = *harness.call("aten._log_softmax.default", {x, integer(0), flag(false)});
  EXPECT_TRUE(in_ball(DType::F16, harness.ball(out, 4), -0.0038986206));
  EXPECT_TRUE(in_ball(DType::F16, harness.ball(out, 4), round_to(DType::F16, -0.0037061)));
  EXPECT_FALSE(in_ball(DType::F16, harness.ball(out, 4), round_to(DType::F16, -0.008)));
}

TEST(ReductionExamples, OneSureTruthIsEnough) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2}, {0, 1});
  harness.ball(x, 0).radius = 0.5;
  EXPECT_EQ(harness.integer(*harness.call("aten.any.default", {x})).undecided, Undecided::No);
  EXPECT_EQ(harness.integer(*harness.call("aten.any.default", {x})).value, 1);
  EXPECT_EQ(harness.integer(*harness.call("aten.all.default", {x})).undecided, Undecided::InexactToInteger);
  EXPECT_EQ(harness.integer(*harness.call("aten.count_nonzero.default", {x})).undecided, Undecided::InexactToInteger);
}

TEST(ReductionExamples, Metadata) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F16, {{2, 3, 4}, {1, 2, 6}, 0});
  const ValueId u8 = harness.add(DType::U8, {2, 3});
  const auto layout = [&](const char* op, std::vector<Argument> arguments) {
    return harness.infer(op, std::move(arguments))->front().layout;
  };
  EXPECT_EQ(layout("aten.max.dim", {x, integer(1), flag(true)}), contiguous_layout({2, 1, 4}));
  EXPECT_EQ(layout("aten.cummin.default", {x, integer(-1)}), contiguous_layout({2, 3, 4}));
  EXPECT_EQ(layout("aten._softmax.default", {x, integer(1), flag(false)}), contiguous_layout({2, 3, 4}));
  EXPECT_EQ(layout("aten.std.correction", {x, IntList{0, 2}}), contiguous_layout({3}));
  EXPECT_EQ(layout("aten.any.dims", {u8, IntList{}}), contiguous_layout({2, 3}));
  EXPECT_EQ(harness.infer("aten.any.default", {u8})->front().dtype, DType::U8);
  EXPECT_EQ(harness.infer("aten.any.default", {x})->front().dtype, DType::Bool);
  EXPECT_EQ(harness.infer("aten.max.dim", {x, integer(1)})->at(1).dtype, DType::I64);
  EXPECT_EQ(harness.infer("aten.softmax.int", {u8, integer(1), DType::F64})->front().dtype, DType::F64);
}

TEST(ReductionExamples, Refusals) {
  OpHarness harness;
  const ValueId empty = harness.add(DType::F32, {2, 0, 3});
  const ValueId truth = harness.add(DType::Bool, {2});
  const ValueId whole = harness.add(DType::I32, {2});
  const ValueId wide = harness.add(DType::F64, {2});
  struct Refused {
    const char* op;
    std::vector<Argument> arguments;
  };
  const std::vector<Refused> calls = {
      {"aten.max.default", {empty}},
      {"aten.amin.default", {empty}},
      {"aten.amax.default", {empty, IntList{1}}},
      {"aten.argmax.default", {empty}},
      {"aten.max.dim", {empty, integer(1)}},
      {"aten.argmax.default", {truth}},
      {"aten.var.correction", {whole}},
      {"aten.std_mean.correction", {truth}},
      {"aten.linalg_vector_norm.default", {whole}},
      {"aten.linalg_vector_norm.default", {empty, real(infinity)}},
      {"aten.linalg_vector_norm.default", {empty, integer(-1), IntList{1}}},
      {"aten.linalg_vector_norm.default", {wide, integer(2), none, flag(false), DType::F32}},
      {"aten._softmax.default", {wide, integer(0), flag(true)}},
      {"aten.softmax.int", {whole, integer(0)}},
      {"aten.logcumsumexp.default", {whole, integer(0)}},
      {"aten.logsumexp.default", {wide, IntList{}}},
      {"aten.dist.default", {whole, whole}},
      {"aten.median.default", {truth}},
      {"aten.kthvalue.default", {wide, integer(0)}},
      {"aten.kthvalue.default", {wide, integer(3)}},
      {"aten.cumprod.default", {truth, integer(0), DType::Bool}},
  };
  for (std::size_t k = 0; k < calls.size(); ++k) {
    std::vector<Argument> arguments = calls[k].arguments;
    std::vector<std::pair<std::string, Argument>> named;
    // A dtype goes by name.
    if (std::holds_alternative<DType>(arguments.back())) {
      named.emplace_back("dtype", arguments.back());
      arguments.pop_back();
    }
    const auto results = harness.infer(calls[k].op, arguments, named);
    ASSERT_FALSE(results.has_value()) << calls[k].op << ", call " << k;
    EXPECT_EQ(results.error().kind, ErrorKind::EagerRefuses) << calls[k].op << ": " << results.error().reason;
  }
  EXPECT_TRUE(harness.infer("aten.max.dim", {empty, integer(0)}).has_value()) << "no result, so nothing is missing";
  EXPECT_TRUE(harness.infer("aten.linalg_vector_norm.default", {empty, real(infinity), IntList{0}}).has_value());
}

}  // namespace
}  // namespace parallax
