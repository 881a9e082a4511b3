#include "oracle/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "graph/storage_sets.h"
#include "ops/counted_size.h"
#include "ops/fused_op.h"
#include "oracle/coarsest_dtypes.h"
#include "oracle/control_flow.h"
#include "oracle/lost_values.h"

namespace parallax {
namespace {

// Weights of f32, which are most of what a whole program loads. False where they are not dense, or may not be kept as
// they are.
bool load_dense_floats(const Tensor& tensor, const Layout& layout, const Profile& profile, BallStorage& storage) {
  if (tensor.dtype != DType::F32 || profile.flushes_operands || !is_contiguous(layout)) return false;
  Ball* to = storage.balls.data() + layout.offset;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    float x = 0;
    std::memcpy(&x, tensor.at(i), sizeof x);
    to[i] = Ball::exact(static_cast<double>(x));
  }
  return true;
}

// Row-major host elements into a storage under a layout.
void load(const Tensor& tensor, const Layout& layout, const Profile& profile, BallStorage& storage) {
  if (load_dense_floats(tensor, layout, profile, storage)) return;
  int64_t i = 0;
  for_each_element(layout, [&](int64_t element) {
    const auto at = static_cast<std::size_t>(element);
    if (is_floating(tensor.dtype)) {
      storage.balls[at] = kept_of(tensor.get_double(i++), tensor.dtype, profile);
    } else {
      storage.integers[at] = {tensor.get_integer(i++), Undecided::No};
    }
  });
}

// Inputs, then buffers, then outputs, numbered so that equal numbers share a storage.
std::vector<int> identities(const Graph& graph) {
  std::vector<int> number_of_storage(graph.storages.size(), -1);
  std::vector<int> numbers;
  auto number = [&](ValueId value) {
    int& known = number_of_storage[graph.meta(value).storage.index];
    if (known < 0) known = static_cast<int>(numbers.size());
    numbers.push_back(known);
  };
  for (SourceKind kind : {SourceKind::Input, SourceKind::Buffer}) {
    for (const Source& source : graph.sources) {
      if (source.kind == kind) number(source.value);
    }
  }
  for (ValueId output : graph.outputs) number(output);
  return numbers;
}

// Whether eager leaves no choice which of the tensors that are handed out share a storage.
bool has_one_identity(const Graph& graph) {
  if (!find_control(graph)) return true;
  const StorageSets sets(graph);
  return std::ranges::all_of(graph.outputs, [&](ValueId output) { return sets.is_alone(graph.meta(output).storage); });
}

}  // namespace

BallTensor snapshot(const BallView& view) {
  BallTensor tensor{view.dtype, view.layout.sizes, {}, {}};
  const auto count = static_cast<std::size_t>(view.layout.numel());
  if (count == 0) return tensor;
  if (is_contiguous(view.layout)) {
    const int64_t end = view.layout.offset + view.layout.numel();
    if (view.floating()) {
      tensor.balls.assign(view.storage->balls.begin() + view.layout.offset, view.storage->balls.begin() + end);
    } else {
      tensor.integers.assign(view.storage->integers.begin() + view.layout.offset, view.storage->integers.begin() + end);
    }
  } else if (view.floating()) {
    tensor.balls.reserve(count);
    for_each_element(view.layout, [&](int64_t element) { tensor.balls.push_back(view.ball(element)); });
  } else {
    tensor.integers.reserve(count);
    for_each_element(view.layout, [&](int64_t element) { tensor.integers.push_back(view.integer(element)); });
  }
  return tensor;
}

Tensor centre(const BallTensor& balls) {
  Tensor tensor(balls.dtype, balls.sizes);
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (const auto found = balls.alternatives.find(i); found != balls.alternatives.end()) {
      const double first = found->second.front().mid;
      is_floating(balls.dtype) ? tensor.set_double(i, first) : tensor.set_integer(i, static_cast<int64_t>(first));
    } else if (is_floating(balls.dtype)) {
      tensor.set_double(i, balls.balls[static_cast<std::size_t>(i)].mid);
    } else {
      tensor.set_integer(i, balls.integers[static_cast<std::size_t>(i)].value);
    }
  }
  return tensor;
}

Interpreter::Interpreter(const Graph& graph, const Profile& profile)
    : Interpreter(graph, inlined_if_custom(graph), profile) {}

Interpreter::Interpreter(const Graph& of_caller, std::shared_ptr<const InlinedGraph> inlined, const Profile& profile)
    : inlined_(std::move(inlined)),
      graph_(inlined_ ? &inlined_->graph : &of_caller),
      profile_(&profile),
      elision_(*graph_, profile),
      joined_(*graph_, profile),
      requantization_(*graph_, profile),
      large_(*graph_),
      coarsest_(coarsest_dtypes(*graph_)) {
  const Graph& graph = *graph_;
  storages_.reserve(graph.storages.size());
  for (const Storage& storage : graph.storages) {
    storages_.emplace_back(storage.dtype, large_.holds(StorageId(storages_.size())) ? 0 : storage.elements);
    if (storage.data) load(*storage.data, contiguous_layout(storage.sizes), profile, storages_.back());
  }
  views_.reserve(graph.metas.size());
  for (const TensorMeta& meta : graph.metas) {
    views_.push_back({&storages_[meta.storage.index], meta.dtype, meta.layout});
  }
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Input || source.window) continue;
    const TensorMeta& meta = graph.meta(source.value);
    if (large_.holds(meta.storage)) continue;
    load(source.data, meta.layout, profile, storages_[meta.storage.index]);
  }
}

void Interpreter::resize(const Graph& to) {
  inlined_ = inlined_if_custom(to);
  const Graph& resized = inlined_ ? inlined_->graph : to;
  graph_ = &resized;
  elision_ = CastElision(resized, *profile_);
  joined_ = JoinedConstants(resized, *profile_);
  requantization_ = Requantization(resized, *profile_);
  large_ = LargeStorages(resized);
  for (std::size_t s = 0; s < storages_.size(); ++s) {
    if (large_.holds(StorageId(s))) continue;
    const Storage& storage = resized.storages[s];
    const std::size_t held = std::max(storages_[s].balls.size(), storages_[s].integers.size());
    if (held != static_cast<std::size_t>(storage.elements)) storages_[s] = BallStorage(storage.dtype, storage.elements);
  }
  for (std::size_t v = 0; v < views_.size(); ++v) views_[v].layout = resized.metas[v].layout;
}

void Interpreter::take_state(const Interpreter& other) {
  const auto storages = [](const Graph& graph) {
    std::vector<StorageId> of_buffers;
    for (const Source& source : graph.sources) {
      if (source.kind == SourceKind::Buffer) of_buffers.push_back(graph.meta(source.value).storage);
    }
    return of_buffers;
  };
  const std::vector<StorageId> own = storages(*graph_);
  const std::vector<StorageId> others = storages(*other.graph_);
  PARALLAX_CHECK(own.size() == others.size());
  for (std::size_t i = 0; i < own.size(); ++i) storages_[own[i].index] = other.storages_[others[i].index];
}

Result<std::vector<BallTensor>> Interpreter::call(std::span<const BallTensor> operands, const InnerObserver& inner,
                                                  bool& may_raise) {
  PARALLAX_CHECK(operands.size() == graph_->sources.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const BallView& view = views_[graph_->sources[i].value.index];
    std::size_t next = 0;
    for_each_element(view.layout, [&](int64_t element) {
      if (view.floating()) {
        view.ball(element) = operands[i].balls[next++];
      } else {
        view.integer(element) = operands[i].integers[next++];
      }
    });
  }
  const Observer as_inner = [&](NodeId node, std::span<const BallView> values) { inner(graph_->node(node), values); };
  TRY_VOID(run_nodes(inner ? as_inner : Observer(), inner, Substitute(), may_raise));
  std::vector<BallTensor> outputs;
  for (const ValueId output : graph_->outputs) outputs.push_back(snapshot(views_[output.index]));
  return outputs;
}

BallTensor Interpreter::handed_out(ValueId value) const {
  BallTensor tensor = snapshot(views_[value.index]);
  tensor.alternatives = alternatives_.of(views_[value.index]);
  if (!coarsest_.empty()) tensor.coarsest = coarsest_[graph_->meta(value).storage.index];
  return tensor;
}

BallTensor Interpreter::operand(std::size_t i) const { return snapshot(views_[graph_->sources[i].value.index]); }

Result<Expected> Interpreter::run(std::span<const Tensor> feed, const Observer& observe, const InnerObserver& inner,
                                  const Substitute& substitute) {
  const std::vector<FeedSlot> slots = feed_slots(*graph_);
  PARALLAX_CHECK(slots.size() == feed.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    BallStorage& storage = storages_[slots[i].storage.index];
    if (slots[i].layout.numel() < graph_->storage(slots[i].storage).elements || !is_contiguous(slots[i].layout)) {
      // What the run before left between the elements that are fed.
      std::ranges::fill(storage.balls, Ball());
      std::ranges::fill(storage.integers, IntegerBall());
    }
    load(feed[i], slots[i].layout, *profile_, storage);
  }

  bool may_raise = false;
  TRY_VOID(run_nodes(inlined_ ? of_caller(observe, inner) : observe, inner, substitute, may_raise));

  Expected expected;
  expected.may_raise = may_raise;
  for (ValueId output : graph_->outputs) expected.outputs.push_back(handed_out(output));
  // A metadata-only write (t_) moves the object on: its last value stands for the tensor the caller holds.
  std::vector<ValueId> newest(graph_->metas.size());
  for (std::size_t v = 0; v < graph_->metas.size(); ++v) newest[graph_->objects[v].index] = ValueId(v);
  for (const Source& source : graph_->sources) {
    if (source.kind == SourceKind::Constant) continue;
    auto& list = source.kind == SourceKind::Input ? expected.inputs : expected.buffers;
    list.push_back(handed_out(newest[source.value.index]));
  }
  expected.identity = identities(*graph_);
  expected.one_identity = has_one_identity(*graph_);
  return expected;
}

Interpreter::Observer Interpreter::of_caller(const Observer& observe, const InnerObserver& inner) const {
  return [this, &observe, &inner](NodeId node, std::span<const BallView> values) {
    const InlinedGraph::Origin& origin = inlined_->origins[node.index];
    if (origin.inner && inner) inner(graph_->node(node), values);
    if (!origin.last || !observe) return;
    std::vector<BallView> views;
    views.reserve(inlined_->values.size());
    for (const ValueId value : inlined_->values) views.push_back(values[value.index]);
    observe(origin.node, views);
  };
}

std::size_t Interpreter::place_in_caller(std::size_t node) const {
  return inlined_ ? inlined_->origins[node].node.index : node;
}

Result<void> Interpreter::run_nodes(const Observer& observe, const InnerObserver& inner, const Substitute& substitute,
                                    bool& may_raise) {
  joined_.start();
  alternatives_.clear();
  std::vector<BallView> results;
  for (std::size_t n = 0; n < graph_->nodes.size(); ++n) {
    const Node& node = graph_->nodes[n];
    large_.for_each_first_taken(n, [&](StorageId held) {
      const Storage& taken = graph_->storage(held);
      BallStorage& storage = storages_[held.index];
      storage = BallStorage(taken.dtype, taken.elements);
      if (const Source* source = large_.constant(held)) {
        load(source->data, graph_->meta(source->value).layout, *profile_, storage);
      }
    });
    results.clear();
    for (ValueId result : node.results) results.push_back(views_[result.index]);
    joined_.note(node, views_);
    const LostNan lost(node, *profile_, views_);
    bool substituted = false;
    if (const ControlOp* control = as_control(*node.op)) {
      if (auto done = run_control(*control, node, views_, *profile_, inner, may_raise); !done)
        return at(fmt::format("/graph/nodes/{}", place_in_caller(n)), std::move(done.error()));
    } else if (as_fused(*node.op)) {
      const Call call(*node.op, node.arguments, graph_->metas);
      if (auto done = run_fused(call, views_, results.front(), *profile_, &may_raise); !done)
        return at(fmt::format("/graph/nodes/{}", place_in_caller(n)), std::move(done.error()));
    } else if (node.op->reference) {
      const Call call(*node.op, node.arguments, graph_->metas);
      if (auto known = check_count(call, views_); !known)
        return at(fmt::format("/graph/nodes/{}", place_in_caller(n)), std::move(known.error()));
      const ReferenceCall reference(call, views_, results, *profile_, &may_raise);
      substituted = substitute && substitute(reference);
      if (!substituted) {
        if (auto done = node.op->reference(reference); !done)
          return at(fmt::format("/graph/nodes/{}", place_in_caller(n)), std::move(done.error()));
      }
    }
    if (!substituted) {
      elision_.widen(node, results);
      joined_.widen(node, views_);
      requantization_.widen(node, views_);
      lost.widen();
    }
    alternatives_.note(node, graph_->metas, views_, results, *profile_);
    if (observe) observe(NodeId(n), views_);
    large_.for_each_last_taken(
        n, [&](StorageId storage) { storages_[storage.index] = BallStorage(storages_[storage.index].dtype, 0); });
  }
  return {};
}

}  // namespace parallax
