#include "cli/check_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/open_target.h"
#include "cli/error_notes.h"
#include "cli/graphviz.h"
#include "cli/target_options.h"
#include "fuzz/findings/value_errors.h"
#include "graph/print.h"
#include "oracle/case_windows.h"
#include "oracle/record.h"
#include "reports/error_map.h"

namespace parallax {
namespace {

// More are no picture that a person reads.
constexpr std::size_t most_drawn = 120;

// The first node whose value is a class farther off than eager's; else the farthest.
std::size_t node_of_interest(const ValueErrors& errors) {
  const ValueError* farthest = nullptr;
  for (const ValueError& error : errors.rows) {
    if (!error.target) continue;
    if (error.eager && error_class(*error.target) > error_class(*error.eager)) return error.node.index;
    if (farthest == nullptr || *error.target > *farthest->target) farthest = &error;
  }
  return farthest == nullptr ? 0 : farthest->node.index;
}

Window drawn_window(const Graph& graph, const ValueErrors& errors) {
  const std::size_t count = graph.nodes.size();
  if (count <= most_drawn) return {0, count};
  const std::size_t around = node_of_interest(errors);
  const std::size_t begin = std::min(around - std::min(around, most_drawn / 2), count - most_drawn);
  return {begin, begin + most_drawn};
}

// The window's graph; nothing where it is no program of its own.
std::optional<Graph> graph_of(const Case& test, const Window& window) {
  if (window == Window{0, test.graph.nodes.size()}) return test.graph;
  const auto values = record_values(test);
  if (!values) return std::nullopt;
  const std::optional<Case> part = CaseWindows(test, Beside::Nothing).at(window, *values);
  if (!part || part->graph.nodes.size() != window.end - window.begin) return std::nullopt;
  return part->graph;
}

}  // namespace

CheckReport check_report(const Case& test) {
  return {test.name.empty() ? "a case" : test.name, today(), PARALLAX_VERSION, print(test.graph), {}};
}

CheckedTarget checked_target(Target& target, const Case& test, Verdict verdict, std::string reason, std::string more) {
  CheckedTarget checked{target.name(), verdict, std::move(reason), std::move(more), {}, "", {}};
  std::unique_ptr<Target> eager;
  if (!runs_in_process(target.name())) {
    if (auto opened = open_target("pytorch-eager", {})) eager = *std::move(opened);
  }
  checked.errors = value_errors(target, eager.get(), test);
  return checked;
}

void draw(const Case& test, CheckReport& report) {
  std::vector<Drawing> drawings;
  std::vector<Picture*> places;
  for (CheckedTarget& checked : report.targets) {
    if (!checked.errors) continue;
    const Window window = drawn_window(test.graph, *checked.errors);
    const std::size_t count = test.graph.nodes.size();
    checked.drawn = window.end - window.begin == count
                        ? fmt::format("The graph, {} node{}", count, count == 1 ? "" : "s")
                        : fmt::format("Nodes {} to {} of {}", window.begin, window.end - 1, count);
    const std::optional<Graph> graph = graph_of(test, window);
    if (!graph) {
      checked.picture.missing = "that part is no program of its own";
      continue;
    }
    DotOptions options{.marks = {}, .notes = {}, .first_number = window.begin};
    options.notes = error_notes(*checked.errors, window.begin, window.end - window.begin);
    drawings.push_back({to_dot(*graph, "", options), fmt::format("{}. {} The table below has the numbers.",
                                                                 checked.drawn, error_words(*checked.errors))});
    places.push_back(&checked.picture);
  }
  std::vector<Picture> pictures = draw(drawings);
  for (std::size_t i = 0; i < pictures.size(); ++i) *places[i] = std::move(pictures[i]);
}

}  // namespace parallax
