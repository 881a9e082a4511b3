// F60 to F70: slips of the kernels that run fused calls of quantized tensors. Each is one rule of theirs.
#include <algorithm>
#include <cmath>

#include "compiler/faults.h"

namespace parallax {
namespace {

constexpr std::string_view kernels = "backends/portable/integer_kernels.cpp";

constexpr int64_t most_in_sixteen_bits = 32767;

int64_t sixteen_bits(int64_t sum) { return std::clamp(sum, -most_in_sixteen_bits - 1, most_in_sixteen_bits); }

int64_t with_a_sign(DType dtype, int64_t stored) { return dtype == DType::U8 && stored > 127 ? stored - 256 : stored; }

// The limits hold before the zero point is added; what is over them then wraps.
double saturated_early(double whole, double zero_point, const IntegerLimits& limits) {
  if (std::isnan(whole)) return whole;
  const double kept = std::clamp(whole, static_cast<double>(limits.low), static_cast<double>(limits.high));
  return static_cast<double>(wrap_to(limits.dtype, static_cast<int64_t>(kept + zero_point)));
}

}  // namespace

const Fault zeros_in_the_pads = {
    "F60",
    "zeros in the pads",
    kernels,
    "a quantized convolution pads with a stored 0, which is not the zero point",
    "tvm#4807, executorch#13576",
    [](CompilerParts& parts) { parts.integers.pad = [](int64_t) { return int64_t{0}; }; },
};

const Fault ties_away_from_zero = {
    "F61",
    "ties away from zero",
    kernels,
    "a requantization rounds ties away from 0",
    "tt-metal#56525, onnxruntime#25045",
    [](CompilerParts& parts) { parts.integers.round = [](double x) { return std::round(x); }; },
};

const Fault requantized_by_a_cut = {
    "F62",
    "requantized by a cut",
    kernels,
    "a requantization cuts towards 0 and does not round",
    "onnxruntime#18576, onnxruntime#32452",
    [](CompilerParts& parts) { parts.integers.round = [](double x) { return std::trunc(x); }; },
};

const Fault bias_in_steps = {
    "F63",
    "bias in steps",
    kernels,
    "the bias of a quantized product is added as it is stored, without its scales",
    "torch-mlir#4645",
    [](CompilerParts& parts) {
      parts.integers.bias = [](double bias, double input, double weight) { return bias / (input * weight); };
    },
};

const Fault sums_of_sixteen_bits = {
    "F64",
    "sums of sixteen bits",
    kernels,
    "a sum of quantized products saturates at 16 bits",
    "pytorch#17458, pytorch#76390, oneDNN#476",
    [](CompilerParts& parts) { parts.integers.accumulated = sixteen_bits; },
};

const Fault saturated_before_the_zero_point = {
    "F65",
    "saturated before the zero point",
    kernels,
    "a requantization saturates before it adds the zero point, and wraps then",
    "onnx-mlir#806, tt-metal#56290",
    [](CompilerParts& parts) { parts.integers.saturate = saturated_early; },
};

const Fault activated_as_stored = {
    "F66",
    "activated as stored",
    kernels,
    "an activation behind a quantized call compares what is stored with bounds of real numbers",
    "executorch#18462",
    [](CompilerParts& parts) { parts.integers.activates_integers = true; },
};

const Fault mean_cut_to_an_integer = {
    "F67",
    "mean cut to an integer",
    kernels,
    "a quantized average pool divides integers and loses what is left",
    "tvm#20298, hls4ml#1297",
    [](CompilerParts& parts) {
      parts.integers.mean = [](int64_t sum, int64_t count) { return static_cast<double>(sum / count); };
    },
};

const Fault bytes_with_a_sign = {
    "F68",
    "bytes with a sign",
    kernels,
    "bytes of 128 and more are read as negative numbers",
    "torch-mlir#3122",
    [](CompilerParts& parts) { parts.integers.read = with_a_sign; },
};

const Fault maximum_from_zero = {
    "F69",           "maximum from zero",
    kernels,         "a quantized max pool begins with a stored 0",
    "FlagGems#5938", [](CompilerParts& parts) { parts.integers.lowest = [](DType) { return int64_t{0}; }; },
};

const Fault scale_of_the_row = {
    "F70",
    "scale of the row",
    kernels,
    "the scales of a product's channels are laid along its rows",
    "ppq#339, compressed-tensors#394",
    [](CompilerParts& parts) { parts.integers.scale = [](int64_t, int64_t row) { return row; }; },
};

}  // namespace parallax
