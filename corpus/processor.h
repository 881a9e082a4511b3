// The processor that a verdict was made on, by the instructions that it has.
#pragma once

#include <string_view>

namespace parallax {

// This machine's level by the x86-64 psABI: "x86-64-v4" (AVX-512), "x86-64-v3" (AVX2, FMA, BMI), else "x86-64";
// "aarch64" or "other" elsewhere. Systems choose their kernels by these, and some are wrong with one set alone.
std::string_view processor_level();

}  // namespace parallax
