#include "oracle/control_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/ball_math.h"
#include "ops/elementwise.h"

namespace parallax {
namespace {

using Tensors = std::vector<BallTensor>;

// Puts a tensor's elements where a view has its own.
void store(const BallTensor& tensor, const BallView& view) {
  std::size_t i = 0;
  for_each_element(view.layout, [&](int64_t element) {
    if (view.floating()) {
      view.ball(element) = tensor.balls[i++];
    } else {
      view.integer(element) = tensor.integers[i++];
    }
  });
}

// Either integer: one that is another in each is undecided for the reason that the predicate is.
IntegerBall either(const IntegerBall& a, const IntegerBall& b, Undecided reason) {
  if (a.decided() && b.decided()) return a.value == b.value ? a : IntegerBall{a.value, reason};
  return {a.value, first_undecided({a, b}), std::min(a.lowest(), b.lowest()), std::max(a.highest(), b.highest())};
}

void widen(BallTensor& tensor, const BallTensor& other, Undecided reason) {
  for (std::size_t i = 0; i < tensor.balls.size(); ++i) tensor.balls[i] = hull(tensor.balls[i], other.balls[i]);
  for (std::size_t i = 0; i < tensor.integers.size(); ++i) {
    tensor.integers[i] = either(tensor.integers[i], other.integers[i], reason);
  }
}

void widen(Tensors& tensors, const Tensors& others, Undecided reason) {
  for (std::size_t i = 0; i < tensors.size(); ++i) widen(tensors[i], others[i], reason);
}

void forget(const BallView& view, Undecided reason) {
  for_each_element(view.layout, [&](int64_t element) {
    if (view.floating()) {
      view.ball(element) = Ball::unknown(reason);
    } else {
      view.integer(element) = {0, reason};
    }
  });
}

// What one run of a subgraph gives: its outputs, and its operands as it leaves them.
struct Ran {
  Tensors outputs;
  Tensors operands;
};

class ControlRun {
 public:
  ControlRun(const ControlOp& op, const Node& node, std::span<const BallView> views, const Profile& profile,
             const Interpreter::InnerObserver& inner, bool& may_raise)
      : op_(op), node_(node), views_(views), inner_(inner), may_raise_(may_raise) {
    for (const Subgraph& subgraph : op.parts.subgraphs) interpreters_.emplace_back(*subgraph.graph, profile);
    for (std::size_t i = 0; i < op.operands(); ++i) operands_.push_back(snapshot(operand(i)));
  }

  Result<void> run() {
    switch (op_.kind()) {
      case ControlKind::Cond:
        return branch();
      case ControlKind::WhileLoop:
        return loop();
      case ControlKind::Scan:
      case ControlKind::Map:
        return scan();
      case ControlKind::Custom:
        break;  // its calls stand in place of it
    }
    return {};
  }

 private:
  const BallView& view(std::size_t parameter) const {
    return views_[std::get<ValueId>(node_.arguments[parameter]).index];
  }
  const BallView& operand(std::size_t i) const { return view(op_.first_operand() + i); }
  bool is_written(std::size_t i) const { return op_.schema.parameters[op_.first_operand() + i].written; }

  Result<Ran> call(std::size_t k, const Tensors& operands) {
    Result<Tensors> outputs = interpreters_[k].call(operands, inner_, may_raise_);
    if (!outputs) {
      Error error = std::move(outputs).error();
      error.reason = fmt::format("'{}': {}", op_.parts.subgraphs[k].name, error.text());
      error.pointer.clear();
      return std::unexpected(std::move(error));
    }
    Ran ran{*std::move(outputs), {}};
    for (std::size_t i = 0; i < operands.size(); ++i) ran.operands.push_back(interpreters_[k].operand(i));
    return ran;
  }

  void give(const Ran& ran) const {
    for (std::size_t i = 0; i < ran.outputs.size(); ++i) store(ran.outputs[i], views_[node_.results[i].index]);
    for (std::size_t i = 0; i < ran.operands.size(); ++i) {
      if (is_written(i)) store(ran.operands[i], operand(i));
    }
  }

  // Nothing is known of what the node gives.
  void give_up(Undecided reason) const {
    for (const ValueId result : node_.results) forget(views_[result.index], reason);
    for (std::size_t i = 0; i < op_.operands(); ++i) {
      if (is_written(i)) forget(operand(i), reason);
    }
  }

  Result<void> branch() {
    const IntegerBall predicate = snapshot(view(0)).integers.front();
    if (predicate.undecided == Undecided::No) {
      TRY(const Ran ran, call(predicate.value != 0 ? 0 : 1, operands_));
      give(ran);
      return {};
    }
    // Memory that nobody wrote may differ from run to run: what one way gives bounds nothing.
    if (predicate.undecided == Undecided::Uninitialized) {
      may_raise_ = true;
      give_up(predicate.undecided);
      return {};
    }
    Result<Ran> either = call(0, operands_);
    const Result<Ran> other = call(1, operands_);
    if (!either && !other) return std::unexpected(std::move(either).error());
    if (!either || !other) {
      may_raise_ = true;
      give_up(predicate.undecided);
      return {};
    }
    widen(either->outputs, other->outputs, predicate.undecided);
    widen(either->operands, other->operands, predicate.undecided);
    give(*either);
    return {};
  }

  // The results of a step are the operands of the next one.
  void carry(const Ran& ran) {
    operands_ = ran.operands;
    std::copy_n(ran.outputs.begin(), op_.parts.carries, operands_.begin());
  }

  Result<void> loop() {
    std::optional<Tensors> stopped;  // what the loop leaves if it stopped where that was undecided
    Undecided reason = Undecided::No;
    const Result<void> done = go_on(stopped, reason);
    if (!done && !stopped) return done;
    if (!done || reason == Undecided::Uninitialized) {
      // It may have stopped before it came to that, or at another step in each run.
      may_raise_ = true;
      give_up(reason);
      return {};
    }
    if (stopped) widen(operands_, *stopped, reason);
    give({Tensors(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(op_.parts.carries)), operands_});
    return {};
  }

  // Steps for as long as the loop may go on.
  Result<void> go_on(std::optional<Tensors>& stopped, Undecided& reason) {
    for (int64_t step = 0;; ++step) {
      TRY(Ran asked, call(0, operands_));
      operands_ = std::move(asked.operands);  // it may write to closures
      const IntegerBall goes_on = asked.outputs.front().integers.front();
      if (goes_on.undecided == Undecided::No && goes_on.value == 0) return {};
      if (goes_on.undecided != Undecided::No) {
        reason = goes_on.undecided;
        if (stopped) {
          widen(*stopped, operands_, reason);
        } else {
          stopped = operands_;
        }
      }
      if (step == op_.parts.max_steps) return refuse("the loop takes more than {} steps", op_.parts.max_steps);
      TRY(const Ran ran, call(1, operands_));
      carry(ran);
    }
  }

  Result<void> scan() {
    const std::size_t carries = op_.parts.carries;
    const int64_t steps = operand(carries).layout.sizes[0];
    for (int64_t step = 0; step < steps; ++step) {
      for (std::size_t i = carries; i < carries + op_.parts.scanned; ++i) {
        BallView slice = operand(i);
        slice.layout = slice_of(slice.layout, step);
        operands_[i] = snapshot(slice);
      }
      TRY(const Ran ran, call(0, operands_));
      carry(ran);
      for (std::size_t i = carries; i < ran.outputs.size(); ++i) {
        BallView slice = views_[node_.results[i].index];
        slice.layout = slice_of(slice.layout, step);
        store(ran.outputs[i], slice);
      }
    }
    for (std::size_t i = 0; i < carries; ++i) store(operands_[i], views_[node_.results[i].index]);
    for (std::size_t i = 0; i < op_.operands(); ++i) {
      if (is_written(i)) store(operands_[i], operand(i));
    }
    return {};
  }

  const ControlOp& op_;
  const Node& node_;
  std::span<const BallView> views_;
  const Interpreter::InnerObserver& inner_;
  bool& may_raise_;
  std::vector<Interpreter> interpreters_;  // by subgraph
  Tensors operands_;
};

}  // namespace

Result<void> run_control(const ControlOp& op, const Node& node, std::span<const BallView> views, const Profile& profile,
                         const Interpreter::InnerObserver& inner, bool& may_raise) {
  return ControlRun(op, node, views, profile, inner, may_raise).run();
}

}  // namespace parallax
