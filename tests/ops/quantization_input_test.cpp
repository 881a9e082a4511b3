// Parameters that no quantizer writes: what PyTorch 2.13 does with them is what the oracle and our compiler do, its
// errors included. The numbers were printed by PyTorch on x86-64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "oracle/judge.h"

namespace parallax {
namespace {

struct OddParameters {
  std::string op;         // of quantized_decomposed
  std::string arguments;  // behind the first
  std::string error;      // what reading the case or running it says; empty: it runs
  std::vector<int64_t> integers = {};
  std::vector<double> reals = {};
};

const std::string tensors =
    R"("constants": {"s": {"type": "f32[2]", "data": [0.5, 0.25]}, "z": {"type": "i64[2]", "data": [0, 1]},
  "s3": {"type": "f32[3]", "data": [0.5, 0.5, 0.5]}, "z3": {"type": "i64[3]", "data": [0, 0, 0]},
  "s0": {"type": "f32[2]", "data": [0.5, 0]}, "sm": {"type": "f32[2]", "data": [0.5, -1]},
  "si": {"type": "f32[2]", "data": [0.5, "inf"]}, "n": {"type": "f32[]", "data": [0]}, "m": {"type": "i64[]", "data": [0]},
  "t3": {"type": "f32[3,1]", "data": [0.5, 0.5, 0.5]}, "y3": {"type": "i64[3,1]", "data": [0, 0, 0]}})";

const std::vector<OddParameters> odd = {
    {"quantize_per_tensor.default", R"(0.0, 3, -128, 127, "i8")", "float division by zero"},
    {"quantize_per_tensor.default", R"(-0.5, 3, -128, 127, "i8")", "", {1, 7, -3, 2}},
    {"quantize_per_tensor.default", R"("inf", 3, -128, 127, "i8")", "", {3, 3, 3, 3}},
    {"quantize_per_tensor.default", R"("-inf", 3, -128, 127, "i8")", "", {3, 3, 3, 3}},
    {"quantize_per_tensor.default", R"(1e-46, 3, -128, 127, "i8")", "", {127, -128, 127, 127}},
    {"quantize_per_tensor.default", R"(1e-39, 3, -128, 127, "i8")", "", {127, -128, 127, 127}},
    {"quantize_per_tensor.default", R"(0.5, 200, -128, 127, "i8")", "", {127, 127, 127, 127}},
    {"quantize_per_tensor.default", R"(0.5, -129, -128, 127, "i8")", "", {-127, -128, -123, -128}},
    {"quantize_per_tensor.default", R"(0.5, 1099511627776, -128, 127, "i8")", "", {127, 127, 127, 127}},
    {"quantize_per_tensor.default", R"(0.5, 0, -129, 127, "i8")", "quant_min -129 is out of bounds for i8"},
    {"quantize_per_tensor.default", R"(0.5, 0, 5, -5, "i8")", "", {-5, -5, -5, -5}},
    {"quantize_per_tensor.tensor", R"("%n", "%m", -128, 127, "i8")", "float division by zero"},
    {"quantize_per_tensor.tensor", R"("%s", "%z", -128, 127, "i8")", "to be one element, but received 2"},
    {"quantize_per_channel.default", R"("%s", "%z", 2, -128, 127, "i8")", "expecting axis to be < 2, got 2"},
    {"quantize_per_channel.default", R"("%s", "%z", -3, -128, 127, "i8")", "expecting axis to be < 2, got -3"},
    {"quantize_per_channel.default", R"("%s", "%z", -1, -128, 127, "i8")", "", {2, -7, 6, 3}},
    {"quantize_per_channel.default", R"("%s3", "%z3", 0, -128, 127, "i8")", "3 scales for 2 channels"},
    {"quantize_per_channel.default", R"("%s", "%z3", 0, -128, 127, "i8")", "3 zero points for 2 scales"},
    {"quantize_per_channel.default", R"("%s0", "%z", 0, -128, 127, "i8")", "", {2, -4, 127, 127}},
    {"quantize_per_channel.default", R"("%sm", "%z", 0, -128, 127, "i8")", "", {2, -4, -2, 1}},
    {"quantize_per_channel.default", R"("%si", "%z", 0, -128, 127, "i8")", "", {2, -4, 1, 1}},
    {"quantize_per_token.default", R"("%t3", "%y3", -128, 127, "i8")", "3 scales for 2 tokens of 2"},
    {"quantize_per_channel_group.default", R"("%s", "%z", -8, 7, "i8", 1)", "group_size must be > 1"},
    {"dequantize_per_tensor.default", R"(0.0, 3, -128, 127, "i8")", "", {}, {0, 0, 0, 0}},
    {"dequantize_per_tensor.default", R"(-0.5, 3, -128, 127, "i8")", "", {}, {1, 2.5, 0, -1}},
    {"dequantize_per_tensor.default", R"("inf", 3, -128, 127, "i8")", "", {}, {-INFINITY, -INFINITY, NAN, INFINITY}},
    {"dequantize_per_tensor.default", R"(0.5, 200, -128, 127, "i8")", "", {}, {-99.5, -101, -98.5, -97.5}},
    {"dequantize_per_tensor.default", R"(0.5, 0, 0, 255, "u8")", "expecting input to have dtype u8, but got i8"},
    {"dequantize_per_channel.default", R"("%s", "%z", 2, -128, 127, "i8")", "expecting axis to be < 2, got 2"},
    {"dequantize_per_channel.default", R"("%s0", "%z", 0, -128, 127, "i8")", "", {}, {0.5, -1, 0, 0}},
    {"dequantize_per_channel.default", R"("%s3", "%z3", 0, -128, 127, "i8")", "3 scales for 2 channels"},
};

Result<Case> read_odd(const OddParameters& row) {
  const bool quantizes = row.op.starts_with("quantize");
  return parse_case(fmt::format(
      R"({{"parallax": 1, "name": "t", "requires": ["quantized"], "graph": {{"inputs": {{"x": {{"type": "{}[2,2]"}}}}, {},
      "nodes": [{{"out": "y", "op": "quantized_decomposed.{}", "args": ["%x", {}]}}], "outputs": ["%y"]}},
      "feed": {{"x": {}}}}})",
      quantizes ? "f32" : "i8", tensors, row.op, row.arguments, quantizes ? "[1, -2, 3, 0.5]" : "[1, -2, 3, 5]"));
}

Tensor returned_by_eager(const OddParameters& row) {
  Tensor tensor(row.reals.empty() ? DType::I8 : DType::F32, {2, 2});
  for (int64_t i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (row.reals.empty()) {
      tensor.set_integer(i, row.integers[at]);
    } else {
      tensor.set_double(i, row.reals[at]);
    }
  }
  return tensor;
}

TEST(OddQuantization, IsWhatPyTorchMakesOfIt) {
  for (const OddParameters& row : odd) {
    SCOPED_TRACE(row.op + " " + row.arguments);
    const Result<Case> test = read_odd(row);
    std::string error = test ? "" : test.error().text();
    Result<ExpectedRuns> expected = fail("not read");
    if (test) {
      expected = expected_runs(*find_profile("eager"), *test);
      if (!expected) error = expected.error().text();
    }
    if (!row.error.empty()) {
      EXPECT_TRUE(error.contains(row.error)) << error;
      if (!test) continue;
      const Outcome outcome = make_compiled_target("portable", {}).value()->run(*test, nullptr);
      EXPECT_NE(outcome.status, Status::Ok);
      EXPECT_TRUE(outcome.message.contains(row.error)) << outcome.message;
      continue;
    }
    ASSERT_EQ(error, "");
    const auto observed = [](const Tensor& tensor) {
      Observation observation;
      observation.outputs = {tensor};
      observation.inputs = {std::nullopt};
      return observation;
    };
    Outcome eager;
    eager.a = observed(returned_by_eager(row));
    const Judgement of_eager = judge(test->graph, *expected, eager, false);
    EXPECT_NE(of_eager.verdict, Verdict::Mismatch) << of_eager.reason;
    const Examination ours = examine(*make_compiled_target("portable", {}).value(), *test);
    EXPECT_NE(ours.judgement.verdict, Verdict::Mismatch) << ours.judgement.reason;
    EXPECT_EQ(ours.outcome.status, Status::Ok) << ours.outcome.message;
  }
}

}  // namespace
}  // namespace parallax
