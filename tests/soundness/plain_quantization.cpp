// What quantization rounds: integers that are made floats again, and scales.
#include <algorithm>
#include <cmath>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

double dequantize(Perturbed& p, const PlainCall& call, double x) {
  return p.mul(p.sub(x, p.number(call.real(arg::zero_point))), p.number(call.real(arg::scale)));
}

// The largest magnitude of each row over 127.
void symmetric_scales(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  const PlainTensor& input = call.elements(arg::input);
  const std::size_t width = input.size() / std::max<std::size_t>(results[0].size(), 1);
  for (std::size_t row = 0; row < results[0].size(); ++row) {
    double most = p.number(1e-5);
    for (std::size_t i = 0; i < width; ++i) most = std::max(most, std::fabs(input[row * width + i]));
    results[0][row] = p.div(most, 127);
    results[1][row] = 0;
  }
}

}  // namespace

std::vector<PlainOp> plain_quantization_ops() {
  return {
      {"quantization", "quantized_decomposed.dequantize_per_tensor.default", PlainOp::One(dequantize),
       PlainOp::Domain::Any, false, true},
      {"quantization choice", "quantized_decomposed.choose_qparams_per_token.default",
       PlainOp::Whole(symmetric_scales)},
  };
}

}  // namespace parallax
