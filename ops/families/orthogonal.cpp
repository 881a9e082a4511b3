// Orthogonal: the classical orthogonal polynomials, of a degree that is an operand too.
#include <array>
#include <string_view>
#include <vector>

#include "ops/ball_orthogonal.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/wide_op.h"

namespace parallax {
namespace {

using Family = OrthogonalFamily;

template <Family family, bool shifted>
Ball polynomial(const BallMath& math, const BallPair& pair) {
  return ball_orthogonal(math, family, shifted, pair.a, pair.b);
}

// Eager takes a step a degree; a degree of billions keeps it busy for minutes.
constexpr double most_degrees = 0x1p20;

Result<void> check_degrees(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Operand degrees(call, arg::n, output.layout.sizes, output.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(output.layout.numel()); ++i) {
    const Ball degree = degrees.ball(i);
    if (degree.decided() && degree.high() > most_degrees) {
      return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                   fmt::format("{}: a polynomial of degree {}", call.op().name, degree.high())});
    }
  }
  return {};
}

template <Family family, bool shifted>
Result<void> reference_polynomial(const ReferenceCall& call) {
  TRY_VOID(check_degrees(call));
  return reference_binary(call, wide_pair_function<polynomial<family, shifted>>);
}

// The point, the degree or neither may be a number.
template <Family family, bool shifted = false>
void add_polynomial(std::vector<OpDef>& ops, const std::array<std::string_view, 3>& schemas) {
  for (std::string_view schema : schemas) {
    OpDef op = wide_pair_op<polynomial<family, shifted>>(schema);
    op.reference = reference_polynomial<family, shifted>;
    ops.push_back(op);
  }
}

}  // namespace

std::vector<OpDef> orthogonal_family() {
  std::vector<OpDef> ops;
  add_polynomial<Family::ChebyshevT>(ops, {"special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevU>(ops, {"special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevV>(ops, {"special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevW>(ops, {"special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
                                           "special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevT, true>(
      ops, {"special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevU, true>(
      ops, {"special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevV, true>(
      ops, {"special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::ChebyshevW, true>(
      ops, {"special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
            "special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::HermiteH>(ops, {"special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor",
                                         "special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor",
                                         "special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::HermiteHe>(ops, {"special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor",
                                          "special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor",
                                          "special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::Laguerre>(ops, {"special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor",
                                         "special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor",
                                         "special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor"});
  add_polynomial<Family::Legendre>(ops, {"special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor",
                                         "special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor",
                                         "special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor"});
  return ops;
}

}  // namespace parallax
