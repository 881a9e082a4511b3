// New tensors of one number, and what is kept of a tensor on one side of a diagonal.
#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

// The result's sizes are known, whatever parameter states them.
template <int64_t value>
Terms filled_with(Composer& c) {
  return {c.full(c.result().layout.sizes, value, c.result().dtype)};
}

// The strides may leave gaps, which are memory of the tensor too.
Terms empty_strided(Composer& c) {
  const Layout& layout = c.result().layout;
  const Term memory = c.full({layout.extent()}, 0, c.result().dtype);
  return {c.call("aten.as_strided.default",
                 {memory.value, c.argument(arg::size), c.argument(arg::stride), Scalar(int64_t{0})})};
}

template <arg number>
Terms filled_by(Composer& c) {
  return {c.full(c.result().layout.sizes, c.scalar(number), c.result().dtype)};
}

// 0, 1, … along a dim.
Term places(Composer& c, int64_t count, const Dims& sizes) {
  return viewed(c.call("aten.arange.start_step", {Scalar(int64_t{0}), Scalar(count), Scalar(int64_t{1})}), sizes);
}

// Column less row of each element of the last two dims.
Term diagonal_of(Composer& c, const Dims& sizes) {
  const int64_t rows = sizes[sizes.size() - 2];
  const int64_t columns = sizes.back();
  return places(c, columns, {1, columns}) - places(c, rows, {rows, 1});
}

// A product with a mask would make NaN of what is left out.
Terms tril(Composer& c) {
  const Term x = c.raw(arg::self);
  return {choose(at_most(diagonal_of(c, c.sizes(x)), c.scalar(arg::diagonal)), x, apply("zeros_like", x))};
}

Terms triu(Composer& c) {
  const Term x = c.raw(arg::self);
  return {choose(less(diagonal_of(c, c.sizes(x)), c.scalar(arg::diagonal)), apply("zeros_like", x), x)};
}

Terms eye(Composer& c) { return {equal(diagonal_of(c, c.result().layout.sizes), 0)}; }

constexpr std::array creation_rows = {
    Decomposition{"aten.zeros.default", filled_with<0>},
    Decomposition{"aten.ones.default", filled_with<1>},
    Decomposition{"aten.new_zeros.default", filled_with<0>},
    Decomposition{"aten.new_ones.default", filled_with<1>},
    Decomposition{"aten.new_full.default", filled_by<arg::fill_value>},
    Decomposition{"aten.empty.memory_format", filled_with<0>},
    Decomposition{"aten.empty_strided.default", empty_strided},
    Decomposition{"aten.empty_like.default", filled_with<0>},
    Decomposition{"aten.new_empty.default", filled_with<0>},
    Decomposition{"aten.scalar_tensor.default", filled_by<arg::s>},
    Decomposition{"aten.tril.default", tril},
    Decomposition{"aten.triu.default", triu},
    Decomposition{"aten.eye.default", eye},
    Decomposition{"aten.eye.m", eye},
};

}  // namespace

DecompositionTable::Rows creation_decompositions() { return creation_rows; }

}  // namespace parallax
