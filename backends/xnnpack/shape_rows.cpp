// What moves elements without computing: padding, copies and reshapes of a tensor.
#include <algorithm>
#include <array>

#include "backends/xnnpack/definer.h"

namespace parallax::xnnpack {
namespace {

bool only_adds(const NodeCall& call) {
  return std::ranges::all_of(call.integers(arg::pad), [](int64_t padding) { return padding >= 0; });
}

// ATen lists pairs of paddings from the last dim on.
xnn_status pad(Definer& definer, const NodeCall& call) {
  const int rank = call.sizes(arg::self).size();
  const IntList& paddings = call.integers(arg::pad);
  std::vector<std::size_t> before(static_cast<std::size_t>(rank));
  std::vector<std::size_t> after = before;
  for (std::size_t i = 0; i + 1 < paddings.size(); i += 2) {
    before[before.size() - 1 - i / 2] = static_cast<std::size_t>(paddings[i]);
    after[after.size() - 1 - i / 2] = static_cast<std::size_t>(paddings[i + 1]);
  }
  if (definer.order() == Order::ChannelsLast) {
    for (std::vector<std::size_t>* sizes : {&before, &after})
      std::rotate(sizes->begin() + 1, sizes->begin() + 2, sizes->end());
  }
  const uint32_t x = definer.operand(call, arg::self);
  return xnn_define_static_constant_pad(definer.subgraph(), before.data(), after.data(),
                                        static_cast<float>(call.real(arg::value)), x, definer.result(call), 0);
}

// Row-major elements stay in their order, whatever the strides.
xnn_status reshape(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, arg::self);
  const std::vector<std::size_t> sizes = definer.sizes(call.result());
  return xnn_define_static_reshape(definer.subgraph(), sizes.size(), sizes.data(), x, definer.result(call), 0);
}

constexpr std::array shape_table = {
    OpRow{"aten.constant_pad_nd.default", only_adds, pad},
    OpRow{"aten.reshape.default", always_fits, reshape, Order::RowMajor},
    OpRow{"aten.flatten.using_ints", always_fits, reshape, Order::RowMajor},
    OpRow{"aten.view_copy.default", always_fits, reshape, Order::RowMajor},
    OpRow{"aten.unsqueeze_copy.default", always_fits, reshape, Order::RowMajor},
    OpRow{"aten.squeeze_copy.default", always_fits, reshape, Order::RowMajor},
    OpRow{"aten.squeeze_copy.dim", always_fits, reshape, Order::RowMajor},
};

}  // namespace

std::span<const OpRow> shape_rows() { return shape_table; }

}  // namespace parallax::xnnpack
