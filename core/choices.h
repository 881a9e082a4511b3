// Choices: the tape that every random decision is read from.
//
// A tape is bytes. Reading past its end gives zeros, so every byte string is a complete run of decisions
// (generation is total); by convention choice 0 is the simplest one. A seeded tape makes its bytes as they are asked
// for and keeps them, so that what a seed did can be replayed, mutated or handed to libFuzzer as a string. Spans mark
// which bytes decided which part (a node, an operand, the feed), so that mutation and crossover cut at meaningful
// places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/check.h"

namespace parallax {

class Choices {
 public:
  // Bytes [begin, end) of the tape decided one `label`; spans nest by `depth`.
  struct Span {
    std::string_view label;  // a string literal
    std::size_t begin = 0;
    std::size_t end = 0;
    int depth = 0;
  };

  // Replays a tape. The bytes must outlive the object.
  explicit Choices(std::span<const uint8_t> tape);
  // Draws from a generator seeded with (seed, stream): stream k of one seed is the same whatever ran before it.
  Choices(uint64_t seed, uint64_t stream);

  // Uniform in [0, n), from as few whole bytes as hold n (1, 2, 4 or 8); n >= 1. n == 1 reads nothing.
  uint64_t below(uint64_t n) {
    PARALLAX_CHECK(n >= 1);
    if (n > 0x100) return wide_below(n);
    return n == 1 ? 0 : next_byte() % static_cast<uint32_t>(n);
  }
  // Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  // True in `percent` of 100 draws; a tape of zeros says false.
  bool chance(int percent) { return static_cast<int>(below(100)) >= 100 - percent; }
  // An index drawn in proportion to the weights, which must not all be 0.
  std::size_t weighted(std::span<const uint32_t> weights);
  // One element of a non-empty range.
  template <class Range>
  const auto& pick(const Range& range) {
    return range[static_cast<std::size_t>(below(std::size(range)))];
  }

  // Marks the bytes read while it lives.
  class Scope {
   public:
    Scope(Choices& choices, std::string_view label);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Choices& choices_;
    std::size_t index_;
  };

  // What was read so far, zeros past the end of a replayed tape included.
  const std::vector<uint8_t>& tape() const { return read_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  uint8_t next_byte();
  uint64_t wide_below(uint64_t n);

  std::span<const uint8_t> replayed_;
  bool seeded_ = false;
  uint64_t state_ = 0;
  uint64_t pending_ = 0;  // random bytes not handed out yet
  int pending_bytes_ = 0;
  std::vector<uint8_t> read_;
  std::vector<Span> spans_;
  int depth_ = 0;
};

// A 64-bit mix of two words (splitmix64's finaliser): equal inputs, equal result, on every machine.
uint64_t mix(uint64_t a, uint64_t b);

}  // namespace parallax
