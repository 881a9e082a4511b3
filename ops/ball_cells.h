// One step of a recurrent layer: gates of the input and of the state before, sound for gates that are computed apart or
// in one product, stored or not.
#pragma once

#include <span>
#include <vector>

#include "ops/ball_dot.h"

namespace parallax {

enum class CellKind { Lstm, Gru, Tanh, Relu };

// So many gates have rows in a weight.
constexpr int64_t gates_of(CellKind kind) { return kind == CellKind::Lstm ? 4 : kind == CellKind::Gru ? 3 : 1; }

// The weights of one layer in one direction: rows of [gates * hidden] over the input and over the state.
struct CellWeights {
  std::vector<Factor> input;     // [gates * hidden, inputs]
  std::vector<Factor> hidden;    // [gates * hidden, hidden]
  std::vector<Ball> input_bias;  // empty: none
  std::vector<Ball> hidden_bias;
};

// What one row of a batch carries from step to step; only an LSTM has a cell.
struct CellState {
  std::vector<Ball> hidden;
  std::vector<Ball> cell;
};

// The state after a step, in the dtype of `math`.
CellState step(const BallMath& math, CellKind kind, const CellWeights& weights, std::span<const Ball> input,
               const CellState& before);

}  // namespace parallax
