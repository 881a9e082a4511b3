// Functions: what one operation of a pointwise program computes, as GLSL, by class of numbers.
//
// The shader's switch is made of a table of them (function_table.cpp), and ops are rows over it (device_pointwise.cpp).
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
// as llvmpipe does, should not be given many that are dear. Those that are special want a shader for themselves, and
// of double so do all that are not plain.
enum class Family : uint8_t { Plain, Transcendental, Elaborate, Special };

// Expressions over a, b and c; empty where there is none for the class. A predicate gives a flag instead of a number.
struct Function {
  std::string_view name;
  std::array<std::string_view, number_classes> expressions;
  Family family = Family::Plain;
  bool predicate = false;
  bool raises = false;     // of a divisor that is 0, in some class
  bool in_double = false;  // numbers of the Float class are made doubles, and the result is rounded
};

const Function& find_function(std::string_view name);

// The operation's number; nothing where the class has no expression.
std::optional<uint32_t> opcode_of(const Function& function, NumberClass numbers);

// Operations that are no functions.
inline constexpr uint32_t convert_opcode = 0;  // a, from dtype b to dtype c
inline constexpr uint32_t place_opcode = 1;    // the element's row-major number
inline constexpr uint32_t select_opcode = 2;   // a ? b : c, of any class

// Operations by their numbers.
using Opcodes = std::bitset<512>;
// All that come along with these: their families in their classes, where there is more than one function.
Opcodes with_families(const Opcodes& opcodes);
// Whether some function of these is to have its shader for itself, and has not: each combination would be one more to
// compile, and that takes the longest.
bool are_too_many(const Opcodes& opcodes);
// The number of an operation's case in the shader of these, which counts only them.
uint32_t case_number(const Opcodes& opcodes, uint32_t opcode);
// The cases of the shader's switch for these.
std::string function_cases(const Opcodes& opcodes);

}  // namespace parallax::vulkan
