// A main for a target without libFuzzer: runs each file given. Built by AFL++'s compiler it is a persistent-mode
// program instead, which takes its inputs from afl-fuzz.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/targets/shared/entry.h"

#ifdef __AFL_COMPILER

#include <unistd.h>

__AFL_FUZZ_INIT();

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  __AFL_INIT();
  const uint8_t* data = __AFL_FUZZ_TESTCASE_BUF;
  // After that many inputs in one process afl-fuzz starts a new one.
  while (__AFL_LOOP(10000)) {
    const auto size = static_cast<std::size_t>(__AFL_FUZZ_TESTCASE_LEN);
    LLVMFuzzerTestOneInput(data, size);
  }
  return 0;
}

#else

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} FILE…\n", argv[0]);
    return 2;
  }
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      fmt::print(stderr, "{}: cannot be read\n", argv[i]);
      return 2;
    }
    fmt::print(stderr, "{}: {} bytes\n", argv[i], bytes.size());
    // An engine hands over no null for an empty input.
    const std::size_t size = bytes.size();
    bytes.push_back('\0');
    const std::vector<uint8_t> input(bytes.begin(), bytes.end() - 1);
    LLVMFuzzerTestOneInput(input.data(), size);
  }
  return 0;
}

#endif
