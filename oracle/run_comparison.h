// Run comparison: what one run of a target handed back, against what the oracle says of that run.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "oracle/interpreter.h"
#include "oracle/outcome.h"
#include "oracle/place.h"
#include "oracle/tensor_comparison.h"

namespace parallax {

class RunComparison {
 public:
  // What is compared is added to the judgement, which must outlive the comparison.
  RunComparison(const Graph& graph, Judgement& judgement);

  // Outputs, inputs and buffers of a run.
  void run(const Expected& expected, const Observation& got, const RunId& run);

  // The outputs of a run, read again after another.
  void kept(const Expected& expected, std::span<const Tensor> got, const RunId& run);

  // The outputs' storages against eager's: shared where eager shares, apart where eager keeps apart.
  void identity(const Expected& expected, const Observation& got);

 private:
  void outputs(const Expected& expected, const Observation& got, const RunId& run);
  void state(std::span<const BallTensor> expected, std::span<const std::optional<Tensor>> got,
             const std::vector<Place>& places, const std::vector<bool>& written, const RunId& run);

  Judgement& judgement_;
  TensorComparison tensors_;
  GraphPlaces places_;
  std::vector<std::string_view> families_;  // of the ops that made the outputs
  std::vector<bool> input_written_, buffer_written_;
};

// Whether an output lies in a caller's buffer, so that it rightly changes with it in the next run.
bool lies_in_buffer(const Expected& expected, std::size_t output);

// The same feed, state and program twice, a float allowed to differ in nothing: an inexact element may differ between
// implementations, not between two runs of one. Undecided elements (uninitialised memory) may.
bool same_bits(const Observation& first, const Observation& second, const Expected& expected);

}  // namespace parallax
