// Quantizing a case: calibrates on what it is fed, and puts quantize and dequantize where a quantizer puts them.
#pragma once

#include <array>
#include <string_view>

#include "graph/case.h"

namespace parallax {

// What becomes integers.
enum class QuantizeMode : uint8_t {
  Static,       // weights and activations, by ranges seen when the case is run
  Dynamic,      // weights, and what products read, by the range of each run
  WeightOnly,   // weights, in eight bits
  WeightOnly4,  // weights, four bits in groups
  EightDaFourW  // weights of four bits in groups, and each token by its own range
};

struct QuantizeModeInfo {
  QuantizeMode mode;
  std::string_view name;
};
inline constexpr std::array quantize_modes = {
    QuantizeModeInfo{QuantizeMode::Static, "static"}, QuantizeModeInfo{QuantizeMode::Dynamic, "dynamic"},
    QuantizeModeInfo{QuantizeMode::WeightOnly, "weight-only"}, QuantizeModeInfo{QuantizeMode::WeightOnly4, "4bit"},
    QuantizeModeInfo{QuantizeMode::EightDaFourW, "8da4w"}};

struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::Static;
  bool per_channel = true;        // of weights; else one scale for each
  bool symmetric = false;         // of activations; weights always are
  DType activations = DType::I8;  // or u8
  bool integer_biases = false;    // i32, by the scales of what is multiplied
  int64_t group = 32;             // of weights of four bits; a row that it does not divide is one group
};

struct QuantizedCase {
  Case test;
  int calls = 0;    // that read integers now
  int tensors = 0;  // that a quantize makes
  int weights = 0;  // that are stored as integers
};

// An error where the case has sizes that change, subgraphs or gradients, where nothing in it is quantized, or where the
// oracle cannot run it.
Result<QuantizedCase> quantize_case(const Case& test, const QuantizeOptions& options);

}  // namespace parallax
