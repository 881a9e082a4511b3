// Borders that show elements of the tensor again: a move for each piece of the result.
#include <algorithm>

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {
namespace {

// A part of the result and where its elements come from.
struct Piece {
  Layout from, to;
};

// The piece cut along a dim to `count` elements: those of the result from `target` on show those of the operand from
// `source` on, which are `step` apart.
void add_part(const Piece& piece, int dim, int64_t target, int64_t source, int64_t count, int64_t step,
              std::vector<Piece>& parts) {
  if (count <= 0) return;
  Piece part = piece;
  part.to.offset += target * part.to.strides[dim];
  part.from.offset += source * part.from.strides[dim];
  part.from.strides[dim] *= step;
  part.to.sizes[dim] = part.from.sizes[dim] = count;
  parts.push_back(std::move(part));
}

// reflection_padNd and replication_padNd(self, padding): two widths a dim, from the last one on; what is negative cuts
// off. A reflection shows the edge itself once.
template <bool reflects>
Result<void> pad(const KernelCall& call) {
  const TensorRef& output = call.output();
  if (output.layout->numel() == 0) return {};
  std::vector<Piece> pieces = {{*call.input(arg::self).layout, *output.layout}};
  const IntList& widths = call.integers(arg::padding);
  for (std::size_t k = 0; 2 * k < widths.size(); ++k) {
    const int dim = output.layout->rank() - 1 - static_cast<int>(k);
    const int64_t size = call.input(arg::self).layout->sizes[dim];
    const int64_t all = output.layout->sizes[dim];
    const int64_t before = widths[2 * k];
    std::vector<Piece> parts;
    for (const Piece& piece : pieces) {
      const int64_t step = reflects ? -1 : 0;
      // Elements of the operand that lie within the result, of which the first is this one.
      const int64_t first = std::max<int64_t>(-before, 0);
      const int64_t end = std::min(size, all - before);
      add_part(piece, dim, 0, reflects ? before : 0, std::min(before, all), step, parts);
      add_part(piece, dim, first + before, first, end - first, 1, parts);
      const int64_t behind = std::max(size, first);
      add_part(piece, dim, behind + before, reflects ? 2 * (size - 1) - behind : size - 1, all - before - behind, step,
               parts);
    }
    pieces = std::move(parts);
  }
  for (const Piece& piece : pieces) call.move(call.input(arg::self), piece.from, output, piece.to);
  return {};
}

constexpr std::array pad_table = {
    KernelRow{"aten.reflection_pad1d.default", takes_any, pad<true>},
    KernelRow{"aten.reflection_pad2d.default", takes_any, pad<true>},
    KernelRow{"aten.reflection_pad3d.default", takes_any, pad<true>},
    KernelRow{"aten.replication_pad1d.default", takes_any, pad<false>},
    KernelRow{"aten.replication_pad2d.default", takes_any, pad<false>},
    KernelRow{"aten.replication_pad3d.default", takes_any, pad<false>},
};

}  // namespace

std::span<const KernelRow> pad_kernels() { return pad_table; }

}  // namespace parallax::vulkan
