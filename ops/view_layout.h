// The layouts that ATen's view ops give: pure functions from a layout and plain arguments to a layout of the same
// storage.
//
// They mirror eager down to the strides of size-1 and empty dims, because those decide whether a later view() is legal.
// An error is what eager raises, without the op's name (in_op puts it in front).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/layout.h"
#include "core/result.h"
#include "ops/op.h"

namespace parallax {

// A dim number in [-rank, rank) as one in [0, rank); a rank of 0 counts as 1, as in eager.
Result<int> wrap_dim(int64_t dim, int rank);
// Several distinct dims, each wrapped.
Result<std::vector<int>> wrap_dims(std::span<const int64_t> dims, int rank);
// Like wrap_dim, for the ops that need a dim: a 0-d tensor is an error.
Result<int> existing_dim(int64_t dim, int rank);

// The sizes as a shape: not negative, at most max_rank of them.
Result<Dims> to_sizes(std::span<const int64_t> sizes);
// The sizes of a reshape of `numel` elements, with a -1 filled in.
Result<Dims> infer_sizes(std::span<const int64_t> sizes, int64_t numel);

// The layout of what a call takes a view of.
inline const Layout& self_layout(const Call& call) { return call.tensor(arg::self).layout; }

Result<Layout> view_layout(const Layout& layout, std::span<const int64_t> sizes);
Result<Layout> expand_layout(const Layout& layout, std::span<const int64_t> sizes);
Result<Layout> permute_layout(const Layout& layout, std::span<const int64_t> dims);
Result<Layout> transpose_layout(const Layout& layout, int64_t dim0, int64_t dim1);
Result<Layout> t_layout(const Layout& layout);
Result<Layout> movedim_layout(const Layout& layout, int64_t source, int64_t destination);
// Without its size-1 dims: all of them, or those among `dims`.
Layout squeeze_all_layout(const Layout& layout);
Result<Layout> squeeze_layout(const Layout& layout, std::span<const int64_t> dims);
Result<Layout> unsqueeze_layout(const Layout& layout, int64_t dim);

Result<Layout> select_layout(const Layout& layout, int64_t dim, int64_t index);
// Bounds wrap once and are clamped; nothing stands for the first or one past the last index.
Result<Layout> slice_layout(const Layout& layout, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                            int64_t step);
Result<Layout> narrow_layout(const Layout& layout, int64_t dim, int64_t start, int64_t length);
Result<Layout> diagonal_layout(const Layout& layout, int64_t offset, int64_t dim1, int64_t dim2);
Result<Layout> unfold_layout(const Layout& layout, int64_t dim, int64_t size, int64_t step);
// `elements` is how many the storage holds.
Result<Layout> as_strided_layout(const Layout& layout, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                                 std::optional<int64_t> offset, int64_t elements);

// One layout for each of the sizes, side by side along a dim.
std::vector<Layout> split_layouts(const Layout& layout, int dim, std::span<const int64_t> sizes);

// How many elements a storage is known to hold: as far as any value of it reaches.
int64_t known_elements(std::span<const TensorMeta> metas, StorageId storage);

// Puts the op's name in front of an error's reason.
std::unexpected<Error> in_op(const Call& call, Error error);

// The infer of an op with one result that is a view of self, from the rule of its layout.
using LayoutFn = Result<Layout> (*)(const Call& call);
template <LayoutFn layout_of>
Result<std::vector<ResultMeta>> infer_view(const Call& call) {
  const Result<Layout> layout = layout_of(call);
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, *layout, call.value(arg::self)}};
}

}  // namespace parallax
