// What a stand-in target hands back where it computes by the oracle.
#pragma once

#include "oracle/interpreter.h"
#include "oracle/outcome.h"

namespace parallax::testing {

// The centres of the outputs. Inputs and buffers are not handed back.
inline Observation observation_of(const Expected& expected) {
  Observation seen;
  for (const BallTensor& output : expected.outputs) seen.outputs.push_back(centre(output));
  seen.inputs.resize(expected.inputs.size());
  seen.buffers.resize(expected.buffers.size());
  return seen;
}

}  // namespace parallax::testing
