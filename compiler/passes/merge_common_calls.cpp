// Common calls: a call that was made before on operands that nothing has written since is not made again.
//
// Eager has two results in two places. The second one becomes a copy of the first, which elide_copies makes an alias of
// where nobody can tell; a view becomes the first view. Copies and fills cost no more than such a copy and stay.
#include "compiler/passes/merge_common_calls.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "graph/counts.h"
#include "graph/written_operands.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// What makes a new tensor of one number and reads no element of any other.
constexpr std::array<std::string_view, 9> fills = {
    "aten.full.default",      "aten.full_like.default", "aten.zeros_like.default",
    "aten.ones_like.default", "aten.zeros.default",     "aten.ones.default",
    "aten.new_zeros.default", "aten.new_ones.default",  "aten.new_full.default"};

bool is_fill(const Op& op) { return std::ranges::find(fills, op.name) != fills.end(); }

class Merger {
 public:
  Merger(const Graph& graph, const MergeRules& rules)
      : graph_(graph), rules_(rules), rewriter_(graph), resized_(graph.metas.size(), false) {
    for (const Node& node : graph.nodes) {
      if (node.op->writes_metadata_only()) resized_[graph.objects[node.results.front().index].index] = true;
    }
  }

  Result<Graph> run() {
    for (const Node& node : graph_.nodes) {
      std::vector<Argument> arguments = as_first_named(rewriter_.mapped_arguments(node));
      if (const Made* before = may_merge(node) ? made_before(node, what_counts(node, arguments)) : nullptr) {
        TRY_VOID(merge(node, *before));
      } else {
        TRY_VOID(rewriter_.add(node, std::move(arguments)));
      }
      note_writes(node);
    }
    return rewriter_.finish();
  }

 private:
  // A tensor that was written in place has another name since, and is the same tensor.
  std::vector<Argument> as_first_named(std::vector<Argument> arguments) {
    const Graph& now = rewriter_.builder().graph();
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) {
        const ValueId first = now.objects[value.index];
        if (now.meta(first).layout == now.meta(value).layout) value = first;
      });
    }
    return arguments;
  }

  // Of a fill not the tensor that it is like, whose elements it does not read.
  static std::vector<Argument> what_counts(const Node& node, std::vector<Argument> arguments) {
    if (is_fill(*node.op)) {
      std::erase_if(arguments, [](const Argument& argument) { return std::holds_alternative<ValueId>(argument); });
    }
    return arguments;
  }

  bool makes_alike(const Node& a, const Node& b) const {
    return std::ranges::equal(a.results, b.results, [&](ValueId x, ValueId y) {
      return graph_.meta(x).dtype == graph_.meta(y).dtype && graph_.meta(x).layout == graph_.meta(y).layout;
    });
  }

  // A call that was made: its node, its operands in the new graph, and the writes to all that it read and made.
  struct Made {
    const Node* node;
    std::vector<Argument> arguments;
    int64_t writes = 0;
  };

  // A copy of what is not dense would lie otherwise, and a tensor that unsqueeze_ or its like changes is its own.
  bool may_merge(const Node& node) const {
    if (node.op->writes() || node.op->group == OpGroup::Copy) return false;
    if (states_count(node)) return false;  // what is equal at these sizes may hang on another symbol
    if (is_fill(*node.op) && !rules_.merges_fills) return false;
    return std::ranges::all_of(node.results, [&](ValueId result) {
      return !resized_[result.index] && (!is_apart(node, result) || is_dense(graph_.meta(result).layout));
    });
  }

  int64_t& writes_to(StorageId storage) {
    if (storage.index >= writes_.size()) writes_.resize(storage.index + 1, 0);
    return writes_[storage.index];
  }

  int64_t writes_to(const Made& made) {
    int64_t writes = 0;
    const auto add = [&](ValueId value) { writes += writes_to(rewriter_.meta(value).storage); };
    for (const Argument& argument : made.arguments) for_each_value(argument, add);
    for (ValueId result : made.node->results) {
      if (rewriter_[result].valid()) add(rewriter_[result]);
    }
    return writes;
  }

  void note_writes(const Node& node) {
    for_each_written(node, [&](ValueId value) { ++writes_to(rewriter_.meta(rewriter_[value]).storage); });
  }

  // The earlier one of two equal calls; what is not equal to any is noted.
  const Made* made_before(const Node& node, std::vector<Argument> arguments) {
    std::size_t key = std::hash<const Op*>()(node.op);
    for (const Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId value) { key = key * 31 + value.index; });
    }
    const auto [first, last] = made_.equal_range(key);
    for (auto at = first; at != last; ++at) {
      const Made& made = at->second;
      if (made.node->op != node.op ||
          !holds_unless_dropped<"merged_other_arguments">(same_arguments(made.arguments, arguments)))
        continue;
      if (!holds_unless_dropped<"merged_unlike_results">(makes_alike(*made.node, node))) continue;
      if (!rules_.sees_writes || holds_unless_dropped<"merged_over_a_write">(made.writes == writes_to(made)))
        return &made;
    }
    Made now{&node, std::move(arguments)};
    now.writes = writes_to(now);
    made_.emplace(key, std::move(now));
    return nullptr;
  }

  // Whether a result lies in memory of its own, which is to stay its own.
  bool is_apart(const Node& node, ValueId result) const {
    if (is_fill(*node.op)) return false;
    bool shared = false;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        shared = shared || graph_.meta(value).storage == graph_.meta(result).storage;
      });
    }
    return !shared && taken_unless_dropped<"merged_copies">();
  }

  Result<void> merge(const Node& node, const Made& before) {
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const ValueId earlier = rewriter_[before.node->results[k]];
      if (!is_apart(node, node.results[k])) {
        rewriter_.map(node.results[k], earlier);
        continue;
      }
      TRY(const ValueId copy, rewriter_.builder().call("aten.clone.default", {earlier}, graph_.name(node.results[k])));
      rewriter_.map(node.results[k], copy);
    }
    return {};
  }

  const Graph& graph_;
  const MergeRules& rules_;
  Rewriter rewriter_;
  std::unordered_multimap<std::size_t, Made> made_;
  std::vector<int64_t> writes_;  // by storage of the new graph, as far as anybody asked
  std::vector<bool> resized_;    // by value: an object whose sizes and strides change later
};

}  // namespace

Result<Graph> merge_common_calls_with(const Graph& graph, const MergeRules& rules) {
  return Merger(graph, rules).run();
}

bool holds_common_calls(const Graph& graph) {
  // A tensor that was written in place is the same tensor under another name.
  const auto alike = [&](ValueId a, ValueId b) { return graph.objects[a.index] == graph.objects[b.index]; };
  for (auto node = graph.nodes.begin(); node != graph.nodes.end(); ++node) {
    if (node->op->writes() || node->op->group == OpGroup::Copy) continue;
    const bool common = std::any_of(graph.nodes.begin(), node, [&](const Node& earlier) {
      return earlier.op == node->op &&
             (is_fill(*node->op) || same_arguments(earlier.arguments, node->arguments, alike));
    });
    if (common) return true;
  }
  return false;
}

Result<Graph> merge_common_calls(const Graph& graph) { return merge_common_calls_with(graph, {}); }

}  // namespace parallax
