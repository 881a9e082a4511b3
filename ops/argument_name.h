// Argument names: the names that ATen's schemas give to parameters, as one list.
//
// Kernels read their arguments by these names (`call.real(arg::eps)`), never by position: overloads of one family put
// the same argument at different places. Each schema resolves them to positions once, when it is parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parallax {

// One row a name, in alphabetical order. A schema may hold names that are not listed: nothing reads these.
#define PARALLAX_ARGUMENT_NAMES(X)                                                                                     \
  X(accumulate)                                                                                                        \
  X(align_corners) X(alpha) X(approximate) X(attn_mask) X(axis) X(batch1) X(batch2) X(batch_first) X(beta) X(bias) X(  \
      bias_sizes) X(bidirectional) X(boundaries) X(C) X(ceil_mode) X(chunks) X(col) X(compute_mode) X(condition)       \
      X(copy) X(correction) X(count_include_pad) X(cudnn_enable) X(cudnn_enabled) X(decimals) X(descending) X(         \
          destination) X(device) X(diagonal) X(dilation) X(dim) X(dim0) X(dim1) X(dim2) X(dimension) X(dims)           \
          X(divisor_override) X(dropout) X(dropout_mask) X(dropout_p) X(dtype) X(enable_gqa) X(end) X(end_dim) X(eps)  \
              X(exponent) X(fill_value) X(grad_out) X(grad_output) X(grid) X(group) X(group_size) X(groups)            \
                  X(half_to_float) X(has_biases) X(hx) X(HxW) X(implicit) X(include_last_offset) X(include_self)       \
                      X(index) X(indices) X(input) X(input_scale) X(interpolation_mode) X(is_causal) X(k) X(keepdim)   \
                          X(kernel_size) X(key) X(lambd) X(largest) X(layout) X(length) X(m) X(mask)                   \
                              X(mat) X(mat1) X(mat2) X(max) X(max_val) X(mean) X(memory_format) X(min) X(              \
                                  min_val) X(mode) X(momentum) X(N) X(n) X(nan) X(negative_slope)                      \
                                  X(neginf) X(non_blocking) X(normalized_shape) X(num_groups) X(                       \
                                      num_layers) X(num_weights) X(offset) X(offsets) X(ord) X(other)                  \
                                      X(out_dtype) X(out_int32) X(output_dtype) X(output_mask) X(                      \
                                          output_padding) X(output_size) X(p) X(pad) X(padding)                        \
                                          X(padding_idx) X(padding_mode) X(params) X(per_sample_weights) X(pin_memory) \
                                              X(posinf) X(quant_max) X(quant_min)                                      \
                                                  X(query) X(reduce) X(repeats) X(right) X(rounding_mode) X(           \
                                                      row) X(rstd) X(running_mean) X(running_var) X(s) X(scale)        \
                                                      X(scale_factors) X(scale_grad_by_freq) X(                        \
                                                          scales) X(scales_d) X(scales_h) X(scales_w) X(self) X(shape) \
                                                          X(shifts) X(side) X(size) X(sizes) X(sorted)                 \
                                                              X(sorted_sequence) X(sorter) X(source) X(sparse) X(      \
                                                                  sparse_grad) X(split_size) X(split_sizes)            \
                                                                  X(src) X(stable) X(start) X(start_dim) X(step) X(    \
                                                                      storage_offset) X(stride) X(tensor)              \
                                                                      X(tensor1) X(tensor2) X(tensors) X(the_template) \
                                                                          X(threshold) X(train) X(training)            \
                                                                              X(transposed) X(unbiased) X(value)       \
                                                                                  X(values) X(vec) X(vec1) X(vec2)     \
                                                                                      X(weight) X(x) X(x1) X(x2)       \
                                                                                          X(zero_point) X(zero_points)

// Spelled as in the schemas.
enum class arg : uint8_t {
#define PARALLAX_ENUMERATOR(name) name,
  PARALLAX_ARGUMENT_NAMES(PARALLAX_ENUMERATOR)
#undef PARALLAX_ENUMERATOR
};

#define PARALLAX_ONE(name) +1
inline constexpr int argument_names = 0 PARALLAX_ARGUMENT_NAMES(PARALLAX_ONE);
#undef PARALLAX_ONE

// "eps".
std::string_view name(arg argument);
// Nothing where the list does not hold the name.
std::optional<arg> parse_argument_name(std::string_view name);

// Names one parameter of a call: by its name or, for code that walks over the parameters, by its position.
class ParameterRef {
 public:
  constexpr ParameterRef(arg name) : code_(~static_cast<int>(name)) {}
  constexpr ParameterRef(int position) : code_(position) {}

  constexpr bool by_name() const { return code_ < 0; }
  // Of a reference by position, and by name.
  constexpr int position() const { return code_; }
  constexpr arg name() const { return static_cast<arg>(~code_); }

  constexpr bool operator==(const ParameterRef&) const = default;

 private:
  int code_;
};

// The operands of an op with one or two, whatever its overloads call them: self, input or x; other, exponent, values
// or n. For code that serves many ops.
inline constexpr ParameterRef first_operand{0};
inline constexpr ParameterRef second_operand{1};

}  // namespace parallax
