// Interpreter: runs a graph with PyTorch eager's semantics over storages of balls.
//
// Views share storage, in-place ops write through, buffers live from run to run. What comes out is, for each element, a
// set that every implementation keeping the profile lands in (docs/oracle.md).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/profile.h"
#include "graph/inline_custom.h"
#include "ops/ball.h"
#include "ops/op.h"
#include "oracle/alternatives.h"
#include "oracle/cast_elision.h"
#include "oracle/joined_constants.h"
#include "oracle/large_storages.h"
#include "oracle/requantization.h"
#include "oracle/spread.h"

namespace parallax {

// A dense row-major tensor of balls: what the oracle says of one output, input or buffer.
struct BallTensor {
  DType dtype = DType::F32;
  Dims sizes;
  std::vector<Ball> balls;            // floating dtypes
  std::vector<IntegerBall> integers;  // integers and bool
  std::vector<Spread> spreads = {};   // by element, where an ensemble ran (oracle/ensemble.h); empty elsewhere
  // By element, where the ball is the hull of a few and the element is one of them.
  Alternatives alternatives = {};
  DType coarsest = DType::F64;  // that its elements were rounded to on the way (oracle/coarsest_dtypes.h)

  int64_t numel() const { return static_cast<int64_t>(is_floating(dtype) ? balls.size() : integers.size()); }
};

// What one run must hand back.
struct Expected {
  std::vector<BallTensor> outputs;
  std::vector<BallTensor> inputs;   // after the run, under the newest metadata of each input
  std::vector<BallTensor> buffers;  // likewise
  std::vector<int> identity;        // as Observation::identity, as eager has it
  bool one_identity = true;         // a branch that hands an operand on may make one of two of these
  bool may_raise = false;           // eager raises or not by data that is undecided
};

class Interpreter {
 public:
  // The graph must outlive the interpreter. Buffers start from their data.
  Interpreter(const Graph& graph, const Profile& profile);

  // Goes on with the same graph at other sizes (graph/symbols.h): buffers and constants keep what they hold. It must
  // outlive the interpreter too.
  void resize(const Graph& resized);

  // Takes over what the buffers of another method of the same case hold, on the same instance of the program.
  void take_state(const Interpreter& other);

  // Called after each node with the views of all values, by value id: a node may write to its operands too.
  using Observer = std::function<void(NodeId node, std::span<const BallView> values)>;
  // The same for each node of a subgraph that is run, with the subgraph's own values.
  using InnerObserver = std::function<void(const Node& node, std::span<const BallView> values)>;
  // Asked before the reference kernel of each node of the graph, and may stand in for it: whether it filled the
  // results, which then are what the run goes on with.
  using Substitute = std::function<bool(const ReferenceCall& call)>;

  // One run; `feed` is parallel to feed_slots(graph). An error is what eager raises on this data, with the node's
  // pointer; the state is undefined then.
  Result<Expected> run(std::span<const Tensor> feed, const Observer& observe = nullptr,
                       const InnerObserver& inner = nullptr, const Substitute& substitute = nullptr);

  // One run of a graph that is a subgraph, on operands by position: its outputs. `may_raise` is set where eager raises
  // or not by data that is undecided.
  Result<std::vector<BallTensor>> call(std::span<const BallTensor> operands, const InnerObserver& inner,
                                       bool& may_raise);
  // What the last such run left in an operand.
  BallTensor operand(std::size_t i) const;

 private:
  // Of a graph with custom operations, the one with their calls in place of them; null for any other.
  Interpreter(const Graph& graph, std::shared_ptr<const InlinedGraph> inlined, const Profile& profile);
  // An observer of the caller's nodes and values as one of the graph that is run.
  Observer of_caller(const Observer& observe, const InnerObserver& inner) const;
  // Where an error of the graph that is run lies in the caller's.
  std::size_t place_in_caller(std::size_t node) const;

  Result<void> run_nodes(const Observer& observe, const InnerObserver& inner, const Substitute& substitute,
                         bool& may_raise);
  // A value as it is handed out of a run.
  BallTensor handed_out(ValueId value) const;

  std::shared_ptr<const InlinedGraph> inlined_;
  const Graph* graph_;  // that is run
  const Profile* profile_;
  CastElision elision_;
  JoinedConstants joined_;
  Requantization requantization_;
  LargeStorages large_;
  std::vector<DType> coarsest_;  // by storage, or empty
  HeldAlternatives alternatives_;
  std::vector<BallStorage> storages_;
  std::vector<BallView> views_;
};

// Copies a view's elements out.
BallTensor snapshot(const BallView& view);
// The centres as a tensor of the dtype (undecided elements give their mid, and of alternatives it is the first): a
// recorded value for the reducer.
Tensor centre(const BallTensor& balls);

}  // namespace parallax
