// Functions of one tensor, element by element, and softmax.
#include <array>
#include <cmath>

#include "backends/portable/elements.h"
#include "backends/xnnpack/definer.h"
#include "backends/xnnpack/generation.h"

namespace parallax::xnnpack {
namespace {

using Plain = xnn_status (*)(xnn_subgraph_t, uint32_t, uint32_t, uint32_t);

template <Plain define>
xnn_status plain(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, arg::self);
  return define(definer.subgraph(), x, definer.result(call), 0);
}

// The library has alpha (exp(x) - 1) with a positive, normal alpha, and neither of the two scales.
bool is_plain_elu(const NodeCall& call) {
  const auto alpha = static_cast<float>(call.real(arg::alpha));
  return alpha > 0 && std::isnormal(alpha) && call.real(arg::scale) == 1 && call.real(arg::input_scale) == 1;
}

xnn_status elu(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, arg::self);
  return xnn_define_elu(definer.subgraph(), static_cast<float>(call.real(arg::alpha)), x, definer.result(call), 0);
}

bool has_finite_slope(const NodeCall& call) {
  return std::isfinite(static_cast<float>(call.real(arg::negative_slope)));
}

xnn_status leaky_relu(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, arg::self);
  return xnn_define_leaky_relu(definer.subgraph(), static_cast<float>(call.real(arg::negative_slope)), x,
                               definer.result(call), 0);
}

bool is_of_last_dim(const NodeCall& call) {
  const int rank = static_cast<int>(call.sizes(arg::self).size());
  return rank > 0 && portable::wrapped_dim(call.integer(arg::dim), rank) == rank - 1;
}

// The library asserts that what it rounds is no single number, and takes those everywhere else.
bool has_dims(const NodeCall& call) { return !call.sizes(arg::self).empty(); }

// The newer library's root is off by up to 2.1 ulp; from 1e38 on it is 1.5 times the root, and of infinity NaN.
bool has_right_root(const NodeCall&) { return !is_newer; }

constexpr std::array unary_table = {
    OpRow{"aten.abs.default", always_fits, plain<xnn_define_abs>},
    OpRow{"aten.neg.default", always_fits, plain<xnn_define_negate>},
    OpRow{"aten.ceil.default", always_fits, plain<xnn_define_ceiling>},
    OpRow{"aten.floor.default", always_fits, plain<xnn_define_floor>},
    OpRow{"aten.round.default", has_dims, plain<xnn_define_bankers_rounding>},
    OpRow{"aten.sqrt.default", has_right_root, plain<xnn_define_square_root>},
    OpRow{"aten.square.default", always_fits, plain<xnn_define_square>},
    OpRow{"aten.sigmoid.default", always_fits, plain<xnn_define_sigmoid>},
    OpRow{"aten.hardswish.default", always_fits, plain<xnn_define_hardswish>},
    OpRow{"aten.elu.default", is_plain_elu, elu},
    OpRow{"aten.leaky_relu.default", has_finite_slope, leaky_relu},
    OpRow{"aten._softmax.default", is_of_last_dim, plain<xnn_define_softmax>, Order::RowMajor},
    OpRow{"aten.softmax.int", is_of_last_dim, plain<xnn_define_softmax>, Order::RowMajor},
};

}  // namespace

std::span<const OpRow> unary_rows() { return unary_table; }

}  // namespace parallax::xnnpack
