#include "oracle/case_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/removal.h"
#include "graph/runs.h"
#include "graph/written_operands.h"

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

// What the window makes and later nodes, or the program's caller, take. What a call wrote is taken under other names
// too, so its result stays.
std::vector<ValueId> results_needed_after(const Graph& graph, const Window& window) {
  std::vector<bool> needed(graph.metas.size(), false);
  for (const ValueId output : graph.outputs) needed[output.index] = true;
  for (std::size_t n = window.end; n < graph.nodes.size(); ++n) {
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) { needed[value.index] = true; });
    }
  }
  std::vector<ValueId> results;
  for (std::size_t n = window.begin; n < window.end; ++n) {
    for (const ValueId result : graph.nodes[n].results) {
      if (needed[result.index] || graph.nodes[n].op->writes()) results.push_back(result);
    }
  }
  return results;
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

CaseWindows::CaseWindows(const Case& test) : test_(&test), source_of_(test.graph.metas.size()) {
  if (has_several_runs(test) || test.gradient) return;
  whole_ = take_apart(test);
  for (std::size_t i = 0; i < whole_->sources.size(); ++i) source_of_[whole_->sources[i].value.index] = i;
}

std::optional<Case> CaseWindows::at(const Window& window, const std::vector<Tensor>& values) const {
  if (!whole_) return std::nullopt;
  const Graph& graph = test_->graph;
  Sketch part;
  part.stand_ins = whole_->stand_ins;
  part.outputs = results_needed_after(graph, window);
  if (part.outputs.empty()) return std::nullopt;
  part.nodes.assign(whole_->nodes.begin() + static_cast<std::ptrdiff_t>(window.begin),
                    whole_->nodes.begin() + static_cast<std::ptrdiff_t>(window.end));
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
