// Arithmetic of two tensors, or of a tensor and a number: numpy's broadcasting, which the library has too.
#include <array>

#include "backends/xnnpack/definer.h"

namespace parallax::xnnpack {
namespace {

using Clamped = xnn_status (*)(xnn_subgraph_t, float, float, uint32_t, uint32_t, uint32_t, uint32_t);
using Plain = xnn_status (*)(xnn_subgraph_t, uint32_t, uint32_t, uint32_t, uint32_t);

template <Clamped define>
xnn_status clamped(Definer& definer, const NodeCall& call) {
  const uint32_t a = definer.operand(call, arg::self);
  const uint32_t b = definer.operand(call, arg::other);
  constexpr Range all;
  return define(definer.subgraph(), all.low, all.high, a, b, definer.result(call), 0);
}

// a + alpha b.
template <Clamped define>
xnn_status scaled(Definer& definer, const NodeCall& call) {
  const uint32_t a = definer.operand(call, arg::self);
  uint32_t b = definer.operand(call, arg::other);
  constexpr Range all;
  if (const double alpha = call.real(arg::alpha); alpha != 1) {
    const uint32_t product = definer.temporary(call.is_tensor(arg::other) ? definer.sizes(call.value(arg::other))
                                                                          : std::vector<std::size_t>());
    const xnn_status status =
        xnn_define_multiply2(definer.subgraph(), all.low, all.high, b, definer.number(alpha), product, 0);
    if (status != xnn_status_success) return status;
    b = product;
  }
  return define(definer.subgraph(), all.low, all.high, a, b, definer.result(call), 0);
}

template <Plain define>
xnn_status plain(Definer& definer, const NodeCall& call) {
  const uint32_t a = definer.operand(call, arg::self);
  const uint32_t b = definer.operand(call, arg::other);
  return define(definer.subgraph(), a, b, definer.result(call), 0);
}

constexpr std::array arithmetic_table = {
    OpRow{"aten.add.Tensor", always_fits, scaled<xnn_define_add2>},
    OpRow{"aten.add.Scalar", always_fits, scaled<xnn_define_add2>},
    OpRow{"aten.sub.Tensor", always_fits, scaled<xnn_define_subtract>},
    OpRow{"aten.sub.Scalar", always_fits, scaled<xnn_define_subtract>},
    OpRow{"aten.mul.Tensor", always_fits, clamped<xnn_define_multiply2>},
    OpRow{"aten.mul.Scalar", always_fits, clamped<xnn_define_multiply2>},
    OpRow{"aten.div.Tensor", always_fits, clamped<xnn_define_divide>},
    OpRow{"aten.div.Scalar", always_fits, clamped<xnn_define_divide>},
    OpRow{"aten.maximum.default", always_fits, plain<xnn_define_maximum2>},
    OpRow{"aten.minimum.default", always_fits, plain<xnn_define_minimum2>},
    OpRow{"aten.max.other", always_fits, plain<xnn_define_maximum2>},
    OpRow{"aten.min.other", always_fits, plain<xnn_define_minimum2>},
};

}  // namespace

std::span<const OpRow> arithmetic_rows() { return arithmetic_table; }

}  // namespace parallax::xnnpack
