// Products with a constant matrix: the library's fully connected operator.
#include <array>

#include "backends/xnnpack/definer.h"

namespace parallax::xnnpack {
namespace {

// What an op calls its operands. Not every op has a bias.
struct Product {
  ParameterRef input;
  ParameterRef weight;
  ParameterRef bias = arg::bias;
  bool weight_is_turned = false;  // [out, in], as the library has it
};

constexpr Product linear = {.input = arg::input, .weight = arg::weight, .weight_is_turned = true};
constexpr Product mm = {.input = arg::self, .weight = second_operand};
constexpr Product addmm = {.input = arg::mat1, .weight = arg::mat2, .bias = arg::self};

// A bias as the library adds it: one number for each output channel.
std::optional<Layout> bias_layout(const NodeCall& call, ParameterRef bias) {
  Layout layout = call.tensor(bias).layout;
  if (layout.rank() == 2 && layout.sizes[0] == 1) {
    layout.sizes.erase(0);
    layout.strides.erase(0);
  }
  return layout.rank() > 1 ? std::nullopt : broadcast_to(layout, {call.result_sizes().back()});
}

template <const Product& at>
bool fits(const NodeCall& call) {
  if (!call.is_constant(at.weight) || call.sizes(at.weight).size() != 2) return false;
  if (call.sizes(at.input).empty() || call.sizes(at.input).size() != call.result_sizes().size()) return false;
  // The library has no scales.
  for (arg scale : {arg::beta, arg::alpha}) {
    if (call.has(scale) && call.real(scale) != 1) return false;
  }
  if (!call.has(at.bias)) return true;
  return call.is_constant(at.bias) && bias_layout(call, at.bias).has_value();
}

template <const Product& at>
xnn_status fully_connected(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, at.input);
  Layout weight = call.tensor(at.weight).layout;
  if (!at.weight_is_turned) {
    std::swap(weight.sizes[0], weight.sizes[1]);
    std::swap(weight.strides[0], weight.strides[1]);
  }
  const std::vector<std::size_t> sizes(weight.sizes.begin(), weight.sizes.end());
  const uint32_t filter = definer.constant(call.constant(at.weight, weight), sizes);
  uint32_t bias = XNN_INVALID_VALUE_ID;
  if (call.has(at.bias)) {
    bias = definer.constant(call.constant(at.bias, *bias_layout(call, at.bias)), {sizes[0]});
  }
  constexpr Range all;
  return xnn_define_fully_connected(definer.subgraph(), all.low, all.high, x, filter, bias, definer.result(call), 0);
}

constexpr std::array product_table = {
    OpRow{"aten.linear.default", fits<linear>, fully_connected<linear>, Order::RowMajor},
    OpRow{"aten.mm.default", fits<mm>, fully_connected<mm>, Order::RowMajor},
    OpRow{"aten.matmul.default", fits<mm>, fully_connected<mm>, Order::RowMajor},
    OpRow{"aten.addmm.default", fits<addmm>, fully_connected<addmm>, Order::RowMajor},
};

}  // namespace

std::span<const OpRow> product_rows() { return product_table; }

}  // namespace parallax::xnnpack
