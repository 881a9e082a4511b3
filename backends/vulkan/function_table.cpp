#include "backends/vulkan/function_table.h"

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
constexpr Function transcendental(std::string_view name, std::string_view floats, std::string_view doubles) {
  return of_floats(name, floats, doubles, Family::Transcendental);
}
constexpr Function comparison(std::string_view name, std::string_view expression) {
  return {name, {expression, expression, expression}, Family::Plain, true};
}

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
    of_floats("frac", "is_inf(a) ? float_nan : a - trunc(a)", "is_inf(a) ? double_nan : a - trunc(a)"),
    of_floats("reciprocal", "1.0 / a", "1.0lf / a"),
    of_floats("sqrt", "sqrt(a)", "sqrt(a)"),
    of_floats("rsqrt", "inversesqrt(a)", "1.0lf / sqrt(a)"),
    transcendental("exp", "exp(a)", "wide_exp(a)"),
    transcendental("exp2", "exp2(a)", "wide_exp2(a)"),
    transcendental("expm1", "exp(a) - 1.0", "wide_expm1(a)"),
    transcendental("log", "log(a)", "wide_log(a)"),
    transcendental("log2", "log2(a)", "wide_log2(a)"),
    transcendental("log10", "log(a) * 0.4342944819032518", "wide_log10(a)"),
    transcendental("log1p", "log(1.0 + a)", "wide_log1p(a)"),
    transcendental("sigmoid", "1.0 / (1.0 + exp(-a))", "wide_sigmoid(a)"),
    transcendental("sin", "sin(a)", "wide_sin(a)"),
    transcendental("cos", "cos(a)", "wide_cos(a)"),
    transcendental("tan", "tan(a)", "wide_tan(a)"),
    transcendental("asin", "asin(a)", "wide_asin(a)"),
    transcendental("acos", "acos(a)", "wide_acos(a)"),
    transcendental("atan", "arc_tangent(a)", "wide_atan(a)"),
    transcendental("sinh", "hyperbolic_sine(a)", "wide_sinh(a)"),
    transcendental("cosh", "cosh(a)", "wide_cosh(a)"),
    transcendental("tanh", "tanh(a)", "wide_tanh(a)"),
    transcendental("asinh", "area_sine(a)", "wide_asinh(a)"),
    transcendental("acosh", "area_cosine(a)", "wide_acosh(a)"),
    transcendental("atanh", "atanh(a)", "wide_atanh(a)"),
    transcendental("erf", "error_function(a)", "wide_erf(a)"),
    transcendental("erfc", "1.0 - error_function(a)", "wide_erfc(a)"),
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
    Function{
        "fmod", {"float_remaining(a, b)", "remaining(a, b)", "wide_remaining(a, b)"}, Family::Elaborate, false, true},
    Function{
        "div_floor", {"float_floored(a, b)", "floored(a, b)", "wide_floored(a, b)"}, Family::Elaborate, false, true},
    Function{"div_trunc", {"trunc(a / b)", "cut_quotient(a, b)", "trunc(a / b)"}, Family::Elaborate, false, true},
    Function{"pow", {"power(a, b)", "whole_power(a, b)", "wide_power(a, b)"}, Family::Elaborate},
    of_floats("atan2", "angle_of(a, b)", "wide_angle_of(a, b)", Family::Elaborate),
    of_floats("hypot", "hypotenuse(a, b)", "wide_hypotenuse(a, b)", Family::Elaborate),
    of_floats("copysign", "with_sign(a, is_negative(b))", "signed_as(a, is_negative(b))"),
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

}  // namespace

std::span<const Function> function_table() { return functions; }

}  // namespace parallax::vulkan
