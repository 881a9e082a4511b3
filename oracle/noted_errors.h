// Error notes: how far the results of each node may be off, as the reference kernels say of the program in double. The
// members of an ensemble compute such a node by its plain kernel and draw their errors from the note.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "ops/op.h"

namespace parallax {

// How far one element may be off, as a float that is as large as the largest error that is drawn. Its sign says that
// the element may be 0, whose error is one of its own.
class NotedError {
 public:
  NotedError(double amplitude, bool may_be_zero)
      : held_(std::copysign(static_cast<float>(amplitude), may_be_zero ? -1.0f : 1.0f)) {}
  double amplitude() const { return std::fabs(static_cast<double>(held_)); }
  bool may_be_zero() const { return std::signbit(held_); }

 private:
  float held_;
};

// The largest error that is drawn of what a reference kernel gives. Where a standard deviation is known, that of an
// even spread; the worst case of a long sum is far from anything that runs.
double drawn_error(const Ball& ball);

// What the plain kernel makes of a call, a dense storage for each result; nothing where it has none or computes
// nothing.
std::vector<BallStorage> plain_results(const ReferenceCall& call);

class ErrorNotes {
 public:
  // Before a node of the program in double runs: what its plain kernel makes of the operands.
  void before(const ReferenceCall& call);
  // After the node ran, with the views of all values: notes it, where all its results are finite numbers that may be
  // off, and nothing else.
  void after(const Node& node, std::span<const BallView> values);

  // What is noted of the results of a call, by element in row-major order. Null where nothing is: then the reference
  // kernel runs. `visit` counts the calls of all runs.
  const std::vector<std::vector<NotedError>>* of(std::size_t visit, const ReferenceCall& call) const;

 private:
  struct Visit {
    const Op* op;
    std::vector<std::vector<NotedError>> results;  // empty: nothing is noted
  };

  std::vector<Visit> visits_;
  std::vector<BallStorage> plain_;  // the results by the plain kernel, where it ran
};

}  // namespace parallax
