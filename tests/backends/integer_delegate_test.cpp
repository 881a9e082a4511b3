// XNNPACK's integer operators: each computes what the oracle expects, and what the library does not compute as exactly,
// or asserts on, is left to the kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "backends/xnnpack/backends.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

struct DelegateExample {
  std::string name;
  std::string call;     // between the pairs; reads d, dw and db
  std::string sizes;    // of x
  std::string weights;  // type and data of w
  std::string scale = "0.25";
  std::string dtype = "i8";
  std::string weight_scale = "0.125";  // or of channels, where it names a tensor
  bool taken = true;
};

const std::vector<DelegateExample> delegated = {
    {"linear", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2", R"("2,2", [3, -4, 5, 127])"},
    {"linear with a bias", R"("aten.linear.default", "args": ["%d", "%dw", "%db"])", "2,2",
     R"("2,2", [3, -4, 5, 127])"},
    {"linear of bytes", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2", R"("2,2", [3, 4, 5, 127])", "0.25",
     "u8"},
    {"convolution", R"("aten.conv2d.default", "args": ["%d", "%dw", null, [1, 1], [1, 1]])", "1,1,2,2",
     R"("2,1,2,2", [3, -4, 5, 127, -127, 1, 0, 9])"},
    {"convolution by channel", R"("aten.conv2d.default", "args": ["%d", "%dw", null, [2, 1], [1, 0]])", "1,1,2,2",
     R"("2,1,2,2", [3, -4, 5, 127, -127, 1, 0, 9])", "0.25", "i8", "%s"},
    {"convolution of bytes", R"("aten.conv2d.default", "args": ["%d", "%dw", null, [1, 1], [1, 1]])", "1,1,2,2",
     R"("2,1,2,2", [3, 4, 5, 127, 127, 1, 0, 9])", "0.25", "u8"},
    {"product of two", R"("aten.mul.Tensor", "args": ["%d", "%d"])", "2,2", R"("1", [0])"},
    {"a scale that the library asserts on", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2",
     R"("2,2", [3, -4, 5, 127])", "1e-12", "i8", "0.125", false},
    {"a scale that it refuses", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2", R"("2,2", [3, -4, 5, 127])",
     "1e6", "i8", "0.125", false},
    {"a negative scale", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2", R"("2,2", [3, -4, 5, 127])", "-0.25",
     "i8", "0.125", false},
    {"a scale of 0", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2", R"("2,2", [3, -4, 5, 127])", "0.0", "i8",
     "0.125", false},
    {"linear by channel", R"("aten.linear.default", "args": ["%d", "%dw"])", "2,2", R"("2,2", [3, -4, 5, 127])", "0.25",
     "i8", "%s", false},
};

Case delegated_case(const DelegateExample& example) {
  const bool bytes = example.dtype == "u8";
  const std::string limits = bytes ? "0, 255, \"u8\"" : "-128, 127, \"i8\"";
  const std::size_t split = example.weights.find(", ");
  const std::string type = fmt::format("{}[{}]", example.dtype, example.weights.substr(1, split - 2));
  const std::string weight =
      example.weight_scale.starts_with('%')
          ? R"("quantized_decomposed.dequantize_per_channel.default", "args": ["%w", "%s", null, 0, -128, 127, "i8"])"
          : fmt::format(R"("quantized_decomposed.dequantize_per_tensor.default", "args": ["%w", {}, {}, {}])",
                        example.weight_scale, bytes ? 7 : 0, limits);
  const Result<Case> test = parse_case(fmt::format(
      R"({{"parallax": 1, "name": "t", "requires": ["quantized"], "graph": {{"inputs": {{"x": {{"type": "{}[{}]"}}}},
        "constants": {{"w": {{"type": "{}", "data": {}}}, "s": {{"type": "f32[2]", "data": [0.125, 0.0371]}},
                      "b": {{"type": "i32[2]", "data": [40, -70]}}}},
        "nodes": [{{"out": "d", "op": "quantized_decomposed.dequantize_per_tensor.default", "args": ["%x", {}, 3, {}]}},
                  {{"out": "dw", "op": {}}},
                  {{"out": "db", "op": "quantized_decomposed.dequantize_per_tensor.default",
                    "args": ["%b", 0.03125, 0, -2147483648, 2147483647, "i32"]}},
                  {{"out": "y", "op": {}}}, {{"out": "r", "op": "aten.relu.default", "args": ["%y"]}},
                  {{"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%r", 0.5, 5, {}]}}],
        "outputs": ["%q"]}}, "feed": {{"x": {}}}}})",
      example.dtype, example.sizes, type, example.weights.substr(split + 2), example.scale, limits, weight,
      example.call, limits, bytes ? "[0, 3, 100, 255]" : "[-128, 3, 50, 127]"));
  EXPECT_TRUE(test) << test.error().text();
  return test.value();
}

TEST(IntegerDelegate, ComputesWhatItTakesAndLeavesTheRest) {
  CompiledTargetOptions options;
  options.delegates = &xnnpack::delegates();
  const auto target = make_compiled_target("xnnpack", options).value();
  for (const DelegateExample& example : delegated) {
    SCOPED_TRACE(example.name);
    const Case test = delegated_case(example);
    const Examination seen = examine(*target, test);
    EXPECT_EQ(seen.judgement.verdict, Verdict::Match) << seen.judgement.reason;
    EXPECT_EQ(seen.outcome.fused, 1);
    EXPECT_EQ(seen.outcome.delegated, example.taken ? 1 : 0);
  }
}

}  // namespace
}  // namespace parallax
