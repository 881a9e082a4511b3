// Philox 4x32-10 (Salmon et al., SC 2011): the generator behind `{"random": {...}}` data in a case file.
#pragma once

#include <array>
#include <cstdint>

namespace parallax {

// The four words of block `counter` under `seed`. The key is (low, high) of the seed, the counter (low, high, 0, 0).
std::array<uint32_t, 4> philox4x32(uint64_t seed, uint64_t counter);

// Element i of a random tensor, in [low, high): word i % 4 of block i / 4, as low + (high - low) * word / 2^32.
double philox_uniform(uint64_t seed, uint64_t i, double low, double high);

}  // namespace parallax
