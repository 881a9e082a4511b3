// Indexed moves: elements that go out of a place that indices name, or into one, where several may meet.
#pragma once

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {

// As in shaders/indexed.glsl.
enum class Direction : uint32_t { Gathers, Scatters, Adds, Multiplies, KeepsLargest, KeepsSmallest };

// What an index may be: from 0 to the dim's size; that or counted from the end; anything, of which the remainder
// counts; from 0 or -1, which is passed over.
enum class IndexRange : uint32_t { FromStart, FromEitherEnd, Wraps, PassesOver };

inline constexpr std::size_t most_indices = 3;  // beside the source, in a narrow shader

// An index tensor: how it lies along the dims of what is moved, and the dim that it names places of.
struct Index {
  TensorRef tensor;
  Layout layout;
  int64_t size = 0;
  int64_t step = 0;  // of that dim, in the tensor that is indexed
  IndexRange range = IndexRange::FromStart;
};

// Moves elements of `sizes`: `source` and `target` are layouts of them, but for the dims that indices name.
struct IndexedMove {
  Direction direction = Direction::Gathers;
  Dims sizes;
  TensorRef from, to;
  Layout source, target;
  std::vector<Index> indices;
};

void record_indexed(const KernelCall& call, const IndexedMove& move);

// A layout whose dim goes where an index says.
Layout along(Layout layout, int dim);
// A 0-d tensor is looked at as 1-d.
Layout at_least_1d(const Layout& layout);

// The elements of an operand in one row: its own memory where they lie so, else a copy of them. `row` is the layout of
// the tensor that comes out, and has to outlive it.
Result<TensorRef> in_one_row(const KernelCall& call, const TensorRef& tensor, Layout& row);

}  // namespace parallax::vulkan
