// Branches, loops and custom operations made simpler: the calls of one branch, of one step or of the operation in place
// of the node, fewer steps, fewer results and carries, operands that no subgraph reads gone, and calls inside a
// subgraph gone, or made before the node.
#include <fmt/format.h>

#include <algorithm>

#include "graph/control_op.h"
#include "graph/inline_subgraph.h"
#include "graph/removal.h"
#include "ops/registry.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

// A subgraph as editable data: a case of its own that nothing is fed to.
Case as_case(const Graph& subgraph) {
  Case test;
  test.graph = subgraph;
  for (const FeedSlot& slot : feed_slots(subgraph)) test.feed.emplace_back(slot.dtype, slot.layout.sizes);
  return test;
}

// A subgraph after an edit of it as a case, or nothing where that is none. An operation may return nothing, and a case
// may not: it stands there with an output that is taken away again.
template <class EditCase>
std::shared_ptr<const Graph> edited(const Graph& subgraph, EditCase&& edit) {
  Case inner = as_case(subgraph);
  const bool returns_nothing = subgraph.outputs.empty();
  if (returns_nothing) inner.graph.outputs.push_back(subgraph.sources.front().value);
  std::optional<Case> made = edit(inner);
  if (!made) return nullptr;
  if (returns_nothing) made->graph.outputs.clear();
  return std::make_shared<const Graph>(std::move(made->graph));
}

// Smaller numbers to try, the smallest first.
std::vector<int64_t> smaller_than(int64_t number) {
  std::vector<int64_t> numbers;
  for (const int64_t tried : {int64_t{1}, number / 2, number - 1}) {
    if (tried >= 1 && tried < number && std::ranges::find(numbers, tried) == numbers.end()) numbers.push_back(tried);
  }
  return numbers;
}

class ControlReducer {
 public:
  ControlReducer(const Case& test, std::size_t node, CandidateList& candidates)
      : test_(test),
        at_(node),
        node_(test.graph.nodes[node]),
        op_(*as_control(*node_.op)),
        whole_(take_apart(test)),
        candidates_(candidates) {}

  void offer_all() {
    if (op_.kind() == ControlKind::Cond) {
      for (const std::size_t branch : {0, 1}) offer_inlined(branch);
    } else {
      offer_inlined(op_.parts.subgraphs.size() - 1);
    }
    offer_fewer_steps();
    offer_fewer_results();
    offer_fewer_operands();
    offer_fewer_calls();
    offer_outlined_calls();
  }

 private:
  ValueId operand(std::size_t i) const { return std::get<ValueId>(node_.arguments[op_.first_operand() + i]); }
  const std::string& name(std::size_t subgraph) const { return op_.parts.subgraphs[subgraph].name; }

  // One branch, or one step, in place of the node; what a scan or a map stacks is of one slice then.
  void offer_inlined(std::size_t subgraph) {
    Sketch sketch = whole_;
    sketch.nodes.erase(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(at_));
    std::vector<ValueId> operands;
    std::vector<Sketch::CallSketch> slices;
    const auto fresh = [&] {
      sketch.stand_ins.push_back(ValueId(sketch.stand_ins.size()));
      return sketch.stand_ins.back();
    };
    static const Op& select = op_named("aten.select.int");
    static const Op& unsqueeze = op_named("aten.unsqueeze.default");
    for (std::size_t i = 0; i < op_.operands(); ++i) {
      const bool sliced = i >= op_.parts.carries && i < op_.parts.carries + op_.parts.scanned;
      operands.push_back(sliced ? fresh() : operand(i));
      if (!sliced) continue;
      slices.push_back({&select, "", {operand(i), Scalar(int64_t{0}), Scalar(int64_t{0})}, {operands.back()}, {}});
    }
    const std::vector<ValueId> outputs = inline_calls(sketch, at_, op_.subgraph(subgraph), operands);
    sketch.nodes.insert(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(at_), slices.begin(), slices.end());
    std::size_t after = at_ + slices.size() + op_.subgraph(subgraph).nodes.size();
    const bool stacks = op_.kind() == ControlKind::Scan || op_.kind() == ControlKind::Map;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      ValueId result = outputs[k];
      if (stacks && k >= op_.parts.carries) {
        result = fresh();
        sketch.nodes.insert(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(after++),
                            {&unsqueeze, "", {outputs[k], Scalar(int64_t{0})}, {result}, {}});
      }
      sketch.replace(node_.results[k], result);
    }
    candidates_.offer_with_and_without_dead(fmt::format("'{}' in place of {}", name(subgraph), node_.name), sketch);
  }

  // The node with another record; `kept` says which of its results are left.
  void offer(const std::string& what, ControlParts parts, std::vector<Argument> arguments,
             const std::vector<bool>& kept) {
    const Result<std::shared_ptr<const ControlOp>> made = make_control_op(std::move(parts));
    if (!made) return;
    Sketch sketch = whole_;
    Sketch::CallSketch& call = sketch.nodes[at_];
    call.op = made->get();
    call.arguments = std::move(arguments);
    call.results.clear();
    call.result_names.clear();
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (!kept[k]) continue;
      call.results.push_back(node_.results[k]);
      call.result_names.push_back(test_.graph.name(node_.results[k]));
    }
    candidates_.offer(what, sketch);
  }

  // Smaller whole numbers for a loop's condition to compare with. A scan takes fewer steps where its operand is
  // smaller.
  void offer_fewer_steps() {
    if (op_.kind() != ControlKind::WhileLoop) return;
    const Graph& condition = op_.subgraph(0);
    for (std::size_t n = 0; n < condition.nodes.size(); ++n) {
      for (std::size_t a = 0; a < condition.nodes[n].arguments.size(); ++a) {
        const auto* scalar = std::get_if<Scalar>(&condition.nodes[n].arguments[a]);
        const auto* limit = scalar ? std::get_if<int64_t>(scalar) : nullptr;
        if (!limit) continue;
        for (const int64_t fewer : smaller_than(*limit)) {
          Graph changed = condition;
          changed.nodes[n].arguments[a] = Scalar(fewer);
          ControlParts parts = op_.parts;
          parts.subgraphs[0].graph = std::make_shared<const Graph>(std::move(changed));
          offer(fmt::format("{} up to {}", node_.name, fewer), std::move(parts), node_.arguments,
                std::vector<bool>(node_.results.size(), true));
        }
      }
    }
  }

  void offer_fewer_results() {
    const std::vector<bool> used = used_values(whole_);
    const bool is_custom = op_.kind() == ControlKind::Custom;
    if (is_custom && !op_.parts.subgraphs[0].nones.empty()) {
      ControlParts parts = op_.parts;
      parts.subgraphs[0].nones.clear();
      offer(node_.name + " without None", std::move(parts), node_.arguments,
            std::vector<bool>(node_.results.size(), true));
    }
    for (std::size_t k = 0; k < node_.results.size(); ++k) {
      if (used[node_.results[k].index] || (node_.results.size() == 1 && !is_custom)) continue;
      const bool is_carry = k < op_.parts.carries;
      ControlParts parts = op_.parts;
      std::vector<Argument> arguments = node_.arguments;
      bool possible = true;
      for (std::size_t s = 0; s < parts.subgraphs.size(); ++s) {
        Graph graph = *parts.subgraphs[s].graph;
        const bool is_condition = parts.kind == ControlKind::WhileLoop && s == 0;
        if (!is_condition) graph.outputs.erase(graph.outputs.begin() + static_cast<std::ptrdiff_t>(k));
        // Without a next one the carry is what it was in all steps: a closure.
        if (is_carry) {
          const auto first = graph.sources.begin() + static_cast<std::ptrdiff_t>(k);
          std::rotate(first, first + 1, graph.sources.end());
        }
        possible = possible && (!graph.outputs.empty() || is_custom);
        for (std::size_t& none : parts.subgraphs[s].nones) none -= none > op_.place_of(k);
        parts.subgraphs[s].graph = std::make_shared<const Graph>(std::move(graph));
      }
      if (is_carry) {
        --parts.carries;
        ++parts.closures;
        const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(k);
        std::rotate(first, first + 1, arguments.end());
      }
      std::vector<bool> kept(node_.results.size(), true);
      kept[k] = false;
      if (possible)
        offer(fmt::format("{} without result {}", node_.name, k), std::move(parts), std::move(arguments), kept);
    }
  }

  // Closures that no subgraph reads.
  void offer_fewer_operands() {
    for (std::size_t i = op_.parts.carries + op_.parts.scanned; i < op_.operands(); ++i) {
      ControlParts parts = op_.parts;
      --parts.closures;
      bool possible = true;
      for (Subgraph& subgraph : parts.subgraphs) {
        subgraph.graph = edited(*subgraph.graph, [&](const Case& inner) {
          Sketch sketch = take_apart(inner);
          sketch.sources.erase(sketch.sources.begin() + static_cast<std::ptrdiff_t>(i));
          return put_together(sketch, inner);
        });
        possible = possible && subgraph.graph;
      }
      std::vector<Argument> arguments = node_.arguments;
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(op_.first_operand() + i));
      if (possible)
        offer(fmt::format("{} without operand {}", node_.name, i), std::move(parts), std::move(arguments),
              std::vector<bool>(node_.results.size(), true));
    }
  }

  // A call inside a subgraph gone: one of its operands stands for what it made.
  void offer_fewer_calls() {
    for (std::size_t s = 0; s < op_.parts.subgraphs.size(); ++s) {
      const Graph& subgraph = op_.subgraph(s);
      for (std::size_t n = subgraph.nodes.size(); n-- > 0;) {
        ControlParts parts = op_.parts;
        parts.subgraphs[s].graph = edited(subgraph, [&](const Case& inner) {
          const std::optional<Sketch> sketch = remove_nodes(inner, n, n + 1, Removal::Bypass, nullptr);
          return sketch ? put_together(*sketch, inner) : std::nullopt;
        });
        if (!parts.subgraphs[s].graph) continue;
        offer(fmt::format("'{}' without {}", name(s), subgraph.nodes[n].name), std::move(parts), node_.arguments,
              std::vector<bool>(node_.results.size(), true));
      }
    }
  }

  // Which operand of the node a value of a subgraph is; past the last one for what a call made.
  static std::size_t operand_that_is(const Graph& subgraph, ValueId value) {
    const auto source = std::ranges::find(subgraph.sources, value, &Source::value);
    return static_cast<std::size_t>(source - subgraph.sources.begin());
  }

  // Whether a call of a subgraph gives the same in all steps and wherever it stands: a tensor of its own, made of
  // closures that no subgraph writes.
  bool is_invariant(const Graph& subgraph, const Node& call) const {
    if (call.op->writes() || call.op->schema.has_list_result() || as_control(*call.op)) return false;
    const StorageId storage = subgraph.meta(call.results.front()).storage;
    bool invariant = true;
    for (const Argument& argument : call.arguments) {
      for_each_value(argument, [&](ValueId value) {
        const std::size_t i = operand_that_is(subgraph, value);
        invariant = invariant && i < op_.operands() && i >= op_.parts.carries + op_.parts.scanned &&
                    !node_.op->schema.parameters[op_.first_operand() + i].written &&
                    subgraph.meta(value).storage != storage;
      });
    }
    return invariant;
  }

  // A subgraph with one more closure, in the place of what call `n` of it made, where it has that.
  static std::shared_ptr<const Graph> with_closure(const Graph& subgraph, std::string name, const TensorMeta& meta,
                                                   std::optional<std::size_t> n) {
    return edited(subgraph, [&](const Case& inner) {
      Sketch sketch = take_apart(inner);
      ValueId value(sketch.stand_ins.size());
      if (n) {
        value = sketch.nodes[*n].results.front();
        sketch.nodes.erase(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(*n));
      } else {
        sketch.stand_ins.push_back(value);
        while (std::ranges::find(subgraph.names, name) != subgraph.names.end()) name += '_';
      }
      const Layout layout{meta.layout.sizes, meta.layout.strides, 0};
      sketch.sources.push_back(
          {SourceKind::Input, value, name, meta.dtype, layout, Tensor(meta.dtype, meta.layout.sizes), {}});
      return put_together(sketch, inner);
    });
  }

  // A call inside a subgraph made before the node, and its result handed in.
  void offer_outlined_calls() {
    for (std::size_t s = 0; s < op_.parts.subgraphs.size(); ++s) {
      const Graph& subgraph = op_.subgraph(s);
      for (std::size_t n = 0; n < subgraph.nodes.size(); ++n) {
        const Node& call = subgraph.nodes[n];
        if (!is_invariant(subgraph, call)) continue;
        ControlParts parts = op_.parts;
        ++parts.closures;
        bool possible = true;
        for (std::size_t k = 0; k < parts.subgraphs.size(); ++k) {
          parts.subgraphs[k].graph = with_closure(op_.subgraph(k), call.name, subgraph.meta(call.results.front()),
                                                  k == s ? std::optional(n) : std::nullopt);
          possible = possible && parts.subgraphs[k].graph;
        }
        const auto made = possible ? make_control_op(std::move(parts)) : fail("not possible");
        if (!made) continue;
        Sketch sketch = whole_;
        const ValueId handed_in(sketch.stand_ins.size());
        sketch.stand_ins.push_back(handed_in);
        Sketch::CallSketch outlined{call.op, "", call.arguments, {handed_in}, {}};
        for (Argument& argument : outlined.arguments) {
          for_each_value(argument, [&](ValueId& value) { value = operand(operand_that_is(subgraph, value)); });
        }
        sketch.nodes[at_].op = made->get();
        sketch.nodes[at_].arguments.emplace_back(handed_in);
        sketch.nodes.insert(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(at_), std::move(outlined));
        candidates_.offer(fmt::format("{} of '{}' before {}", call.name, name(s), node_.name), sketch);
      }
    }
  }

  const Case& test_;
  std::size_t at_;
  const Node& node_;
  const ControlOp& op_;
  Sketch whole_;
  CandidateList& candidates_;
};

}  // namespace

std::vector<Edit> subgraph_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  if (!find_control(test.graph)) return candidates.take();
  for (std::size_t n = test.graph.nodes.size(); n-- > 0;) {
    if (as_control(*test.graph.nodes[n].op)) ControlReducer(test, n, candidates).offer_all();
  }
  return candidates.take();
}

}  // namespace parallax
