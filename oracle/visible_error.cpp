#include "oracle/visible_error.h"

#include <algorithm>
#include <cmath>

namespace parallax {

double visible_error(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return 0x1p-5;
    case DType::BF16:
      return 0x1p-3;
    default:
      return 0x1p-8;
  }
}

double scale_of(const BallTensor& tensor) {
  // One flushed to zero is no visible error.
  double scale = 4 * info(tensor.dtype).smallest_normal / visible_error(tensor.dtype);
  for (const Spread& spread : tensor.spreads) {
    if (std::isfinite(spread.value)) scale = std::max(scale, std::fabs(spread.value));
  }
  if (!tensor.spreads.empty()) return scale;
  for (const Ball& ball : tensor.balls) {
    if (ball.decided() && std::isfinite(ball.mid)) scale = std::max(scale, clearance(ball));
  }
  return scale;
}

}  // namespace parallax
