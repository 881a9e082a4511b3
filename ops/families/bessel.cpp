// Bessel: the Bessel functions of order 0 and 1 and Airy's function, element by element, in f32 and f64.
#include "ops/ball_bessel.h"
#include "ops/ball_special.h"
#include "ops/families.h"
#include "ops/wide_op.h"

namespace parallax {

std::vector<OpDef> bessel_family() {
  return {
      wide_op<ball_airy_ai>("special_airy_ai(Tensor x) -> Tensor"),
      wide_op<ball_bessel_j0>("special_bessel_j0(Tensor self) -> Tensor"),
      wide_op<ball_bessel_j1>("special_bessel_j1(Tensor self) -> Tensor"),
      wide_op<ball_bessel_y0>("special_bessel_y0(Tensor self) -> Tensor"),
      wide_op<ball_bessel_y1>("special_bessel_y1(Tensor self) -> Tensor"),
      wide_op<ball_i0>("special_modified_bessel_i0(Tensor self) -> Tensor"),
      wide_op<ball_i1>("special_modified_bessel_i1(Tensor self) -> Tensor"),
      wide_op<ball_bessel_k0>("special_modified_bessel_k0(Tensor self) -> Tensor"),
      wide_op<ball_bessel_k1>("special_modified_bessel_k1(Tensor self) -> Tensor"),
      wide_op<ball_scaled_bessel_k0>("special_scaled_modified_bessel_k0(Tensor x) -> Tensor"),
      wide_op<ball_scaled_bessel_k1>("special_scaled_modified_bessel_k1(Tensor x) -> Tensor"),
      wide_op<ball_spherical_bessel_j0>("special_spherical_bessel_j0(Tensor x) -> Tensor"),
  };
}

}  // namespace parallax
