#include "backends/vulkan/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/check.h"

namespace parallax::vulkan {
namespace {

// An expression that reads the same in every class.
constexpr Function same(std::string_view name, std::string_view expression) {
  return {name, {expression, expression, expression}};
}
constexpr Function of_floats(std::string_view name, std::string_view floats, std::string_view doubles = "",
                             Family family = Family::Plain) {
  return {name, {floats, "", doubles}, family};
}
constexpr Function transcendental(std::string_view name, std::string_view floats) {
  return of_floats(name, floats, "", Family::Transcendental);
}
constexpr Function comparison(std::string_view name, std::string_view expression) {
  return {name, {expression, expression, expression}, Family::Plain, true};
}

// GLSL has no transcendental function of doubles.
constexpr std::array functions = {
    same("neg", "-a"),
    Function{"abs", {"abs(a)", "a < 0 ? -a : a", "abs(a)"}},
    same("relu", "a < 0 ? a * 0 : a"),
    Function{"sign",
             {"a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0", "int64_t(a > 0 ? 1 : a < 0 ? -1 : 0)",
              "a > 0.0lf ? 1.0lf : a < 0.0lf ? -1.0lf : 0.0lf"}},
    Function{"floor", {"floor(a)", "a", "floor(a)"}},
    Function{"ceil", {"ceil(a)", "a", "ceil(a)"}},
    Function{"trunc", {"trunc(a)", "a", "trunc(a)"}},
    Function{"round", {"roundEven(a)", "a", "round_to_even(a)"}},
    of_floats("frac", "is_inf(a) ? float_nan : a - trunc(a)", ""),
    of_floats("reciprocal", "1.0 / a", "1.0lf / a"),
    of_floats("sqrt", "sqrt(a)", "sqrt(a)"),
    of_floats("rsqrt", "inversesqrt(a)"),
    transcendental("exp", "exp(a)"),
    transcendental("exp2", "exp2(a)"),
    transcendental("expm1", "exp(a) - 1.0"),
    transcendental("log", "log(a)"),
    transcendental("log2", "log2(a)"),
    transcendental("log10", "log(a) * 0.4342944819032518"),
    transcendental("log1p", "log(1.0 + a)"),
    transcendental("sigmoid", "1.0 / (1.0 + exp(-a))"),
    transcendental("sin", "sin(a)"),
    transcendental("cos", "cos(a)"),
    transcendental("tan", "tan(a)"),
    transcendental("asin", "asin(a)"),
    transcendental("acos", "acos(a)"),
    transcendental("atan", "arc_tangent(a)"),
    transcendental("sinh", "hyperbolic_sine(a)"),
    transcendental("cosh", "cosh(a)"),
    transcendental("tanh", "tanh(a)"),
    transcendental("asinh", "area_sine(a)"),
    transcendental("acosh", "area_cosine(a)"),
    transcendental("atanh", "atanh(a)"),
    transcendental("erf", "error_function(a)"),
    transcendental("erfc", "1.0 - error_function(a)"),
    // The third operand is alpha.
    same("add", "a + c * b"),
    same("sub", "a - c * b"),
    same("mul", "a * b"),
    of_floats("div", "a / b", "a / b"),
    Function{"maximum", {"maximum(a, b)", "a > b ? a : b", "maximum(a, b)"}},
    Function{"minimum", {"minimum(a, b)", "a < b ? a : b", "minimum(a, b)"}},
    Function{
        "fmax",
        {"is_nan(a) ? b : is_nan(b) || a > b ? a : b", "a > b ? a : b", "is_nan(a) ? b : is_nan(b) || a > b ? a : b"}},
    Function{
        "fmin",
        {"is_nan(a) ? b : is_nan(b) || a < b ? a : b", "a < b ? a : b", "is_nan(a) ? b : is_nan(b) || a < b ? a : b"}},
    Function{"clamp", {"clamped(a, b, c)", "min(max(a, b), c)", "clamped(a, b, c)"}},
    Function{"fmod", {"remaining(a, b)", "remaining(a, b)", ""}, Family::Elaborate, false, true},
    Function{"div_floor", {"floored(a, b)", "floored(a, b)", ""}, Family::Elaborate, false, true},
    Function{"div_trunc", {"trunc(a / b)", "cut_quotient(a, b)", "trunc(a / b)"}, Family::Elaborate, false, true},
    Function{"pow", {"power(a, b)", "power(a, b)", ""}, Family::Elaborate},
    of_floats("atan2", "angle_of(a, b)", "", Family::Elaborate),
    of_floats("hypot", "hypotenuse(a, b)", "", Family::Elaborate),
    of_floats("copysign", "with_sign(a, is_negative(b))"),
    Function{"bitwise_and", {"", "a & b", ""}},
    Function{"bitwise_or", {"", "a | b", ""}},
    Function{"bitwise_xor", {"", "a ^ b", ""}},
    Function{"bitwise_not", {"", "~a", ""}},
    // The third operand is the dtype's width.
    Function{"shift_left", {"", "b < 0 || b >= c ? int64_t(0) : a << b", ""}},
    Function{"shift_right", {"", "b < 0 || b >= c ? int64_t(a < 0 ? -1 : 0) : a >> b", ""}},
    comparison("lt", "a < b"),
    comparison("le", "a <= b"),
    comparison("gt", "a > b"),
    comparison("ge", "a >= b"),
    comparison("eq", "a == b"),
    comparison("ne", "!(a == b)"),
    Function{"signbit", {"is_negative(a)", "a < 0", "is_negative(a)"}, Family::Plain, true},
    Function{"logical_not", {"a == 0.0", "a == 0", "a == 0.0lf"}, Family::Plain, true},
};

constexpr uint32_t first_function = 3;

struct ClassText {
  std::string_view type, to, bits;
};
constexpr std::array<ClassText, number_classes> class_texts = {ClassText{"float", "to_float", "float_bits"},
                                                               ClassText{"int64_t", "to_integer", "integer_bits"},
                                                               ClassText{"double", "to_double", "double_bits"}};

// By opcode, those that are no functions.
constexpr std::array<std::string_view, first_function> common_cases = {
    "    case 0: y_bits = converted(a_bits, second, third); break;\n",
    "    case 1: y_bits = integer_bits(int64_t(item)); break;\n",
    "    case 2: y_bits = a_bits.x != 0u ? b_bits : c_bits; break;\n",
};

// Calls `visit(function, class, opcode)` for each expression of the table.
template <class Visit>
void for_each_expression(Visit&& visit) {
  uint32_t opcode = first_function;
  for (const Function& function : functions) {
    for (std::size_t k = 0; k < number_classes; ++k) {
      if (!function.expressions[k].empty()) visit(function, static_cast<NumberClass>(k), opcode++);
    }
  }
  PARALLAX_CHECK(opcode <= 256);  // what an operation's word has room for
}

}  // namespace

const Function& find_function(std::string_view name) {
  const auto found = std::ranges::find(functions, name, &Function::name);
  PARALLAX_CHECK(found != functions.end());
  return *found;
}

std::optional<uint32_t> opcode_of(const Function& function, NumberClass numbers) {
  std::optional<uint32_t> found;
  for_each_expression([&](const Function& candidate, NumberClass k, uint32_t opcode) {
    if (candidate.name == function.name && k == numbers) found = opcode;
  });
  return found;
}

Opcodes with_families(const Opcodes& opcodes) {
  Opcodes functions_only = opcodes;
  for (uint32_t opcode = 0; opcode < first_function; ++opcode) functions_only.reset(opcode);
  if (functions_only.count() <= 1) return opcodes;
  std::set<std::pair<Family, NumberClass>> families;
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    if (opcodes[opcode]) families.emplace(function.family, k);
  });
  Opcodes all = opcodes;
  for (uint32_t opcode = 0; opcode < first_function; ++opcode) all.set(opcode);
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    if (families.contains({function.family, k})) all.set(opcode);
  });
  return all;
}

std::string function_cases(const Opcodes& opcodes) {
  std::string cases;
  for (uint32_t opcode = 0; opcode < first_function; ++opcode) {
    if (opcodes[opcode]) cases += common_cases[opcode];
  }
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    if (!opcodes[opcode]) return;
    const auto& [type, to, bits] = class_texts[static_cast<std::size_t>(k)];
    const std::string_view expression = function.expressions[static_cast<std::size_t>(k)];
    cases += fmt::format("    case {}: {{\n", opcode);
    for (const char operand : {'a', 'b', 'c'}) {
      cases += fmt::format("      precise {} {} = {}({}_bits);\n", type, operand, to, operand);
    }
    cases += function.predicate
                 ? fmt::format("      y_bits = flag_bits({});\n", expression)
                 : fmt::format("      precise {} y = {};\n      y_bits = {}(y);\n", type, expression, bits);
    cases += "      break;\n    }\n";
  });
  return cases;
}

}  // namespace parallax::vulkan
