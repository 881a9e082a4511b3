// How the structural kernels move elements: unchanged, or converted where the dtypes differ.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Copies element by element; the two have the same number of elements. Where the target overlaps itself, eager's order
// is not defined, and what is written twice is undecided.
void copy_elements(const BallView& from, const BallView& to, const CallProfile& profile);

// The same storage under another layout.
inline BallView with_layout(const BallView& view, const Layout& layout) { return {view.storage, view.dtype, layout}; }

// The layout of a clone of the whole storage, as the *_scatter ops and copy make it: the tensor's own, offset and holes
// included, so that the clone is a dense one only where the tensor is. An expanded tensor becomes a plain clone.
Layout storage_clone_layout(const Layout& layout);
// Fills such a clone, what lies between and before the elements too.
void clone_storage(const BallView& from, const BallView& to, const CallProfile& profile);

// Writes in no defined order: an element that is written twice is undecided, unless both writes are the same number.
class UnorderedWriter {
 public:
  UnorderedWriter(const BallView& target, const CallProfile& profile);
  // Converts one element of `from` into one of the target.
  void write(int64_t element, const BallView& from, int64_t from_element);

 private:
  const BallView* target_;
  CallProfile profile_;
  std::vector<bool> written_;
};

// Calls `visit(const Dims& index)` with each logical index, in row-major order.
template <class Visit>
void for_each_index(const Dims& sizes, Visit&& visit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Dims index = Dims::filled(sizes.size(), 0);
  while (true) {
    visit(std::as_const(index));
    int dim = sizes.size() - 1;
    for (; dim >= 0 && ++index[dim] == sizes[dim]; --dim) index[dim] = 0;
    if (dim < 0) return;
  }
}

// The storage element of a logical index.
inline int64_t element_at(const Layout& layout, const Dims& index) {
  int64_t element = layout.offset;
  for (int i = 0; i < layout.rank(); ++i) element += index[i] * layout.strides[i];
  return element;
}

}  // namespace parallax
