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
// In double for every floating dtype.
constexpr Function wide(std::string_view name, std::string_view expression, std::string_view expression_of_floats) {
  return {.name = name,
          .expressions = {expression_of_floats, "", expression},
          .family = Family::Special,
          .in_double = true};
}
constexpr Function wide(std::string_view name, std::string_view expression) {
  return wide(name, expression, expression);
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
    Function{.name = "inverse", .expressions = {"", "", "python_inverse(a)"}, .raises = true},
    of_floats("sqrt", "sqrt(a)", "sqrt(a)"),
    of_floats("rsqrt", "inversesqrt(a)", "1.0lf / sqrt(a)"),
    transcendental("exp", "exp(a)", "wide_exp(a)"),
    transcendental("exp2", "exp2(a)", "wide_exp2(a)"),
    transcendental("expm1", "exp(a) - 1.0", "wide_expm1(a)"),
    transcendental("log", "logarithm(a)", "wide_log(a)"),
    transcendental("log2", "logarithm2(a)", "wide_log2(a)"),
    transcendental("log10", "logarithm(a) * 0.4342944819032518", "wide_log10(a)"),
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
    of_floats("deg2rad", "a * 0.017453292519943295", "a * 0.017453292519943295lf"),
    of_floats("rad2deg", "a * 57.29577951308232", "a * 57.29577951308232lf"),
    // The second operand is the power of ten.
    of_floats("round_to_parts", "roundEven(a * b) / b", "round_to_even(a * b) / b"),
    of_floats("round_to_multiples", "roundEven(a / b) * b", "round_to_even(a / b) * b"),
    of_floats("soft_shrink", "is_nan(a) ? a : a > b ? a - b : a < -b ? a + b : a * 0.0",
              "is_nan(a) ? a : a > b ? a - b : a < -b ? a + b : a * 0.0lf"),
    // For an infinity b, or c if it is negative.
    of_floats("finite_or", "is_inf(a) ? is_negative(a) ? c : b : a", "is_inf(a) ? is_negative(a) ? c : b : a"),
    Function{"heaviside",
             {"is_nan(a) ? 0.0 : a == 0.0 ? b : a > 0.0 ? 1.0 : 0.0", "a == 0 ? b : int64_t(a > 0 ? 1 : 0)",
              "is_nan(a) ? 0.0lf : a == 0.0lf ? b : a > 0.0lf ? 1.0lf : 0.0lf"}},
    // The third operand is the format (float_math.glsl).
    of_floats("next_after", "next_float(a, b, c)", "next_double(a, b)", Family::Special),
    // The third operand is the dtype's width.
    Function{"gcd", {"", "common_divisor(a, b, c)", ""}, Family::Special},
    Function{"lcm", {"", "common_multiple(a, b, c)", ""}, Family::Special},
    // The product is rounded as eager's is.
    wide("sinc", "cardinal_sine(3.141592653589793lf * a)", "cardinal_sine(double(3.141592653589793 * float(a)))"),
    wide("logit", "log_odds(a, b)"),
    wide("logaddexp", "log_of_sum(a, b)"),
    wide("logaddexp2", "binary_log_of_sum(a, b)"),
    wide("xlogy", "times_log(a, b)"),
    wide("xlog1py", "times_log1p(a, b)"),
    wide("erfcx", "scaled_erfc(a)"),
    wide("erfinv", "inverse_erf(a)"),
    wide("ndtr", "normal_share(a)"),
    wide("ndtri", "normal_quantile(a)"),
    wide("entr", "entropy(a)"),
    wide("lgamma", "log_gamma(a)"),
    wide("digamma", "wide_digamma(a)"),
    // Here too.
    wide("trigamma", "wide_trigamma(a, 3.141592653589793lf * a)",
         "wide_trigamma(a, double(3.141592653589793 * float(a)))"),
    // The second operand is the order.
    wide("polygamma", "wide_polygamma(a, b)"),
    wide("zeta", "hurwitz_zeta(a, b)"),
    wide("airy_ai", "airy(a)"),
    wide("bessel_j0", "bessel_j0(a)"),
    wide("bessel_j1", "bessel_j1(a)"),
    wide("bessel_y0", "bessel_y0(a)"),
    wide("bessel_y1", "bessel_y1(a)"),
    wide("bessel_i0", "bessel_i0(a)"),
    wide("bessel_i1", "bessel_i1(a)"),
    wide("bessel_k0", "bessel_k0(a)"),
    wide("bessel_k1", "bessel_k1(a)"),
    wide("scaled_bessel_i0", "scaled_bessel_i0(a)"),
    wide("scaled_bessel_i1", "scaled_bessel_i1(a)"),
    wide("scaled_bessel_k0", "scaled_bessel_k0(a)"),
    wide("scaled_bessel_k1", "scaled_bessel_k1(a)"),
    wide("spherical_bessel_j0", "spherical_bessel_j0(a)"),
    wide("chebyshev_t", "chebyshev(FirstKind, a, b)"),
    wide("chebyshev_u", "chebyshev(SecondKind, a, b)"),
    wide("chebyshev_v", "chebyshev(ThirdKind, a, b)"),
    wide("chebyshev_w", "chebyshev(FourthKind, a, b)"),
    wide("shifted_chebyshev_t", "chebyshev(FirstKind, 2.0lf * a - 1.0lf, b)"),
    wide("shifted_chebyshev_u", "chebyshev(SecondKind, 2.0lf * a - 1.0lf, b)"),
    wide("shifted_chebyshev_v", "chebyshev(ThirdKind, 2.0lf * a - 1.0lf, b)"),
    wide("shifted_chebyshev_w", "chebyshev(FourthKind, 2.0lf * a - 1.0lf, b)"),
    wide("hermite_h", "hermite(HermiteH, a, b, 512.0lf)", "hermite(HermiteH, a, b, 128.0lf)"),
    wide("hermite_he", "hermite(HermiteHe, a, b, 512.0lf)", "hermite(HermiteHe, a, b, 128.0lf)"),
    wide("laguerre", "laguerre(a, b)"),
    wide("legendre", "legendre(a, b)"),
    Function{"is_nan", {"is_nan(a)", "", "is_nan(a)"}, Family::Plain, true},
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
