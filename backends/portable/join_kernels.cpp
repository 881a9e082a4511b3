// Tensors put together or into one another, and elements put into another order.
#include "backends/portable/join_kernels.h"

#include <algorithm>
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// The part of a layout with `dim` cut to elements start, start + step, … (so many of them).
Layout cut(Layout layout, int dim, int64_t start, int64_t count, int64_t step = 1) {
  layout.offset += start * layout.strides[dim];
  layout.sizes[dim] = count;
  layout.strides[dim] *= step;
  return layout;
}

// Writes the elements of a tensor, row-major, into a part of the output.
void put(const KernelCall& call, const TensorRef& from, const Layout& part) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    write_elements(call.output(), part, call.broadcast<C>(from, part.sizes, dtype).data());
  });
}

// Whether the tensor's elements lie where they are to be put.
bool is_in_place(const KernelCall& call, const TensorRef& tensor, const Layout& part) {
  const int64_t size = size_of(tensor.dtype);
  return tensor.dtype == call.output().dtype && tensor.layout->strides == part.strides &&
         tensor.storage + tensor.layout->offset * size == call.output().storage + part.offset * size;
}

Result<void> cat(const KernelCall& call) {
  const Layout& whole = *call.output().layout;
  int64_t start = 0;
  for (ValueId value : call.values(0)) {
    const TensorRef& tensor = call.ref(value);
    // An empty 1-d tensor fits in everywhere and adds nothing.
    if (tensor.layout->numel() == 0) continue;
    const int dim = wrapped_dim(call.integer(1), whole.rank());
    const Layout part = cut(whole, dim, start, tensor.layout->sizes[dim]);
    if (!is_in_place(call, tensor, part)) put(call, tensor, part);
    start += tensor.layout->sizes[dim];
  }
  return {};
}

Result<void> stack(const KernelCall& call) {
  const Layout& whole = *call.output().layout;
  const int dim = wrapped_dim(call.integer(1), whole.rank());
  int64_t start = 0;
  for (ValueId value : call.values(0)) {
    Layout part = cut(whole, dim, start++, 1);
    part.sizes.erase(dim);
    part.strides.erase(dim);
    put(call, call.ref(value), part);
  }
  return {};
}

// The operand, with `src` in its part; the rest of the scatter ops name the part.
void scatter_into(const KernelCall& call, const Layout& part) {
  call.clone_gaps(0);
  put(call, call.input(0), *call.output().layout);
  put(call, call.input(1), part);
}

Result<void> slice_scatter(const KernelCall& call) {
  const Layout& whole = *call.output().layout;
  const int dim = wrapped_dim(call.integer(2), whole.rank());
  const int64_t size = whole.sizes[dim];
  const auto bound = [&](int i, int64_t otherwise) {
    const int64_t at = call.has(i) ? call.integer(i) : otherwise;
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const int64_t start = bound(3, 0);
  const int64_t end = std::max(start, bound(4, size));
  const int64_t step = call.integer(5);
  scatter_into(call, cut(whole, dim, start, (end - start + step - 1) / step, step));
  return {};
}

Result<void> select_scatter(const KernelCall& call) {
  const Layout& whole = *call.output().layout;
  const int dim = wrapped_dim(call.integer(2), whole.rank());
  const int64_t index = call.integer(3);
  Layout part = cut(whole, dim, index < 0 ? index + whole.sizes[dim] : index, 1);
  part.sizes.erase(dim);
  part.strides.erase(dim);
  scatter_into(call, part);
  return {};
}

Result<void> diagonal_scatter(const KernelCall& call) {
  Layout part = *call.output().layout;
  const int64_t offset = call.integer(2);
  const int first = wrapped_dim(call.integer(3), part.rank());
  const int second = wrapped_dim(call.integer(4), part.rank());
  const int64_t rows = part.sizes[first] - std::max<int64_t>(-offset, 0);
  const int64_t columns = part.sizes[second] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  const int64_t stride = part.strides[first] + part.strides[second];
  part.offset += offset >= 0 ? offset * part.strides[second] : -offset * part.strides[first];
  for (int dim : {std::max(first, second), std::min(first, second)}) {
    part.sizes.erase(dim);
    part.strides.erase(dim);
  }
  part.sizes.push_back(length);
  part.strides.push_back(stride);
  scatter_into(call, part);
  return {};
}

// The part is named by elements of the operand's storage. Where the result has another layout (an expanded operand),
// each is looked up by its place in the operand.
Result<void> as_strided_scatter(const KernelCall& call) {
  const Layout& self = *call.input(0).layout;
  const auto size = Dims(std::span<const int64_t>(call.integers(2)));
  const auto stride = Dims(std::span<const int64_t>(call.integers(3)));
  const Layout part{size, stride, call.has(4) ? call.integer(4) : self.offset};
  if (*call.output().layout == self && part.extent() <= self.extent()) {
    scatter_into(call, part);
    return {};
  }
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(0, dtype);
    // By element of the storage: its row-major place in the operand, counted from 1.
    Numbers<int64_t> places = call.numbers<int64_t>(std::max(self.extent(), part.extent()));
    int64_t place = 0;
    for_each_element(self, [&](int64_t element) { places[static_cast<std::size_t>(element)] = ++place; });
    const Numbers<C> source = call.broadcast<C>(call.input(1), size, dtype);
    std::size_t next = 0;
    for_each_element(part, [&](int64_t element) {
      const int64_t at = places[static_cast<std::size_t>(element)];
      if (at > 0) values[static_cast<std::size_t>(at - 1)] = source[next];
      ++next;
    });
    call.write(values);
  });
  return {};
}

Result<void> flip(const KernelCall& call) {
  Layout mirrored = *call.input(0).layout;
  for (int64_t named : call.integers(1)) {
    if (mirrored.rank() == 0) continue;
    const int dim = wrapped_dim(named, mirrored.rank());
    mirrored.offset += (mirrored.sizes[dim] - 1) * mirrored.strides[dim];
    mirrored.strides[dim] = -mirrored.strides[dim];
  }
  const DType dtype = call.output().dtype;
  with_compute_type(dtype,
                    [&]<class C>(std::type_identity<C>) { call.write(call.read<C>(call.input(0), mirrored, dtype)); });
  return {};
}

// Moves elements by `shift` along one dim of a row-major tensor, around its end.
template <class C>
void rotate_dim(Numbers<C>& values, int64_t size, int64_t stride, int64_t shift) {
  if (values.empty()) return;
  const int64_t block = size * stride;
  const int64_t moved = ((shift % size) + size) % size;
  for (auto at = values.begin(); at != values.end(); at += block) {
    std::rotate(at, at + (size - moved) % size * stride, at + block);
  }
}

Result<void> roll(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Dims& sizes = call.output_sizes();
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(0, dtype);
    const IntList& shifts = call.integers(1);
    const IntList& dims = call.integers(2);
    if (dims.empty()) rotate_dim(values, static_cast<int64_t>(values.size()), 1, shifts.front());
    for (std::size_t k = 0; k < dims.size(); ++k) {
      const int dim = wrapped_dim(dims[k], sizes.size());
      rotate_dim(values, sizes[dim], contiguous_strides(sizes)[dim], shifts[k]);
    }
    call.write(values);
  });
  return {};
}

// The operand once for each place of the grid of repeats, each time into its own part of the output.
Result<void> repeat(const KernelCall& call) {
  const Layout& whole = *call.output().layout;
  const TensorRef& input = call.input(0);
  const auto repeats = Dims(std::span<const int64_t>(call.integers(1)));
  const int added = repeats.size() - input.layout->rank();
  Layout corners{repeats, whole.strides, whole.offset};
  Layout part = whole;
  for (int dim = 0; dim < repeats.size(); ++dim) {
    part.sizes[dim] = dim < added ? 1 : input.layout->sizes[dim - added];
    corners.strides[dim] *= part.sizes[dim];
  }
  for_each_element(corners, [&](int64_t corner) {
    part.offset = corner;
    put(call, input, part);
  });
  return {};
}

constexpr std::array table = {
    KernelEntry{"aten.cat.default", cat},
    KernelEntry{"aten.stack.default", stack},
    KernelEntry{"aten.slice_scatter.default", slice_scatter},
    KernelEntry{"aten.select_scatter.default", select_scatter},
    KernelEntry{"aten.diagonal_scatter.default", diagonal_scatter},
    KernelEntry{"aten.as_strided_scatter.default", as_strided_scatter},
    KernelEntry{"aten.flip.default", flip},
    KernelEntry{"aten.roll.default", roll},
    KernelEntry{"aten.repeat.default", repeat},
};

}  // namespace

std::span<const KernelEntry> join_kernels() { return table; }

bool joins_in_place(const Op& op) { return op.name == "aten.cat.default"; }

}  // namespace parallax::portable
