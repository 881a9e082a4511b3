#include "core/choices.h"

#include <numeric>

namespace parallax {
namespace {

// A case of ten nodes seldom reads more.
constexpr std::size_t usual_bytes = 512;
constexpr std::size_t usual_spans = 64;

}  // namespace

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a + 0x9E3779B97F4A7C15U * (b + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Choices::Choices(std::span<const uint8_t> tape) : replayed_(tape) {}

Choices::Choices(uint64_t seed, uint64_t stream) : seeded_(true), state_(mix(mix(seed, 0), stream)) {
  read_.reserve(usual_bytes);
  spans_.reserve(usual_spans);
}

uint8_t Choices::next_byte() {
  uint8_t byte = 0;
  if (seeded_) {
    if (pending_bytes_ == 0) {
      pending_ = mix(state_++, 0x70617261);
      pending_bytes_ = 8;
    }
    byte = static_cast<uint8_t>(pending_);
    pending_ >>= 8;
    --pending_bytes_;
  } else if (read_.size() < replayed_.size()) {
    byte = replayed_[read_.size()];
  }
  read_.push_back(byte);
  return byte;
}

uint64_t Choices::wide_below(uint64_t n) {
  const int count = n <= 0x10000 ? 2 : n <= 0x100000000 ? 4 : 8;
  uint64_t word = 0;
  for (int i = 0; i < count; ++i) word |= static_cast<uint64_t>(next_byte()) << (8 * i);
  return word % n;
}

std::size_t Choices::weighted(std::span<const uint32_t> weights) {
  const uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  PARALLAX_CHECK(total > 0);
  uint64_t drawn = below(total);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (drawn < weights[i]) return i;
    drawn -= weights[i];
  }
  return weights.size() - 1;
}

Choices::Scope::Scope(Choices& choices, std::string_view label) : choices_(choices), index_(choices.spans_.size()) {
  choices.spans_.push_back({label, choices.read_.size(), choices.read_.size(), choices.depth_++});
}

Choices::Scope::~Scope() {
  choices_.spans_[index_].end = choices_.read_.size();
  --choices_.depth_;
}

}  // namespace parallax
