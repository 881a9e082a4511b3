// Entry: what an engine calls (libFuzzer's interface, which AFL++, Honggfuzz and Centipede drive too), and what a
// target whose input is a tape of choices says of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/choices.h"

extern "C" {
// Runs one input. Defined by each target.
int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
// Called once, before the first input. Defined by targets that have something to open.
__attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);
}

namespace parallax {

// The target that generated cases go to. Defined by each target that drives one (fuzz/targets/shared/case_entry.cpp).
std::string fuzzed_target();

// Reads a tape to its end, so that its spans are known. Defined by each target whose input is a tape
// (fuzz/targets/shared/tape_hooks.cpp).
void read_fuzzed_tape(Choices& choices);

}  // namespace parallax
