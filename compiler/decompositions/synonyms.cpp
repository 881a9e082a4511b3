// Ops that are another op under a name of their own, or one of its results.
#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

template <const char* const& op>
Terms of_two(Composer& c) {
  return {c.call(op, {c.argument(arg::self), c.argument(arg::other)})};
}

constexpr const char* bitwise_and_tensor = "aten.bitwise_and.Tensor";
constexpr const char* bitwise_and_scalar = "aten.bitwise_and.Scalar";
constexpr const char* bitwise_or_tensor = "aten.bitwise_or.Tensor";
constexpr const char* bitwise_or_scalar = "aten.bitwise_or.Scalar";
constexpr const char* bitwise_xor_tensor = "aten.bitwise_xor.Tensor";
constexpr const char* bitwise_xor_scalar = "aten.bitwise_xor.Scalar";

// A range of the numbers that the overload does not leave out.
Terms range(Composer& c) {
  const Argument start = c.takes(arg::start) ? c.argument(arg::start) : Argument(Scalar(int64_t{0}));
  return {c.call("aten.arange.start_step", {start, c.argument(arg::end), Scalar(int64_t{1})},
                 {{"dtype", c.result().dtype}})};
}

// The maxima without their places.
template <const char* const& op>
Terms maxima(Composer& c) {
  return {c.call(op, {c.raw(arg::self).value, c.argument(arg::kernel_size), c.argument(arg::stride),
                      c.argument(arg::padding), c.argument(arg::dilation), c.argument(arg::ceil_mode)})};
}

constexpr const char* pictures = "aten.max_pool2d_with_indices.default";
constexpr const char* volumes = "aten.max_pool3d_with_indices.default";

// A line as a picture of one row.
Terms maxima_of_lines(Composer& c) {
  const Term line = c.raw(arg::self);
  const auto in_row = [&](arg name, int64_t along) {
    const IntList& numbers = c.integers(name);
    return numbers.empty() ? IntList{} : IntList{along, numbers[0]};
  };
  const int64_t rank = c.sizes(line).size();
  const Term picture =
      c.call(pictures, {unsqueezed(line, rank - 1).value, in_row(arg::kernel_size, 1), in_row(arg::stride, 1),
                        in_row(arg::padding, 0), in_row(arg::dilation, 1), c.argument(arg::ceil_mode)});
  return {viewed(picture, c.result().layout.sizes)};
}

// Outside of training everything is kept.
Terms native_dropout(Composer& c) {
  return {c.call("aten.clone.default", {c.argument(arg::input)}), c.full(c.result().layout.sizes, true, DType::Bool)};
}

constexpr std::array synonym_rows = {
    Decomposition{"aten.__and__.Tensor", of_two<bitwise_and_tensor>},
    Decomposition{"aten.__and__.Scalar", of_two<bitwise_and_scalar>},
    Decomposition{"aten.__or__.Tensor", of_two<bitwise_or_tensor>},
    Decomposition{"aten.__or__.Scalar", of_two<bitwise_or_scalar>},
    Decomposition{"aten.__xor__.Tensor", of_two<bitwise_xor_tensor>},
    Decomposition{"aten.__xor__.Scalar", of_two<bitwise_xor_scalar>},
    Decomposition{"aten.arange.default", range},
    Decomposition{"aten.arange.start", range},
    Decomposition{"aten.native_dropout.default", native_dropout},
    Decomposition{"aten.max_pool1d.default", maxima_of_lines},
    Decomposition{"aten.max_pool2d.default", maxima<pictures>},
    Decomposition{"aten.max_pool3d.default", maxima<volumes>},
};

}  // namespace

DecompositionTable::Rows synonym_decompositions() { return synonym_rows; }

}  // namespace parallax
