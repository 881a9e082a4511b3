// Legal run: one implementation that the profile allows, simulated. Every result of every node becomes one number of
// its bound, so that what follows is computed from it and errors stay correlated as they are in a real program.
#pragma once

#include <cstdint>
#include <span>

#include "graph/graph.h"
#include "ops/op.h"
#include "oracle/noted_errors.h"
#include "oracle/vanishing_results.h"

namespace parallax {

class LegalRun {
 public:
  enum class Errors : uint8_t { None, Random, Up, Down };

  // How an implementation differs from the program in double.
  struct Style {
    Errors errors = Errors::None;
    bool rounds = false;  // every result is rounded to its dtype; otherwise it stays a double, as fused code keeps it
    // Random errors are that many times too large, and so are the steps by which a quantized number is off: what a
    // decision (a comparison, an index, a step) makes of a value that is as far off as an accused one. Noise of rare
    // steps that is less than a step shows in no other way: few runs meet the number that it moves.
    double exaggeration = 1;
    // Whatever may be 0 is 0, in all elements at once: two numbers that cancel may be equal in the dtype, 1 + erf(x) is
    // 0 for every x that is low enough, and numbers near 0 are flushed. Otherwise a quarter of the random ones is.
    bool cancels = false;
    // Results lie on a grid as coarse as their errors allow, and on its 0 where they may: numbers that are equal in
    // some implementation are equal, and do not deviate.
    bool coincides = false;
    // Random errors are drawn anew per operation and not per number: a kernel is a function, so that it takes equal
    // numbers to equal ones, which have no variance and cancel.
    bool alike = false;
    // A quarter of the random results that are subnormal is 0, as where an implementation takes subnormals for 0.
    bool flushes = false;
    uint64_t seed = 0;
  };
  // The program in double, or with every result rounded once, as eager holds it.
  static constexpr Style in_double() { return {}; }
  static constexpr Style rounded() { return {.rounds = true}; }

  // The graph must outlive the run.
  LegalRun(const Graph& graph, const Style& style) : graph_(&graph), style_(style) {}
  // One whose errors are those of the notes, and whose results vanish as those of a run with bounds may. Both must
  // outlive it too.
  LegalRun(const Graph& graph, const Style& style, const ErrorNotes& notes, const VanishingResults& vanishing)
      : graph_(&graph), style_(style), notes_(&notes), vanishing_(&vanishing) {}

  // In place of the reference kernel, where the notes tell of the call: its results in double, off by as much as they
  // may be; and where it reads nearest texels, of which it chooses one. Whether it computed them.
  bool compute(const ReferenceCall& call);

  // Makes numbers of what a node that was just run made or wrote, of all values. Elements that are undecided on exact
  // operands stay so, and what may be NaN or infinite keeps that.
  void decide(NodeId node, std::span<const BallView> values) { decide(graph_->node(node), values); }
  // The same for a node of a subgraph.
  void decide(const Node& node, std::span<const BallView> values);

 private:
  // What a ball around 0 stands for: any number in it, its two ends, or its ends and 0.
  enum class Zeros { Vary, Sign, Turn };
  static Zeros zeros_of(const Op& op);
  void decide(Ball& ball, DType dtype, Zeros zeros);
  void decide(IntegerBall& integer, DType dtype, double exaggeration);
  bool read_texels(const ReferenceCall& call);
  // The number itself, or one that is off by at most so much.
  double off(double x, double amplitude, bool may_be_zero);
  // What vanished, with a sign that is drawn, or the same for all where they vanish at once.
  double zero();
  // The magnitude with a sign that is drawn, or, where numbers coincide, the same for all.
  double signed_anew(double magnitude);
  // Whether an angle of two zeros is 0.
  bool stays();
  // 0 now and then, where the style takes subnormals for it.
  double flushed(double x, DType dtype);
  double draw();  // in [-1, 1)
  // Before an operation, and before each number of its results: where errors are alike, all are drawn from the same
  // place, which is the kernel's.
  void begin_operation(const Op& op);
  void begin_number() { drawn_ = style_.alike ? kernels_place_ : drawn_; }

  const Graph* graph_;
  Style style_;
  const ErrorNotes* notes_ = nullptr;
  const VanishingResults* vanishing_ = nullptr;  // there where notes are
  std::size_t visits_ = 0;                       // calls that `compute` was asked of
  bool computed_ = false;                        // the node that is to be decided next
  uint64_t drawn_ = 0;
  uint64_t kernels_place_ = 0;  // where errors are alike
};

}  // namespace parallax
