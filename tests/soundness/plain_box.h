// Box: a row-major box of places, the spatial part of a picture, of a kernel or of a result.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dims.h"

namespace parallax {

class Box {
 public:
  // The sizes from dim `first` on.
  Box(const Dims& sizes, int first) {
    for (int dim = first; dim < sizes.size(); ++dim) sizes_.push_back(sizes[dim]);
  }
  explicit Box(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  int rank() const { return static_cast<int>(sizes_.size()); }
  int64_t size(int dim) const { return sizes_[static_cast<std::size_t>(dim)]; }
  int64_t count() const {
    int64_t count = 1;
    for (const int64_t size : sizes_) count *= size;
    return count;
  }
  std::vector<int64_t> coordinates(int64_t place) const {
    std::vector<int64_t> at(sizes_.size());
    for (std::size_t dim = sizes_.size(); dim-- > 0; place /= sizes_[dim]) at[dim] = place % sizes_[dim];
    return at;
  }
  // Of coordinates, or -1 outside of the box.
  int64_t place(const std::vector<int64_t>& at) const {
    int64_t place = 0;
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      if (at[dim] < 0 || at[dim] >= sizes_[dim]) return -1;
      place = place * sizes_[dim] + at[dim];
    }
    return place;
  }

 private:
  std::vector<int64_t> sizes_;
};

}  // namespace parallax
