#include "ops/fresh_layout.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace parallax {
namespace {

// The dims of a channels-last format from the innermost to the outermost.
std::span<const int> channels_last_order(int rank) {
  static constexpr int images[] = {1, 3, 2, 0};
  static constexpr int volumes[] = {1, 4, 3, 2, 0};
  return rank == 4 ? std::span<const int>(images) : std::span<const int>(volumes);
}

Result<void> check_format_rank(MemoryFormat format, int rank) {
  const int wanted = format == MemoryFormat::ChannelsLast ? 4 : 5;
  if (rank != wanted) return fail("{} needs {} dims, the tensor has {}", name(format), wanted, rank);
  return {};
}

// -1: dim `a` lies inside dim `b`, 1: outside, 0: the operands do not tell.
int compare_dims(const Dims& sizes, std::span<const Dims> operand_strides, int a, int b) {
  for (const Dims& strides : operand_strides) {
    if (strides[a] == 0 || strides[b] == 0) continue;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

bool strides_suggest_channels_last(const Layout& layout) {
  if (layout.rank() != 4 && layout.rank() != 5) return false;
  if (layout.strides[1] == 0) return false;
  int64_t least = 0;
  for (int dim : channels_last_order(layout.rank())) {
    if (layout.sizes[dim] == 0 || layout.strides[dim] < least) return false;
    // One channel and one batch: the strides fit both formats.
    if (dim == 0 && least == layout.strides[1]) return false;
    least = layout.strides[dim] * std::max<int64_t>(layout.sizes[dim], 1);
  }
  return true;
}

// The dims from the innermost to the outermost, as the operands' strides ask for. Insertion sort as in eager: the
// comparison is not transitive, so the algorithm is part of the rule.
std::vector<int> dims_inside_out(const Dims& sizes, std::span<const Dims> operand_strides) {
  std::vector<int> order(static_cast<std::size_t>(sizes.size()));
  std::iota(order.rbegin(), order.rend(), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t placed = i;
    for (std::size_t j = i; j-- > 0;) {
      const int comparison = compare_dims(sizes, operand_strides, order[j], order[placed]);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[j], order[placed]);
      placed = j;
    }
  }
  return order;
}

// The operand's strides seen from the result: 0 where it is broadcast.
Dims strides_in(const Dims& sizes, const Layout& operand) {
  Dims strides = Dims::filled(sizes.size(), 0);
  const int added = sizes.size() - operand.rank();
  for (int i = 0; i < operand.rank(); ++i) {
    if (operand.sizes[i] == sizes[added + i]) strides[added + i] = operand.strides[i];
  }
  return strides;
}

// ATen's shortcut for operands of one shape, where it applies. It differs from the general rule in the strides of
// size-1 dims.
std::optional<Layout> same_shape_layout(const Dims& sizes, std::span<const Layout> operands) {
  bool contiguous = true;
  bool channels_last = sizes.size() == 4;
  bool same_strides = true;
  for (const Layout& operand : operands) {
    if (operand.sizes != sizes) return std::nullopt;
    contiguous = contiguous && is_contiguous(operand);
    channels_last = channels_last && *is_in_format(operand, MemoryFormat::ChannelsLast);
    same_strides = same_strides && is_dense(operand) && operand.strides == operands.front().strides;
  }
  if (contiguous) return contiguous_layout(sizes);
  if (channels_last) return *fresh_layout(operands.front(), MemoryFormat::ChannelsLast);
  if (same_strides) return Layout{sizes, operands.front().strides, 0};
  return std::nullopt;
}

}  // namespace

Layout elementwise_layout(const Dims& sizes, std::span<const Layout> operands) {
  if (std::optional<Layout> layout = same_shape_layout(sizes, operands)) return *layout;
  std::vector<Dims> strides;
  for (const Layout& operand : operands) strides.push_back(strides_in(sizes, operand));
  const std::vector<int> order = dims_inside_out(sizes, strides);
  if (std::is_sorted(order.rbegin(), order.rend())) return contiguous_layout(sizes);
  Layout result{sizes, sizes, 0};
  int64_t stride = 1;
  for (int dim : order) {
    result.strides[dim] = stride;
    stride *= sizes[dim];
  }
  return result;
}

Result<Layout> fresh_layout(const Layout& like, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return contiguous_layout(like.sizes);
  if (format == MemoryFormat::Preserve) {
    if (is_dense(like)) return Layout{like.sizes, like.strides, 0};
    Layout result{like.sizes, like.sizes, 0};
    int64_t stride = 1;
    for (int dim : dims_inside_out(like.sizes, std::span(&like.strides, 1))) {
      result.strides[dim] = stride;
      stride *= std::max<int64_t>(like.sizes[dim], 1);
    }
    return result;
  }
  TRY_VOID(check_format_rank(format, like.rank()));
  Layout result{like.sizes, like.sizes, 0};
  int64_t stride = 1;
  for (int dim : channels_last_order(like.rank())) {
    result.strides[dim] = stride;
    stride *= like.sizes[dim];
  }
  return result;
}

MemoryFormat suggested_format(const Layout& layout) {
  if (!strides_suggest_channels_last(layout)) return MemoryFormat::Contiguous;
  return layout.rank() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

MemoryFormat common_format(std::span<const Layout> layouts) {
  const MemoryFormat first = suggested_format(layouts.front());
  const bool all = std::all_of(layouts.begin(), layouts.end(),
                               [&](const Layout& layout) { return suggested_format(layout) == first; });
  return all ? first : MemoryFormat::Contiguous;
}

Result<bool> is_in_format(const Layout& layout, MemoryFormat format) {
  if (format == MemoryFormat::Preserve) return fail("preserve_format is not a format that a tensor can be in");
  if (format == MemoryFormat::Contiguous) return is_contiguous(layout);
  TRY_VOID(check_format_rank(format, layout.rank()));
  int64_t expected = 1;
  for (int dim : channels_last_order(layout.rank())) {
    if (layout.sizes[dim] == 1) continue;
    if (layout.strides[dim] != expected) return false;
    expected *= layout.sizes[dim];
  }
  return true;
}

}  // namespace parallax
