#include "ops/view_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {
namespace {

// Sizes and strides up to here multiply without an overflow; no storage comes near.
constexpr int64_t max_extent = int64_t{1} << 30;

// A layout that the arithmetic of later views stays in range for.
Result<Layout> checked(Layout layout) {
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.sizes[i] > max_extent) return fail("size {} is too large", layout.sizes[i]);
    if (layout.strides[i] > max_extent) return fail("stride {} is too large", layout.strides[i]);
  }
  return layout;
}

Result<void> check_rank(std::size_t rank) {
  if (rank > max_rank) return fail("a tensor of {} dims is over the limit of {}", rank, max_rank);
  return {};
}

// a * b, or past max_extent where that overflows.
int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

std::string list_text(std::span<const int64_t> values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

}  // namespace

Result<int> wrap_dim(int64_t dim, int rank) {
  const int64_t bound = std::max(rank, 1);
  if (dim < -bound || dim >= bound) return fail("dim {} is out of range [{}, {}]", dim, -bound, bound - 1);
  return static_cast<int>(dim < 0 ? dim + bound : dim);
}

Result<std::vector<int>> wrap_dims(std::span<const int64_t> dims, int rank) {
  std::vector<int> wrapped;
  for (int64_t dim : dims) {
    TRY(wrapped.emplace_back(), wrap_dim(dim, rank));
    if (std::count(wrapped.begin(), wrapped.end(), wrapped.back()) > 1) {
      return fail("dim {} appears twice in {}", wrapped.back(), list_text(dims));
    }
  }
  return wrapped;
}

Result<int> existing_dim(int64_t dim, int rank) {
  if (rank == 0) return fail("a 0-d tensor has no dim {}", dim);
  return wrap_dim(dim, rank);
}

Result<Dims> to_sizes(std::span<const int64_t> sizes) {
  TRY_VOID(check_rank(sizes.size()));
  for (int64_t size : sizes) {
    if (size < 0) return fail("size {} in {} is negative", size, list_text(sizes));
  }
  if (!checked_numel(sizes)) return fail("a shape of {} is too large", list_text(sizes));
  return Dims(sizes);
}

Result<Dims> infer_sizes(std::span<const int64_t> sizes, int64_t numel) {
  TRY_VOID(check_rank(sizes.size()));
  Dims result(sizes);
  int inferred = -1;
  for (int i = 0; i < result.size(); ++i) {
    if (result[i] == -1) {
      if (inferred >= 0) return fail("only one size of {} can be inferred", list_text(sizes));
      inferred = i;
      result[i] = 1;
    } else if (result[i] < 0) {
      return fail("size {} in {} is negative", result[i], list_text(sizes));
    }
  }
  const std::optional<int64_t> known = checked_numel(result);
  if (inferred >= 0 && known && *known > 0 && numel % *known == 0) {
    result[inferred] = numel / *known;
  } else if (inferred >= 0 && known == 0 && numel == 0) {
    return fail("the -1 in {} is ambiguous for a tensor without elements", list_text(sizes));
  } else if (inferred >= 0 || known != numel) {
    return fail("{} does not fit {} elements", list_text(sizes), numel);
  }
  return result;
}

Result<Layout> view_layout(const Layout& layout, std::span<const int64_t> sizes) {
  TRY(Dims result, infer_sizes(sizes, layout.numel()));
  const std::optional<Dims> strides = view_strides(layout, result);
  if (!strides) {
    return fail("sizes [{}] with strides [{}] cannot be seen as [{}] without a copy", to_string(layout.sizes),
                to_string(layout.strides), to_string(result));
  }
  return checked({result, *strides, layout.offset});
}

Result<Layout> expand_layout(const Layout& layout, std::span<const int64_t> sizes) {
  TRY_VOID(check_rank(sizes.size()));
  Layout result{Dims(sizes), Dims::filled(static_cast<int>(sizes.size()), 0), layout.offset};
  const int added = result.rank() - layout.rank();
  if (added < 0) return fail("{} has fewer dims than the tensor's {}", list_text(sizes), layout.rank());
  for (int i = result.rank() - 1; i >= 0; --i) {
    const int64_t wanted = sizes[static_cast<std::size_t>(i)];
    if (wanted < -1 || (wanted == -1 && i < added)) {
      return fail("size {} of {} is not one to expand to", wanted, list_text(sizes));
    }
    if (layout.rank() == 0) continue;
    // A new dim of size 1 gets the stride that makes it the outer of the next, not 0.
    const int64_t size = i < added ? 1 : layout.sizes[i - added];
    const int64_t stride = i < added ? result.sizes[i + 1] * result.strides[i + 1] : layout.strides[i - added];
    if (wanted == -1 || wanted == size) {
      result.sizes[i] = size;
      result.strides[i] = stride;
    } else if (size != 1) {
      return fail("size {} at dim {} cannot be expanded to {}", size, i, wanted);
    }
  }
  if (!checked_numel(result.sizes)) return fail("a shape of {} is too large", list_text(sizes));
  return checked(result);
}

Result<Layout> permute_layout(const Layout& layout, std::span<const int64_t> dims) {
  if (dims.size() != static_cast<std::size_t>(layout.rank())) {
    return fail("{} does not order the tensor's {} dims", list_text(dims), layout.rank());
  }
  TRY(std::vector<int> order, wrap_dims(dims, layout.rank()));
  Layout result{{}, {}, layout.offset};
  for (int dim : order) {
    result.sizes.push_back(layout.sizes[dim]);
    result.strides.push_back(layout.strides[dim]);
  }
  return result;
}

Result<Layout> transpose_layout(const Layout& layout, int64_t dim0, int64_t dim1) {
  TRY(const int a, wrap_dim(dim0, layout.rank()));
  TRY(const int b, wrap_dim(dim1, layout.rank()));
  Layout result = layout;
  if (a == b) return result;
  std::swap(result.sizes[a], result.sizes[b]);
  std::swap(result.strides[a], result.strides[b]);
  return result;
}

Result<Layout> t_layout(const Layout& layout) {
  if (layout.rank() > 2) return fail("the tensor has {} dims, at most 2 can be transposed", layout.rank());
  return layout.rank() == 2 ? transpose_layout(layout, 0, 1) : layout;
}

Result<Layout> movedim_layout(const Layout& layout, int64_t source, int64_t destination) {
  TRY(const int from, wrap_dim(source, layout.rank()));
  TRY(const int to, wrap_dim(destination, layout.rank()));
  if (layout.rank() == 0) return layout;
  Layout result = layout;
  result.sizes.erase(from);
  result.strides.erase(from);
  result.sizes.insert(to, layout.sizes[from]);
  result.strides.insert(to, layout.strides[from]);
  return result;
}

Layout squeeze_all_layout(const Layout& layout) {
  Layout result{{}, {}, layout.offset};
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.sizes[i] == 1) continue;
    result.sizes.push_back(layout.sizes[i]);
    result.strides.push_back(layout.strides[i]);
  }
  return result;
}

Result<Layout> squeeze_layout(const Layout& layout, std::span<const int64_t> dims) {
  TRY(std::vector<int> squeezed, wrap_dims(dims, layout.rank()));
  Layout result{{}, {}, layout.offset};
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.sizes[i] == 1 && std::find(squeezed.begin(), squeezed.end(), i) != squeezed.end()) continue;
    result.sizes.push_back(layout.sizes[i]);
    result.strides.push_back(layout.strides[i]);
  }
  return result;
}

Result<Layout> unsqueeze_layout(const Layout& layout, int64_t dim) {
  TRY_VOID(check_rank(static_cast<std::size_t>(layout.rank()) + 1));
  TRY(const int at, wrap_dim(dim, layout.rank() + 1));
  const int64_t stride = at < layout.rank() ? layout.sizes[at] * layout.strides[at] : 1;
  Layout result = layout;
  result.sizes.insert(at, 1);
  result.strides.insert(at, stride);
  return checked(result);
}

Result<Layout> select_layout(const Layout& layout, int64_t dim, int64_t index) {
  TRY(const int at, existing_dim(dim, layout.rank()));
  const int64_t size = layout.sizes[at];
  if (index < -size || index >= size) return fail("index {} is out of range for dim {} of size {}", index, at, size);
  Layout result = layout;
  result.offset += (index < 0 ? index + size : index) * layout.strides[at];
  result.sizes.erase(at);
  result.strides.erase(at);
  return result;
}

Result<Layout> slice_layout(const Layout& layout, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                            int64_t step) {
  TRY(const int at, existing_dim(dim, layout.rank()));
  if (step <= 0) return fail("step {} is not positive", step);
  const int64_t size = layout.sizes[at];
  const auto wrapped = [size](int64_t index) { return index < 0 ? index + size : index; };
  const int64_t first = std::clamp<int64_t>(wrapped(start.value_or(0)), 0, size);
  const int64_t last = std::clamp<int64_t>(wrapped(end.value_or(size)), first, size);
  Layout result = layout;
  result.offset += first * layout.strides[at];
  result.sizes[at] = last == first ? 0 : (last - first - 1) / step + 1;
  result.strides[at] = saturating_product(layout.strides[at], step);
  return checked(result);
}

Result<Layout> narrow_layout(const Layout& layout, int64_t dim, int64_t start, int64_t length) {
  TRY(const int at, existing_dim(dim, layout.rank()));
  const int64_t size = layout.sizes[at];
  if (length < 0) return fail("length {} is negative", length);
  if (start < -size || start > size) return fail("start {} is out of range for dim {} of size {}", start, at, size);
  const int64_t first = start < 0 ? start + size : start;
  if (length > size - first) {
    return fail("start {} and length {} pass the end of dim {} of size {}", first, length, at, size);
  }
  return slice_layout(layout, at, first, first + length, 1);
}

Result<Layout> diagonal_layout(const Layout& layout, int64_t offset, int64_t dim1, int64_t dim2) {
  TRY(const int rows, wrap_dim(dim1, layout.rank()));
  TRY(const int columns, wrap_dim(dim2, layout.rank()));
  if (rows == columns) return fail("dims {} and {} of a diagonal are the same", dim1, dim2);
  // Bounded by the sizes first, so that the arithmetic stays in range; what is off the end is empty either way.
  const int64_t shift = std::clamp(offset, -layout.sizes[rows], layout.sizes[columns]);
  const int64_t size = std::max<int64_t>(shift >= 0 ? std::min(layout.sizes[rows], layout.sizes[columns] - shift)
                                                    : std::min(layout.sizes[rows] + shift, layout.sizes[columns]),
                                         0);
  Layout result = layout;
  if (size > 0) result.offset += shift >= 0 ? shift * layout.strides[columns] : -shift * layout.strides[rows];
  result.sizes.erase(std::max(rows, columns));
  result.sizes.erase(std::min(rows, columns));
  result.strides.erase(std::max(rows, columns));
  result.strides.erase(std::min(rows, columns));
  result.sizes.push_back(size);
  result.strides.push_back(layout.strides[rows] + layout.strides[columns]);
  return checked(result);
}

Result<Layout> unfold_layout(const Layout& layout, int64_t dim, int64_t size, int64_t step) {
  TRY_VOID(check_rank(static_cast<std::size_t>(layout.rank()) + 1));
  TRY(const int at, wrap_dim(dim, layout.rank()));
  const int64_t available = layout.rank() == 0 ? 1 : layout.sizes[at];
  if (size < 0 || size > available) return fail("size {} is out of range [0, {}] for dim {}", size, available, at);
  if (step <= 0) return fail("step {} is not positive", step);
  Layout result = layout;
  result.sizes.push_back(size);
  result.strides.push_back(layout.rank() == 0 ? 1 : layout.strides[at]);
  if (layout.rank() > 0) {
    result.sizes[at] = (available - size) / step + 1;
    result.strides[at] = saturating_product(layout.strides[at], step);
  }
  return checked(result);
}

Result<Layout> as_strided_layout(const Layout& layout, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                                 std::optional<int64_t> offset, int64_t elements) {
  if (sizes.size() != strides.size()) return fail("{} sizes and {} strides", sizes.size(), strides.size());
  TRY(Dims checked_sizes, to_sizes(sizes));
  for (int64_t stride : strides) {
    if (stride < 0) return fail("stride {} in {} is negative", stride, list_text(strides));
  }
  TRY(Layout result, checked({checked_sizes, Dims(strides), offset.value_or(layout.offset)}));
  if (result.offset < 0) return fail("storage offset {} is negative", result.offset);
  const bool empty = std::find(result.sizes.begin(), result.sizes.end(), 0) != result.sizes.end();
  if (!empty && (result.offset > elements || result.extent() > elements)) {
    return fail("sizes {}, strides {} and offset {} pass the end of a storage of {} elements", list_text(sizes),
                list_text(strides), result.offset, elements);
  }
  return result;
}

std::vector<Layout> split_layouts(const Layout& layout, int dim, std::span<const int64_t> sizes) {
  std::vector<Layout> parts;
  Layout part = layout;
  for (int64_t size : sizes) {
    part.sizes[dim] = size;
    parts.push_back(part);
    part.offset += size * layout.strides[dim];
  }
  return parts;
}

std::unexpected<Error> in_op(const Call& call, Error error) {
  error.reason = call.op().name + ": " + error.reason;
  return std::unexpected(std::move(error));
}

int64_t known_elements(std::span<const TensorMeta> metas, StorageId storage) {
  int64_t elements = 0;
  for (const TensorMeta& meta : metas) {
    if (meta.storage == storage && meta.layout.numel() > 0) elements = std::max(elements, meta.layout.extent());
  }
  return elements;
}

}  // namespace parallax
