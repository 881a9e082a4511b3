// Google Benchmark's main, under the allocator settings that the program runs under.
#include <benchmark/benchmark.h>

#include "core/freed_memory.h"

int main(int argc, char** argv) {
  parallax::keep_freed_memory();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
