// Dims: up to eight 64-bit extents, strides or dim numbers, inline and trivially copyable.
//
// Graphs are copied to undo and are built by the hundred thousand a second, so a shape must not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/check.h"

namespace parallax {

// The highest rank a tensor may have. The readers refuse more; nothing in the recorded sets goes over five.
inline constexpr int max_rank = 8;

class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
  explicit Dims(std::span<const int64_t> values) {
    for (int64_t value : values) push_back(value);
  }
  // n copies of one value.
  static Dims filled(int n, int64_t value) {
    Dims dims;
    for (int i = 0; i < n; ++i) dims.push_back(value);
    return dims;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](int i) const { return values_[static_cast<std::size_t>(i)]; }
  int64_t& operator[](int i) { return values_[static_cast<std::size_t>(i)]; }
  int64_t back() const { return values_[static_cast<std::size_t>(size_ - 1)]; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + size_; }
  int64_t* begin() { return values_.data(); }
  int64_t* end() { return values_.data() + size_; }

  void push_back(int64_t value) {
    PARALLAX_CHECK(size_ < max_rank);
    values_[static_cast<std::size_t>(size_++)] = value;
  }
  void insert(int at, int64_t value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(int at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  friend bool operator==(const Dims& a, const Dims& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  std::array<int64_t, max_rank> values_{};
  int size_ = 0;
};

// "2,3,4": the inside of a type's brackets.
std::string to_string(const Dims& dims);

}  // namespace parallax
