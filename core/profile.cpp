#include "core/profile.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, function_kinds> function_names = {
    "division", "sqrt",  "rsqrt", "exp",   "exp2",  "expm1",   "log",  "log2",  "log10",
    "log1p",    "sin",   "cos",   "tan",   "asin",  "acos",    "atan", "sinh",  "cosh",
    "tanh",     "asinh", "acosh", "atanh", "power", "sigmoid", "erf",  "gamma", "other"};

}  // namespace

std::string_view name(FunctionKind kind) { return function_names[static_cast<std::size_t>(kind)]; }

}  // namespace parallax
