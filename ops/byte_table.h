// ByteTable: what a function makes of the integers of a type of 8 bits, each computed once.
#pragma once

#include <vector>

#include "ops/ball.h"

namespace parallax {

class ByteTable {
 public:
  // For `count` integers of `dtype`: of few, or of another type, nothing is kept.
  ByteTable(DType dtype, std::size_t count) : least_(info(dtype).min_integer) {
    constexpr std::size_t values = 256;
    if (size_of(dtype) == 1 && count > values) entries_.resize(values);
  }

  // What `function` makes of an integer. It is the same function of all integers until clear().
  template <class F>
  Ball of(const IntegerBall& integer, F&& function) {
    if (entries_.empty() || !integer.decided()) return function(integer);
    Entry& entry = entries_[static_cast<std::size_t>(integer.value - least_)];
    if (entry.generation != generation_) entry = {function(integer), generation_};
    return entry.ball;
  }
  void clear() { ++generation_; }

 private:
  struct Entry {
    Ball ball;
    int64_t generation = 0;
  };

  int64_t least_;
  int64_t generation_ = 1;
  std::vector<Entry> entries_;
};

}  // namespace parallax
