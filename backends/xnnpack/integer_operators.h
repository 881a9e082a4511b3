// XNNPACK's operators on quantized integers in one form, for two generations of its headers (generation.h). In the
// older one call sets an operator up. In the newer one an operator is reshaped first, creation takes caches, and a
// product of two tensors is an element-wise operator without bounds.
#pragma once

#include <xnnpack.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace parallax::xnnpack {

// A tensor's scale and zero point, as both generations read them.
struct IntegerScale {
  float scale = 1;
  int32_t zero_point = 0;
};

// The memory that an operator works in; the older generation brings its own.
using Workspace = std::vector<uint8_t>;

// Creates a linear layer or a convolution: `given` and where the operator goes, with no caches between them.
template <class... Taken, class... Given>
xnn_status create_operator(xnn_status (*create)(Taken...), xnn_operator_t& op, Given... given) {
  if constexpr (sizeof...(Taken) == sizeof...(Given) + 1) {
    return create(given..., &op);
  } else {
    return create(given..., nullptr, nullptr, &op);
  }
}

#ifdef XNN_DEPRECATED

inline constexpr auto create_convolution_by_channel = xnn_create_convolution2d_nhwc_qs8_qc8w;

template <class Q>
xnn_status create_product(xnn_operator_t& op, IntegerScale a, IntegerScale b, IntegerScale made, Q, Q) {
  const auto parameters = [](IntegerScale one) { return xnn_quantization_params{one.zero_point, one.scale}; };
  const xnn_quantization_params of_a = parameters(a), of_b = parameters(b), of_made = parameters(made);
  return xnn_create_binary_elementwise_nd(xnn_binary_multiply,
                                          std::is_signed_v<Q> ? xnn_datatype_qint8 : xnn_datatype_quint8, &of_a, &of_b,
                                          &of_made, 0, &op);
}

// Sets the operator up and runs it. The newer generation rounds to the whole range of the dtype: the bounds come after.
template <class Q>
xnn_status run_product(xnn_operator_t op, const std::vector<std::size_t>& shape, const Q* a, const Q* b, Q* made, Q low,
                       Q high) {
  xnn_status status =
      xnn_reshape_binary_elementwise_nd(op, shape.size(), shape.data(), shape.size(), shape.data(), nullptr);
  if (status == xnn_status_success) status = xnn_setup_binary_elementwise_nd(op, a, b, made);
  if (status == xnn_status_success) status = xnn_run_operator(op, nullptr);
  if (status != xnn_status_success) return status;
  std::size_t elements = 1;
  for (const std::size_t size : shape) elements *= size;
  std::transform(made, made + elements, made, [&](Q x) { return std::clamp(x, low, high); });
  return status;
}

template <class Q>
xnn_status set_up_linear(xnn_operator_t op, std::size_t batch, const Q* x, Q* made) {
  if constexpr (std::is_signed_v<Q>) {
    const xnn_status status = xnn_reshape_fully_connected_nc_qs8(op, batch, nullptr);
    return status == xnn_status_success ? xnn_setup_fully_connected_nc_qs8(op, x, made) : status;
  } else {
    const xnn_status status = xnn_reshape_fully_connected_nc_qu8(op, batch, nullptr);
    return status == xnn_status_success ? xnn_setup_fully_connected_nc_qu8(op, x, made) : status;
  }
}

template <class Q>
xnn_status set_up_convolution(xnn_operator_t op, bool by_channel, std::size_t batch, std::size_t height,
                              std::size_t width, Workspace& workspace, const Q* x, Q* made) {
  std::size_t size = 0, alignment = 1, height_out = 0, width_out = 0;
  const auto with = [&](auto reshape, auto set_up) {
    const xnn_status status = reshape(op, batch, height, width, &size, &alignment, &height_out, &width_out, nullptr);
    if (status != xnn_status_success) return status;
    alignment = std::max<std::size_t>(alignment, 1);
    workspace.assign(size + alignment, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    return set_up(op, workspace.data() + (alignment - address % alignment) % alignment, x, made);
  };
  if constexpr (std::is_signed_v<Q>) {
    return by_channel ? with(xnn_reshape_convolution2d_nhwc_qs8_qc8w, xnn_setup_convolution2d_nhwc_qs8_qc8w)
                      : with(xnn_reshape_convolution2d_nhwc_qs8, xnn_setup_convolution2d_nhwc_qs8);
  } else {
    return with(xnn_reshape_convolution2d_nhwc_qu8, xnn_setup_convolution2d_nhwc_qu8);
  }
}

#else

inline constexpr auto create_convolution_by_channel = xnn_create_convolution2d_nhwc_qc8;

template <class Q>
xnn_status create_product(xnn_operator_t& op, IntegerScale a, IntegerScale b, IntegerScale made, Q low, Q high) {
  const auto zero = [](IntegerScale one) { return static_cast<Q>(one.zero_point); };
  if constexpr (std::is_signed_v<Q>) {
    return xnn_create_multiply_nd_qs8(zero(a), a.scale, zero(b), b.scale, zero(made), made.scale, low, high, 0, &op);
  } else {
    return xnn_create_multiply_nd_qu8(zero(a), a.scale, zero(b), b.scale, zero(made), made.scale, low, high, 0, &op);
  }
}

// Sets the operator up and runs it.
template <class Q>
xnn_status run_product(xnn_operator_t op, const std::vector<std::size_t>& shape, const Q* a, const Q* b, Q* made, Q,
                       Q) {
  const auto with = [&](auto set_up) {
    const xnn_status status = set_up(op, shape.size(), shape.data(), shape.size(), shape.data(), a, b, made, nullptr);
    return status == xnn_status_success ? xnn_run_operator(op, nullptr) : status;
  };
  if constexpr (std::is_signed_v<Q>) {
    return with(xnn_setup_multiply_nd_qs8);
  } else {
    return with(xnn_setup_multiply_nd_qu8);
  }
}

template <class Q>
xnn_status set_up_linear(xnn_operator_t op, std::size_t batch, const Q* x, Q* made) {
  if constexpr (std::is_signed_v<Q>) {
    return xnn_setup_fully_connected_nc_qs8(op, batch, x, made, nullptr);
  } else {
    return xnn_setup_fully_connected_nc_qu8(op, batch, x, made, nullptr);
  }
}

template <class Q>
xnn_status set_up_convolution(xnn_operator_t op, bool by_channel, std::size_t batch, std::size_t height,
                              std::size_t width, Workspace&, const Q* x, Q* made) {
  if constexpr (std::is_signed_v<Q>) {
    return by_channel ? xnn_setup_convolution2d_nhwc_qc8(op, batch, height, width, x, made, nullptr)
                      : xnn_setup_convolution2d_nhwc_qs8(op, batch, height, width, x, made, nullptr);
  } else {
    return xnn_setup_convolution2d_nhwc_qu8(op, batch, height, width, x, made, nullptr);
  }
}

#endif

}  // namespace parallax::xnnpack
