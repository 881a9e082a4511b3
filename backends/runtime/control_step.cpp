#include "backends/runtime/control_step.h"

#include <algorithm>

namespace parallax::runtime {
namespace {

Tensor elements_of(const TensorRef& tensor) { return gather(tensor.dtype, *tensor.layout, tensor.storage); }

void move(const TensorRef& from, const TensorRef& to) { scatter(elements_of(from), *to.layout, to.storage); }

// A slice keeps its layout in itself.
struct Slice {
  Layout layout;
  TensorRef ref;

  Slice(const TensorRef& tensor, int64_t step) : layout(slice_of(*tensor.layout, step)) {
    ref = {tensor.storage, tensor.dtype, &layout};
  }
};

bool read_bool(const TensorRef& tensor) { return elements_of(tensor).get_integer(0) != 0; }

}  // namespace

ControlStep::ControlStep(const CompiledControlOp& op, std::span<const std::shared_ptr<const Executable>> subgraphs,
                         std::byte poison)
    : op_(&op) {
  for (const auto& subgraph : subgraphs) instances_.push_back(std::make_unique<Instance>(subgraph, poison));
}

Result<void> ControlStep::run(const Node& node, std::span<const TensorRef> tensors) {
  results_.clear();
  for (const ValueId result : node.results) results_.push_back(tensors[result.index]);
  workspace_ = results_.back().storage;
  results_.pop_back();
  std::vector<TensorRef> operands;
  for (const Argument& argument : node.arguments) operands.push_back(tensors[std::get<ValueId>(argument).index]);
  switch (op_->kind()) {
    case ControlKind::Cond: {
      if (!predicate_ || op_->rules.asks_each_time) predicate_ = read_bool(operands.front());
      return branch(std::span(operands).subspan(1), *predicate_);
    }
    case ControlKind::WhileLoop:
      return loop(std::move(operands));
    case ControlKind::Scan:
    case ControlKind::Map:
      return scan(std::move(operands));
    case ControlKind::Custom:
      break;  // its calls stand in place of it
  }
  return {};
}

Result<void> ControlStep::call(std::size_t subgraph, std::span<const TensorRef> operands,
                               std::span<std::byte* const> outputs) {
  Result<void> done = instances_[subgraph]->call(operands, workspace_, outputs);
  if (!done) return at(op_->parts.subgraphs[subgraph].name, std::move(done).error());
  return {};
}

Result<void> ControlStep::branch(std::span<const TensorRef> operands, bool predicate) {
  const std::size_t taken = predicate ? 0 : 1;
  TRY_VOID(call(taken, operands));
  for (std::size_t i = 0; i < results_.size(); ++i) move(instances_[taken]->returned(i), results_[i]);
  return {};
}

// What is stacked may be a carry of this step, so it is read before the carries are moved.
Result<void> ControlStep::step(std::size_t subgraph, std::span<const TensorRef> operands, int64_t number) {
  const std::size_t carries = op_->parts.carries;
  std::vector<std::byte*> outputs(op_->programs[subgraph].graph.outputs.size(), nullptr);
  for (std::size_t k = 0; k < carries; ++k) {
    if (op_->in_place[k]) outputs[k] = results_[k].storage;
  }
  TRY_VOID(call(subgraph, operands, outputs));
  for (std::size_t i = carries; i < results_.size(); ++i) {
    const Slice place(results_[i], number);
    move(instances_[subgraph]->returned(i), place.ref);
  }
  // A body may hand one carry on as another.
  std::vector<Tensor> next;
  for (std::size_t k = 0; k < carries; ++k) {
    const TensorRef& returned = instances_[subgraph]->returned(k);
    if (op_->rules.moves_at_once) {
      next.push_back(elements_of(returned));
    } else if (!op_->in_place[k]) {
      move(returned, results_[k]);
    }
  }
  for (std::size_t k = 0; k < next.size(); ++k) {
    if (!op_->in_place[k]) scatter(next[k], *results_[k].layout, results_[k].storage);
  }
  return {};
}

// The carries begin as copies, so a loop of no steps returns what eager does.
Result<void> ControlStep::loop(std::vector<TensorRef> operands) {
  for (std::size_t k = 0; k < op_->parts.carries; ++k) {
    move(operands[k], results_[k]);
    operands[k] = results_[k];
  }
  for (int64_t step = 0;; ++step) {
    TRY_VOID(call(0, operands));
    if (!read_bool(instances_[0]->returned(0))) return {};
    if (step == op_->parts.max_steps) return fail("the loop takes more than {} steps", op_->parts.max_steps);
    TRY_VOID(this->step(1, operands, step));
  }
}

Result<void> ControlStep::scan(std::vector<TensorRef> operands) {
  const std::size_t carries = op_->parts.carries;
  const std::size_t scanned = op_->parts.scanned;
  for (std::size_t k = 0; k < carries; ++k) {
    move(operands[k], results_[k]);
    operands[k] = results_[k];
  }
  const std::vector<TensorRef> whole(operands);
  const int64_t steps = op_->rules.steps(whole[carries].layout->sizes[0]);
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<Slice> slices;
    slices.reserve(scanned);
    for (std::size_t i = carries; i < carries + scanned; ++i) {
      slices.emplace_back(whole[i], step);
      slices.back().ref.layout = &slices.back().layout;
      operands[i] = slices.back().ref;
    }
    TRY_VOID(this->step(0, operands, step));
  }
  return {};
}

}  // namespace parallax::runtime
