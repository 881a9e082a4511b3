// Fused calls of quantized tensors on the Vulkan device: each computes what the oracle expects, and runs there.
#include <gmock/gmock.h>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "backends/vulkan/context.h"
#include "tests/support/quantized_text.h"

namespace parallax {
namespace {

using testing::call;
using testing::dequantize;
using ::testing::HasSubstr;
using testing::quantize;
using testing::quantized_case;

struct DeviceExample {
  std::string name;
  std::string type;  // of x
  std::string data;
  std::vector<std::string> nodes;
};

constexpr std::string_view constants = R"("constants": {
    "none": {"type": "i8[2,3]", "data": [0, 0, 0, 0, 0, 0]},
    "w": {"type": "i8[2,3]", "data": [3, -4, 5, 127, -128, 9]},
    "row": {"type": "i8[3]", "data": [0, -100, 77]},
    "v": {"type": "i8[3,2]", "data": [3, -4, 5, 127, -128, 9]},
    "f": {"type": "i8[2,4]", "data": [3, -4, 5, 7, -8, 6, 0, 2]},
    "m": {"type": "i16[4,1]", "data": [-32768, -32768, -32768, 32767]},
    "k": {"type": "i8[4,1,2,2]", "data": [3, -4, 5, 127, -128, 9, 1, 0, 2, -2, 2, -2, 100, 90, 80, 70]},
    "l": {"type": "i8[1,2,2]", "data": [3, -4, 5, 127]},
    "b": {"type": "f32[2]", "data": [0.5, -1.25]},
    "i": {"type": "i32[2]", "data": [40, -70]},
    "one": {"type": "i32[1]", "data": [70]},
    "s": {"type": "f32[2]", "data": [0.125, 0.0371]},
    "d64": {"type": "f64[2]", "data": [0.1, 0.0371]},
    "z": {"type": "i64[2]", "data": [2, -3]},
    "s4": {"type": "f64[4]", "data": [0.1, 0.0371, 3, 0.25]},
    "z4": {"type": "i32[4]", "data": [1, 0, -3, 5]},
    "gs": {"type": "f32[2,2]", "data": [0.125, 0.0371, 2, 0.3]},
    "gz": {"type": "i32[2,2]", "data": [1, 0, -2, 3]},
    "ts": {"type": "f64[2,1]", "data": [0.1, 0.7]},
    "tz": {"type": "i64[2,1]", "data": [4, -9]},
    "scale": {"type": "f64[]", "data": [0.1]},
    "zero": {"type": "i64[]", "data": [7]},
    "column": {"type": "f32[1,1]", "data": [0.25]},
    "vast": {"type": "f64[2]", "data": [1.7976931348623157e308, 1e200]},
    "far": {"type": "i64[2]", "data": [4611686018427387904, -3]}})";

std::string by_channel(std::string_view out, std::string_view of, std::string_view scales, std::string_view zero_points,
                       int axis, std::string_view dtype = "i8") {
  return fmt::format(R"({{"out": "{}", "op": "quantized_decomposed.dequantize_per_channel.default",
                        "args": ["%{}", "%{}", {}, {}, {}, "{}"]}})",
                     out, of, scales, zero_points, axis, testing::limits_of(dtype), dtype);
}

const std::string by_group = R"({"out": "dw", "op": "quantized_decomposed.dequantize_per_channel_group.default",
    "args": ["%f", "%gs", "%gz", -128, 127, "i8", 2, "f32"]})";
const std::string by_token = R"({"out": "d", "op": "quantized_decomposed.dequantize_per_token.default",
    "args": ["%x", "%ts", "%tz", -128, 127, "i8", "f32"]})";
const std::string by_tensor = R"({"out": "d", "op": "quantized_decomposed.dequantize_per_tensor.tensor",
    "args": ["%x", "%scale", "%zero", -128, 127, "i8"]})";
const std::string bytes = "[-128, 3, 4, 127, -1, 50]";

const std::vector<DeviceExample> products = {
    {"a linear",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), dequantize("dw", "w", 0.125, -5), call("y", "linear.default", R"("%d", "%dw", "%b")"),
      call("r", "relu.default", R"("%y")"), quantize("q", "r")}},
    {"a linear of channels, clamped, to unsigned bytes",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), by_channel("dw", "w", "d64", R"("%z")", 0), call("y", "linear.default", R"("%d", "%dw")"),
      call("c", "clamp.default", R"("%y", -1.0, 6.0)"), quantize("q", "c", 0.05, 100, "u8")}},
    {"a linear of one row, to 16 bits",
     "u8[3]",
     "[0, 200, 255]",
     {dequantize("d", "x", 0.25, 128, "u8"), by_channel("dw", "w", "s", "null", -2),
      call("y", "linear.default", R"("%d", "%dw", "%b")"), call("h", "hardtanh.default", R"("%y", -50.0, 60.0)"),
      quantize("q", "h", 0.001, 0, "i16")}},
    {"a linear that stays a float",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), by_channel("dw", "w", "s", R"("%z")", 0),
      call("q", "linear.default", R"("%d", "%dw", "%b")")}},
    {"a linear of tokens and groups",
     "i8[2,4]",
     "[-128, 3, 4, 127, -1, 50, 9, 0]",
     {by_token, by_group, call("q", "linear.default", R"("%d", "%dw", "%b")")}},
    {"a linear with parameters in tensors",
     "i8[2,3]",
     bytes,
     {by_tensor, by_channel("dw", "w", "s", "null", 0), call("q", "linear.default", R"("%d", "%dw")")}},
    {"a linear of a transposed tensor",
     "i8[3,2]",
     bytes,
     {R"({"out": "t", "op": "aten.permute.default", "args": ["%x", [1, 0]]})", dequantize("d", "t"),
      dequantize("dw", "w", 0.125, 0), call("y", "linear.default", R"("%d", "%dw")"), quantize("q", "y", 0.1, 5)}},
    {"a bias of integers by channel",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), dequantize("dw", "w", 0.125, 0), by_channel("db", "i", "s", "null", 0, "i32"),
      call("y", "linear.default", R"("%d", "%dw", "%db")"), quantize("q", "y", 0.3, -2, "i32")}},
    {"a product of matrices",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), by_channel("dw", "v", "s", R"("%z")", 1), call("y", "mm.default", R"("%d", "%dw")"),
      quantize("q", "y")}},
    {"a product and a sum",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), by_channel("dw", "v", "s", "null", 1), dequantize("db", "i", 0.03125, 4, "i32"),
      call("y", "addmm.default", R"("%db", "%d", "%dw")"), quantize("q", "y")}},
    {"a sum over 32 bits",
     "i16[1,4]",
     "[-32768, -32768, -32768, 32767]",
     {dequantize("d", "x", 0.0001, 0, "i16"), dequantize("dw", "m", 0.0001, 0, "i16"),
      call("y", "mm.default", R"("%d", "%dw")"), quantize("q", "y", 0.5, 0, "i16")}},
    {"a convolution of groups with a zero point in its pads",
     "i8[1,2,3,3]",
     "[-128, 3, 4, 127, -1, 50, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -90]",
     {dequantize("d", "x", 0.25, -17), by_channel("dw", "k", "s4", R"("%z4")", 0),
      call("y", "conv2d.default", R"("%d", "%dw", null, [2, 1], [1, 2], [1, 2], 2)"), quantize("q", "y", 1, 5)}},
    {"a convolution of one dim with a bias",
     "u8[2,2,4]",
     "[0, 3, 4, 127, 255, 50, 9, 0, 1, 2, 3, 4, 5, 6, 7, 200]",
     {dequantize("d", "x", 0.25, 128, "u8"), dequantize("dw", "l", 0.125, 3),
      dequantize("db", "one", 0.03125, 0, "i32"),
      call("y", "convolution.default", R"("%d", "%dw", "%db", [1], [1], [1], false, [0], 1)"),
      call("r", "relu.default", R"("%y")"), quantize("q", "r", 0.5, 100, "u8")}},
    {"the largest scales",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x", 10000, 127), by_channel("dw", "none", "vast", "null", 0),
      call("q", "linear.default", R"("%d", "%dw")")}},
    {"zero points that no sum has room for",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), by_channel("dw", "w", "s", R"("%far")", 0), call("q", "linear.default", R"("%d", "%dw")")}},
};

std::string quantized(std::string_view what, std::string_view arguments) {
  return fmt::format(R"({{"out": "q", "op": "quantized_decomposed.{}", "args": [{}]}})", what, arguments);
}

// What a quantizer leaves where nothing is fused.
const std::vector<DeviceExample> parameters = {
    {"quantized by channel",
     "f32[2,3]",
     "[-100, 0.25, 3.5, 0.0371, -1, 70]",
     {quantized("quantize_per_channel.default", R"("%x", "%s", "%z", 0, -128, 127, "i8")")}},
    {"quantized by the last dim, with scales of doubles",
     "f32[1,3,2]",
     "[-100, 0.25, 3.5, 0.0371, -1, 70]",
     {quantized("quantize_per_channel.default", R"("%x", "%d64", "%z", -1, -100, 100, "i8")")}},
    {"dequantized by channel",
     "i8[2,3]",
     bytes,
     {quantized("dequantize_per_channel.default", R"("%x", "%s", "%z", 0, -128, 127, "i8")")}},
    {"dequantized by the last dim, without zero points",
     "i8[3,2]",
     bytes,
     {quantized("dequantize_per_channel.default", R"("%x", "%d64", null, 1, -128, 127, "i8")")}},
    {"quantized by token",
     "f32[2,3]",
     "[-100, 0.25, 3.5, 0.7, -1, 70]",
     {quantized("quantize_per_token.default", R"("%x", "%ts", "%tz", -128, 127, "i8")")}},
    {"dequantized by token",
     "i8[2,3]",
     bytes,
     {quantized("dequantize_per_token.default", R"("%x", "%ts", "%tz", -128, 127, "i8", "f32")")}},
    {"quantized by numbers in tensors",
     "f32[2,3]",
     "[-100, 0.25, 3.5, 0.7, -1, 70]",
     {quantized("quantize_per_tensor.tensor", R"("%x", "%scale", "%zero", -128, 127, "i8")")}},
    {"dequantized by numbers in tensors",
     "i8[]",
     "[5]",
     {quantized("dequantize_per_tensor.tensor", R"("%x", "%column", "%zero", -128, 127, "i8")")}},
};

const std::string picture = "[-128, 3, 4, 127, -1, 50, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -90]";
const std::string picture_of_bytes = "[0, 3, 4, 127, 255, 50, 9, 0, 1, 2, 3, 4, 5, 6, 7, 128, 9, 200]";

const std::vector<DeviceExample> others = {
    {"a maximum of windows",
     "i8[1,2,3,3]",
     picture,
     {dequantize("d", "x"), call("y", "max_pool2d.default", R"("%d", [2, 2], [1, 1], [1, 1])"),
      quantize("q", "y", 0.5, 3)}},
    {"a mean in which pads count",
     "u8[2,3,3]",
     picture_of_bytes,
     {dequantize("d", "x", 0.25, 128, "u8"), call("y", "avg_pool2d.default", R"("%d", [2, 2], [1, 1], [1, 1])"),
      quantize("q", "y", 0.1, 5)}},
    {"a mean in which they do not",
     "u8[1,2,3,3]",
     picture_of_bytes,
     {dequantize("d", "x", 0.25, 128, "u8"),
      call("y", "avg_pool2d.default", R"("%d", [2, 2], [1, 1], [1, 1], false, false)"),
      call("r", "relu.default", R"("%y")"), quantize("q", "r", 0.1, 100, "u8")}},
    {"a sum of two scales",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), dequantize("e", "row", 0.0371, -7), call("y", "add.Tensor", R"("%d", "%e")"),
      quantize("q", "y", 0.1, 5)}},
    {"a product of two, clamped",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), dequantize("e", "w", 0.0371, -7), call("y", "mul.Tensor", R"("%e", "%d")"),
      call("c", "clamp.default", R"("%y", null, 6.0)"), quantize("q", "c", 0.1, 5, "i16")}},
    {"a concatenation",
     "i8[2,3]",
     bytes,
     {dequantize("d", "x"), dequantize("e", "f", 0.0371, -7), call("y", "cat.default", R"(["%d", "%e", "%d"], -1)"),
      call("r", "relu.default", R"("%y")"), quantize("q", "r", 0.1, 5)}},
    {"other parameters", "i8[2,3]", bytes, {dequantize("d", "x"), quantize("q", "d", 0.3, 100, "u8")}},
    {"other parameters, in tensors",
     "i8[2,3]",
     bytes,
     {by_tensor, call("h", "hardtanh.default", R"("%d", -2.0, 3.0)"),
      quantized("quantize_per_tensor.tensor", R"("%h", "%scale", "%zero", -128, 127, "i8")")}},
};

class VulkanIntegers : public ::testing::Test {
 protected:
  // Skipped where there is no driver.
  void SetUp() override {
    const auto context = vulkan::Context::open({});
    if (!context) GTEST_SKIP() << context.error().reason;
    target_ = open_target("vulkan?in-process=yes", {}).value();
  }

  static Case case_of(const DeviceExample& example) {
    return quantized_case(
        fmt::format(R"({{"inputs": {{"x": {{"type": "{}"}}}}, {}, "nodes": [{}], "outputs": ["%q"]}})", example.type,
                    constants, testing::joined(example.nodes)),
        fmt::format(R"({{"x": {}}})", example.data));
  }

  void check(const std::vector<DeviceExample>& examples, int fused) {
    for (const DeviceExample& example : examples) {
      SCOPED_TRACE(example.name);
      const Examination seen = examine(*target_, case_of(example));
      EXPECT_EQ(seen.judgement.verdict, Verdict::Match) << seen.judgement.reason << seen.outcome.message;
      EXPECT_EQ(seen.outcome.fused, fused);
      EXPECT_EQ(seen.outcome.delegated, 1);
    }
  }

  std::unique_ptr<Target> target_;
};

TEST_F(VulkanIntegers, AreMadeByParametersInTensors) { check(parameters, 0); }

TEST_F(VulkanIntegers, SumProductsOfWhatIsStored) { check(products, 1); }

TEST_F(VulkanIntegers, ArePooledJoinedAndAdded) { check(others, 1); }

// Whether the scale is a number, which is left to the CPU, or known at run time.
TEST_F(VulkanIntegers, RaiseWhereAScaleIsZero) {
  for (const std::string& scale : {std::string("0.0"), std::string(R"("%x")")}) {
    const std::string overload = scale == "0.0" ? "default" : "tensor";
    const std::string zero_point = scale == "0.0" ? "0" : R"("%zero")";
    const DeviceExample example = {"",
                                   "f32[]",
                                   "[0]",
                                   {quantized("quantize_per_tensor." + overload,
                                              fmt::format(R"("%x", {}, {}, -128, 127, "i8")", scale, zero_point))}};
    EXPECT_THAT(target_->run(case_of(example), nullptr).message, HasSubstr("float division by zero"));
  }
}

}  // namespace
}  // namespace parallax
