// The mutator and the crossover of targets whose input is a tape, by the names under which libFuzzer looks for them.
#include <algorithm>

#include "fuzz/generate/tape_mutator.h"
#include "fuzz/targets/shared/entry.h"

// The engine's own; absent where there is no engine.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  const parallax::Bytes tape =
      parallax::mutated({data, size}, max_size, parallax::read_fuzzed_tape, LLVMFuzzerMutate, seed);
  std::ranges::copy(tape, data);
  return tape.size();
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, std::size_t first_size, const uint8_t* second,
                                                 std::size_t second_size, uint8_t* out, std::size_t max_size,
                                                 unsigned int seed) {
  const parallax::Bytes tape =
      parallax::crossed({first, first_size}, {second, second_size}, max_size, parallax::read_fuzzed_tape, seed);
  std::ranges::copy(tape, out);
  return tape.size();
}
