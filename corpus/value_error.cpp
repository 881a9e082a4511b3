#include "corpus/value_error.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace parallax {
namespace {

struct ErrorClass {
  double most = 0;  // ulp
  std::string_view text;
};
constexpr std::array<ErrorClass, error_class_count> error_classes = {{{1, "at most 1 ulp"},
                                                                      {16, "at most 16 ulp"},
                                                                      {256, "at most 256 ulp"},
                                                                      {65536, "at most 65,536 ulp"},
                                                                      {0, "more"},
                                                                      {0, "NaN or infinity"}}};

}  // namespace

int error_class(double ulps) {
  if (!std::isfinite(ulps)) return error_class_count - 1;
  int at = 0;
  while (at < error_class_count - 2 && ulps > error_classes[static_cast<std::size_t>(at)].most) ++at;
  return at;
}

std::string_view error_class_text(int error_class) { return error_classes[static_cast<std::size_t>(error_class)].text; }

std::string ulps_text(const std::optional<double>& ulps) {
  if (!ulps) return "–";
  if (!std::isfinite(*ulps)) return "NaN or infinity";
  return tells_digits(*ulps, DType::F64) ? fmt::format("{:.2g} ulp", *ulps) : "no digit right";
}

}  // namespace parallax
