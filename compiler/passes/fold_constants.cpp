// Constant folding: a node whose operands are all constants is computed once, at compile time, by the backend's own
// kernels.
//
// What is returned is not folded: eager makes it anew in each run, and a constant's memory is the same in all of them.
// Nor is what has no operands, which costs a constant's memory and saves nothing, or what is as long as data say: a
// program is compiled at sizes that no data has.
#include <algorithm>
#include <optional>

#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "graph/counts.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// Larger results are left to the run.
constexpr int64_t most_bytes = 1 << 16;

class Folder {
 public:
  Folder(const Graph& graph, EvaluateFn evaluate)
      : graph_(graph),
        evaluate_(evaluate),
        memory_(graph.storages.size()),
        addresses_(graph.storages.size()),
        kept_(written_storages(graph)),
        folded_(graph.nodes.size(), false) {
    for (ValueId output : graph.outputs) kept_[graph.meta(output).storage.index] = true;
    for (const Source& source : graph.sources) {
      if (source.kind != SourceKind::Constant) continue;
      const TensorMeta& meta = graph.meta(source.value);
      scatter(source.data, meta.layout, make_memory(meta.storage));
    }
  }

  Result<Graph> run() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (may_fold(NodeId(n))) fold(NodeId(n));
    }
    Rewriter rewriter(graph_);
    TRY_VOID(add_constants(rewriter));
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!folded_[n]) TRY_VOID(rewriter.copy(graph_.nodes[n]));
    }
    // The new constants come after the old buffers otherwise.
    return renumbered(rewriter.finish());
  }

 private:
  bool is_known(ValueId value) const { return addresses_[graph_.meta(value).storage.index] != nullptr; }

  std::byte* make_memory(StorageId storage) {
    const Storage& made = graph_.storage(storage);
    std::vector<std::byte>& bytes = memory_[storage.index];
    bytes.resize(static_cast<std::size_t>(std::max<int64_t>(made.elements, 1) * size_of(made.dtype)));
    addresses_[storage.index] = bytes.data();
    return bytes.data();
  }

  bool may_fold(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op->writes() || node.op->is_view() || states_count(node)) return false;
    bool has_operand = false;
    bool all_known = true;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        has_operand = true;
        all_known = all_known && is_known(value);
      });
    }
    return has_operand && all_known &&
           std::ranges::all_of(node.results, [&](ValueId result) { return may_be_constant(result); });
  }

  // Not in an operand's storage, and without gaps, of which a constant says nothing.
  bool may_be_constant(ValueId result) const {
    const TensorMeta& meta = graph_.meta(result);
    return !is_known(result) && holds_unless_dropped<"written_folded">(!kept_[meta.storage.index]) &&
           meta.layout.offset == 0 && holds_unless_dropped<"folded_with_gaps">(is_dense(meta.layout)) &&
           meta.layout.numel() * size_of(meta.dtype) <= most_bytes;
  }

  // Leaves the node to the run where it cannot be computed: it may be one that raises.
  void fold(NodeId id) {
    const Node& node = graph_.node(id);
    for (ValueId result : node.results) make_memory(graph_.meta(result).storage);
    folded_[id.index] = evaluate_(graph_, id, addresses_).has_value();
    if (folded_[id.index]) return;
    for (ValueId result : node.results) addresses_[graph_.meta(result).storage.index] = nullptr;
  }

  // The folded results that a node of the run reads.
  Result<void> add_constants(Rewriter& rewriter) {
    std::vector<bool> read(graph_.metas.size(), false);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (folded_[n]) continue;
      for (const Argument& argument : graph_.nodes[n].arguments) {
        for_each_value(argument, [&](ValueId value) { read[value.index] = true; });
      }
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      for (ValueId result : graph_.nodes[n].results) {
        if (!folded_[n] || !read[result.index]) continue;
        const TensorMeta& meta = graph_.meta(result);
        Tensor data = gather(meta.dtype, meta.layout, addresses_[meta.storage.index]);
        TRY(const ValueId now, rewriter.builder().add_source(SourceKind::Constant, graph_.name(result), meta.dtype,
                                                             meta.layout, std::move(data)));
        rewriter.map(result, now);
      }
    }
    return {};
  }

  const Graph& graph_;
  EvaluateFn evaluate_;
  std::vector<std::vector<std::byte>> memory_;  // by storage
  std::vector<std::byte*> addresses_;           // by storage; null where it is not known
  std::vector<bool> kept_;                      // by storage: written or returned
  std::vector<bool> folded_;                    // by node
};

}  // namespace

bool holds_constant_calls(const Graph& graph) {
  std::vector<bool> constant(graph.storages.size(), false);
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Constant) constant[graph.meta(source.value).storage.index] = true;
  }
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    if (node.op->writes() || node.op->is_view() || states_count(node)) return false;
    bool has_operand = false;
    bool all_constant = true;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        has_operand = true;
        all_constant = all_constant && constant[graph.meta(value).storage.index];
      });
    }
    return has_operand && all_constant;
  });
}

Result<Graph> fold_constants(const Graph& graph, const PassOptions& options) {
  if (!options.evaluate) return renumbered(graph);
  return Folder(graph, options.evaluate).run();
}

}  // namespace parallax
