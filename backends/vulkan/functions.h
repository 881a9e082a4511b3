// Functions: what one operation of a pointwise program computes, as GLSL, by class of numbers.
//
// The shader's switch is made of this table (pointwise_program.cpp), and ops are rows over it (pointwise_kernels.cpp).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/dtype.h"

namespace parallax::vulkan {

// As in shaders/interface.glsl.
enum class NumberClass : uint8_t { Float, Integer, Double };
inline constexpr std::size_t number_classes = 3;
constexpr NumberClass class_of(DType dtype) {
  if (dtype < DType::F16) return NumberClass::Integer;
  return dtype == DType::F64 ? NumberClass::Double : NumberClass::Float;
}

// Which functions come along where a program has several: a driver that runs all cases of a switch for each operation,
// as llvmpipe does, should not be given many that are dear.
enum class Family : uint8_t { Plain, Transcendental, Elaborate };

// Expressions over a, b and c; empty where there is none for the class. A predicate gives a flag instead of a number.
struct Function {
  std::string_view name;
  std::array<std::string_view, number_classes> expressions;
  Family family = Family::Plain;
  bool predicate = false;
  bool raises = false;  // integers only
};

const Function& find_function(std::string_view name);

// The number of the operation in a program; nothing where the class has no expression.
std::optional<uint32_t> opcode_of(const Function& function, NumberClass numbers);

// Operations that are no functions.
inline constexpr uint32_t convert_opcode = 0;  // a, from dtype b to dtype c
inline constexpr uint32_t place_opcode = 1;    // the element's row-major number
inline constexpr uint32_t select_opcode = 2;   // a ? b : c, of any class

// Operations by their numbers.
using Opcodes = std::bitset<256>;
// All that come along with these: their families in their classes, where there is more than one function.
Opcodes with_families(const Opcodes& opcodes);
// The cases of the shader's switch for these.
std::string function_cases(const Opcodes& opcodes);

}  // namespace parallax::vulkan
