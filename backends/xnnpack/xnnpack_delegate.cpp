#include "backends/xnnpack/xnnpack_delegate.h"

#include "backends/xnnpack/definer.h"

namespace parallax::xnnpack {
namespace {

static_assert(delegate_slack >= XNN_EXTRA_BYTES);

using portable::TensorRef;

// Makes the library ready, once.
xnn_status initialized() {
  static const xnn_status status = xnn_initialize(nullptr);
  return status;
}

// One tensor that crosses the boundary.
class Crossing {
 public:
  Crossing(Bound bound, const TensorMeta& meta, Order order) : bound_(bound), layout_(ordered(meta.layout, order)) {
    if (!is_contiguous(layout_))
      copy_.resize(static_cast<std::size_t>(layout_.numel()) + XNN_EXTRA_BYTES / sizeof(float));
  }

  std::size_t position() const { return bound_.position; }
  xnn_external_value bind(const TensorRef& tensor) {
    if (!copy_.empty()) return {bound_.id, copy_.data()};
    return {bound_.id, tensor.storage + layout_.offset * static_cast<int64_t>(sizeof(float))};
  }
  void copy_in(const TensorRef& tensor) {
    if (!copy_.empty()) portable::read_elements(tensor, layout_, copy_.data());
  }
  void copy_out(const TensorRef& tensor) const {
    if (!copy_.empty()) portable::write_elements(tensor, layout_, copy_.data());
  }

 private:
  Bound bound_;
  Layout layout_;
  std::vector<float> copy_;  // empty where the library works in the tensor's own memory
};

struct DeleteRuntime {
  void operator()(xnn_runtime_t runtime) const { xnn_delete_runtime(runtime); }
};

class XnnpackDelegate final : public Delegate {
 public:
  XnnpackDelegate(xnn_runtime_t runtime, std::vector<Crossing> inputs, std::vector<Crossing> outputs,
                  std::list<std::vector<float>> constants)
      : constants_(std::move(constants)), runtime_(runtime), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  Result<void> run(std::span<const TensorRef> inputs, std::span<const TensorRef> outputs) override {
    std::vector<xnn_external_value> externals;
    for (Crossing& input : inputs_) {
      input.copy_in(inputs[input.position()]);
      externals.push_back(input.bind(inputs[input.position()]));
    }
    for (Crossing& output : outputs_) externals.push_back(output.bind(outputs[output.position()]));
    if (const xnn_status status = xnn_setup_runtime(runtime_.get(), externals.size(), externals.data());
        status != xnn_status_success) {
      return fail("XNNPACK does not set the runtime up: {}", name(status));
    }
    if (const xnn_status status = xnn_invoke_runtime(runtime_.get()); status != xnn_status_success) {
      return fail("XNNPACK does not run: {}", name(status));
    }
    for (const Crossing& output : outputs_) output.copy_out(outputs[output.position()]);
    return {};
  }

 private:
  std::list<std::vector<float>> constants_;
  std::unique_ptr<xnn_runtime, DeleteRuntime> runtime_;
  std::vector<Crossing> inputs_, outputs_;
};

// Of a partition of which nobody looks at anything, or of views alone.
class NothingToDo final : public Delegate {
 public:
  Result<void> run(std::span<const TensorRef>, std::span<const TensorRef>) override { return {}; }
};

}  // namespace

Result<std::unique_ptr<Delegate>> make_delegate(const Graph& graph, const Partition& partition,
                                                std::span<const ValueId> outputs) {
  if (outputs.empty()) return std::make_unique<NothingToDo>();
  if (const xnn_status status = initialized(); status != xnn_status_success) {
    return std::unexpected(
        Error{ErrorKind::NoTarget, "", "", fmt::format("XNNPACK does not start here: {}", name(status))});
  }
  Definer definer(graph, partition, outputs);
  TRY_VOID(definer.define_nodes());
  xnn_runtime_t runtime = nullptr;
  if (const xnn_status status = xnn_create_runtime_v2(definer.subgraph(), nullptr, 0, &runtime);
      status != xnn_status_success) {
    return fail("XNNPACK creates no runtime for {} and {} more nodes: {}", graph.nodes[partition.nodes.first].name,
                partition.nodes.size() - 1, name(status));
  }
  const auto crossings = [&](std::span<const Bound> bounds, std::span<const ValueId> values) {
    std::vector<Crossing> made;
    for (const Bound& bound : bounds) made.emplace_back(bound, graph.meta(values[bound.position]), definer.order());
    return made;
  };
  return std::make_unique<XnnpackDelegate>(runtime, crossings(definer.inputs(), partition.inputs),
                                           crossings(definer.outputs(), outputs), definer.take_constants());
}

}  // namespace parallax::xnnpack
