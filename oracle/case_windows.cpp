#include "oracle/case_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/def_use.h"
#include "graph/removal.h"
#include "graph/runs.h"
#include "graph/written_operands.h"
#include "ops/quantized_ops.h"

namespace parallax {
namespace {

constexpr std::size_t widest = 4;  // times the width that is asked for

// The first node that a window must hold for what its nodes write to be made in it.
std::size_t begin_of_written(const Graph& graph, const std::vector<std::optional<NodeId>>& makers,
                             const Window& window) {
  std::size_t begin = window.begin;
  for (std::size_t n = window.begin; n < window.end; ++n) {
    for_each_written(graph.nodes[n], [&](ValueId value) {
      const std::optional<NodeId> maker = makers[graph.meta(value).storage.index];
      if (maker) begin = std::min<std::size_t>(begin, maker->index);
    });
  }
  return begin;
}

// What the window makes and nodes outside the part, or the program's caller, take. What a call wrote may be taken under
// other names too, so its result stays where its memory is taken. `within`: by node, whether it is in the part.
std::vector<ValueId> results_needed_after(const Graph& graph, const Window& window, const std::vector<bool>& within) {
  std::vector<bool> needed(graph.metas.size(), false);
  std::vector<bool> needed_memory(graph.storages.size(), false);
  const auto need = [&](ValueId value) {
    needed[value.index] = true;
    needed_memory[graph.meta(value).storage.index] = true;
  };
  for (const ValueId output : graph.outputs) need(output);
  for (const Source& source : graph.sources) need(source.value);
  for (std::size_t n = window.end; n < graph.nodes.size(); ++n) {
    if (within[n]) continue;
    for (const Argument& argument : graph.nodes[n].arguments) for_each_value(argument, need);
  }
  std::vector<ValueId> results;
  for (std::size_t n = window.begin; n < graph.nodes.size(); ++n) {
    if (!within[n]) continue;
    bool wrote = false;
    for_each_written(graph.nodes[n],
                     [&](ValueId value) { wrote = wrote || needed_memory[graph.meta(value).storage.index]; });
    for (const ValueId result : graph.nodes[n].results) {
      if (needed[result.index] || wrote) results.push_back(result);
    }
  }
  return results;
}

// By value: whether it is computed from constants alone, and from buffers that are never written.
std::vector<bool> values_of_constants(const Graph& graph, const std::vector<std::vector<std::size_t>>& writers) {
  const auto is_written = [&](ValueId value) { return !writers[graph.meta(value).storage.index].empty(); };
  std::vector<bool> known(graph.metas.size(), false);
  for (const Source& source : graph.sources) {
    known[source.value.index] = source.kind != SourceKind::Input && !is_written(source.value);
  }
  for (const Node& node : graph.nodes) {
    bool all_known = std::ranges::none_of(node.results, is_written);
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { all_known = all_known && known[value.index]; });
    }
    for (const ValueId result : node.results) known[result.index] = all_known;
  }
  return known;
}

}  // namespace

std::vector<Window> windows_of(const Graph& graph, std::size_t width) {
  const std::size_t count = graph.nodes.size();
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  std::vector<Window> windows;
  const std::size_t step = std::max<std::size_t>(width / 2, 1);
  for (std::size_t begin = 0; begin < count; begin += step) {
    Window window{begin, std::min(begin + width, count)};
    const std::size_t whole = begin_of_written(graph, makers, window);
    if (window.end - whole <= widest * width) window.begin = whole;
    windows.push_back(window);
    if (window.end == count) break;
  }
  return windows;
}

CaseWindows::CaseWindows(const Case& test, Beside beside)
    : test_(&test),
      source_of_(test.graph.metas.size()),
      makers_(value_makers(test.graph)),
      writers_(storage_writers(test.graph)),
      of_constants_(values_of_constants(test.graph, writers_)),
      beside_(beside) {
  if (has_several_runs(test) || test.gradient) return;
  whole_ = take_apart(test);
  for (std::size_t i = 0; i < whole_->sources.size(); ++i) source_of_[whole_->sources[i].value.index] = i;
}

bool CaseWindows::is_written(ValueId value, std::size_t begin, std::size_t end) const {
  return std::ranges::any_of(writers_[test_->graph.meta(value).storage.index],
                             [&](std::size_t writer) { return writer >= begin && writer < end; });
}

bool CaseWindows::touches_written(const Node& node) const {
  const auto is_ever_written = [&](ValueId value) { return is_written(value, 0, test_->graph.nodes.size()); };
  bool touches = std::ranges::any_of(node.results, is_ever_written);
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) { touches = touches || is_ever_written(value); });
  }
  return touches;
}

std::vector<bool> CaseWindows::nodes_of(const Window& window) const {
  const std::vector<Node>& nodes = test_->graph.nodes;
  std::vector<bool> within(nodes.size(), false);
  std::fill(within.begin() + static_cast<std::ptrdiff_t>(window.begin),
            within.begin() + static_cast<std::ptrdiff_t>(window.end), true);
  if (beside_ == Beside::Nothing) return within;
  for (std::size_t n = window.end; n < nodes.size(); ++n) {
    if (!quantizes(*nodes[n].op)) continue;
    const ValueId operand = *std::get_if<ValueId>(&nodes[n].arguments[0]);
    const auto maker = makers_[operand.index];
    const bool is_made_within = maker && *maker >= window.begin && *maker < window.end;
    if (is_made_within && !is_written(operand, window.end, n)) within[n] = true;
  }
  // What a node takes is made before it.
  for (std::size_t n = nodes.size(); n > 0; --n) {
    if (!within[n - 1]) continue;
    for (const Argument& argument : nodes[n - 1].arguments) {
      for_each_value(argument, [&](ValueId value) {
        const auto maker = makers_[value.index];
        if (!maker || *maker >= window.begin) return;
        if (of_constants_[value.index] || (dequantizes(*nodes[*maker].op) && !touches_written(nodes[*maker])))
          within[*maker] = true;
      });
    }
  }
  return within;
}

std::optional<Case> CaseWindows::at(const Window& window, const std::vector<Tensor>& values) const {
  if (!whole_) return std::nullopt;
  const Graph& graph = test_->graph;
  Sketch part;
  part.stand_ins = whole_->stand_ins;
  const std::vector<bool> within = nodes_of(window);
  part.outputs = results_needed_after(graph, window, within);
  if (part.outputs.empty()) return std::nullopt;
  for (std::size_t n = 0; n < within.size(); ++n) {
    if (within[n]) part.nodes.push_back(whole_->nodes[n]);
  }
  std::vector<bool> given(graph.metas.size(), false);
  for (const Sketch::CallSketch& node : part.nodes) {
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        if (!given[value.index]) give(part, value, values);
        given[value.index] = true;
      });
    }
    for (const ValueId result : node.results) given[result.index] = true;
  }
  Case base;
  base.name = fmt::format("{}, nodes {} to {}", test_->name, window.begin, window.end - 1);
  return put_together(part, base);
}

void CaseWindows::give(Sketch& part, ValueId value, const std::vector<Tensor>& values) const {
  const std::optional<std::size_t> source = source_of_[value.index];
  if (!source) {
    return stand_in_source(part, SourceKind::Input, value, test_->graph.name(value), values[value.index]);
  }
  part.sources.push_back(whole_->sources[*source]);
  Sketch::GivenValue& copied = part.sources.back();
  copied.symbols.clear();
  if (!copied.storage) return;
  // Windows on one declared storage share it here too.
  const Sketch::DeclaredStorage& declared = whole_->storages[*copied.storage];
  const auto same = std::ranges::find(part.storages, declared.name, &Sketch::DeclaredStorage::name);
  copied.storage = static_cast<std::size_t>(same - part.storages.begin());
  if (same == part.storages.end()) part.storages.push_back(declared);
}

}  // namespace parallax
