// Generation of what the portable backend takes: for tests and benchmarks that run it.
#pragma once

#include "backends/open_target.h"
#include "fuzz/generate/generate.h"

namespace parallax::testing {

// The usual options, with the ops that portable has kernels for.
inline GenerateOptions portable_options() {
  static const Vocabulary words = Vocabulary::taken_by({open_target("portable", {})->get()});
  GenerateOptions options;
  options.words = &words;
  return options;
}

}  // namespace parallax::testing
