// Generated cases for the reducer's tests: random graphs, and recorded values that need no interpreter.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fuzz/generate/generate.h"
#include "reducers/reduce.h"
#include "tests/support/portable_ops.h"

namespace parallax::testing {

// The case of (seed, stream) with exactly `nodes` draws of a node; of portable's ops, among which a given pair meets
// soon.
inline Case generated_case(uint64_t seed, uint64_t stream, int nodes) {
  Choices choices(seed, stream);
  GenerateOptions options = portable_options();
  options.min_nodes = nodes;
  options.max_nodes = nodes;
  return generate(choices, options);
}

// The first case of `seed` for which the predicate holds.
inline Case first_interesting(uint64_t seed, int nodes, const Interesting& interesting) {
  for (uint64_t stream = 0;; ++stream) {
    Case test = generated_case(seed, stream, nodes);
    if (interesting(test)) return test;
  }
}

// Stands in for a run: every value holds ones.
inline std::optional<std::vector<Tensor>> record_ones(const Case& test) {
  std::vector<Tensor> values;
  for (const TensorMeta& meta : test.graph.metas) {
    Tensor& tensor = values.emplace_back(meta.dtype, meta.layout.sizes);
    for (int64_t i = 0; i < tensor.numel(); ++i) {
      if (is_floating(meta.dtype)) {
        tensor.set_double(i, 1);
      } else {
        tensor.set_integer(i, 1);
      }
    }
  }
  return values;
}

}  // namespace parallax::testing
