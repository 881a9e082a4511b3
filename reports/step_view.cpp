#include "reports/step_view.h"

#include <fmt/format.h>

#include "graph/print.h"
#include "reports/error_map.h"
#include "reports/page_parts.h"

namespace parallax {
namespace {

// "Step #3 overwrites a before #4 reads it."
std::string clash_text(const ArenaStory& story) {
  const ArenaClash& clash = story.clashes.front();
  const std::string wanted = clash.block < 0 ? "a storage" : story.blocks[static_cast<std::size_t>(clash.block)].name;
  const std::string reader =
      clash.read_by == static_cast<int>(story.steps.size()) ? "the caller" : fmt::format("#{}", clash.read_by);
  if (clash.in_next_run) return fmt::format("The caller holds {}, which lies where the next run writes.", wanted);
  if (clash.overwritten_by < 0) return fmt::format("Where {} looks for {}, nothing was written.", reader, wanted);
  return fmt::format("Step #{} overwrites {} before {} reads it.", clash.overwritten_by, wanted, reader);
}

void write_memory(Html& html, const ArenaStory& story) {
  const std::string told = (story.clashes.empty() ? "" : clash_text(story) + " ") + story.about;
  html.element("h4", "Memory");
  html.element("p", told);
  if (story.blocks.empty()) {
    html.element("p", "No value of this program lies in the arena.", {{"class", "note"}});
    return;
  }
  if (!story.clashes.empty()) {
    const auto legend = html.in("p", {{"class", "legend"}});
    html.element("span", "value still needed", {{"class", "wanted"}});
    html.element("span", "✗ overwrites it", {{"class", "guilty"}});
    html.element("span", "? reads the overwritten bytes", {{"class", "alias"}});
  }
  const auto box = scroll_box(html, "The arena's timeline", "scroll picture");
  draw_arena(html, story, "Storages by step, left to right, and offset in bytes, top to bottom. " + told);
}

void write_graph(Html& html, const FindingReport& report) {
  {
    const auto legend = html.in("p", {{"class", "legend"}});
    // Graphviz writes class="node guilty", class="edge alias".
    for (const auto& [drawn, kind, text] :
         {std::tuple("node guilty", "guilty", "guilty"), std::tuple("node write", "write", "writes in place"),
          std::tuple("edge alias", "alias", "shares memory"), std::tuple("node source", "source", "given")}) {
      if (report.after.svg.contains(drawn)) html.element("span", text, {{"class", kind}});
    }
  }
  const bool has_errors = report.rerun && report.rerun->errors;
  if (has_errors) write_error_legend(html);
  write_picture(html, "After reduction", report.finding.reduced.graph, report.after);
  if (has_errors) write_error_table(html, *report.rerun->errors);
}

// A step of the program that was run, or a node of the graph where that is not known.
struct Step {
  std::string text;
  int node = -1;  // of the drawn graph
};

std::vector<Step> steps_of(const FindingReport& report) {
  std::vector<Step> steps;
  if (report.rerun && report.rerun->arena) {
    const ArenaStory& story = *report.rerun->arena;
    for (std::size_t i = 0; i < story.steps.size(); ++i) {
      steps.push_back({story.steps[i], i < story.nodes.size() ? story.nodes[i] : -1});
    }
    return steps;
  }
  const Graph& graph = report.finding.reduced.graph;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    steps.push_back({node_text(graph, NodeId(n)), static_cast<int>(n)});
  }
  return steps;
}

// Where the slider plays to: the overwrite, or the first value that is far off where eager's is not, or the end.
int last_played(const FindingReport& report, const std::vector<Step>& steps) {
  const int end = static_cast<int>(steps.size()) - 1;
  if (!report.rerun) return end;
  if (report.rerun->arena && !report.rerun->arena->clashes.empty()) {
    const ArenaClash& clash = report.rerun->arena->clashes.front();
    const int at = clash.overwritten_by >= 0 ? clash.overwritten_by : clash.read_by;
    if (at >= 0 && at <= end) return at;
  }
  if (!report.rerun->errors) return end;
  for (const ValueError& error : report.rerun->errors->rows) {
    if (!error.target || error_class(*error.target) <= error_class(error.eager.value_or(0)) + 1) continue;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].node == static_cast<int>(error.node.index)) return static_cast<int>(i);
    }
  }
  return end;
}

// "holds [1, 2]; its worst element is 2e+06 ulp off": of the values that the step's node makes.
std::string held_text(const FindingReport& report, int node) {
  if (node < 0 || !report.rerun || !report.rerun->errors) return "";
  std::string text;
  for (const ValueError& error : report.rerun->errors->rows) {
    if (static_cast<int>(error.node.index) != node || !error.target) continue;
    text += fmt::format("{}{} holds {}", text.empty() ? "" : "; ", error.name, error.held);
    if (*error.target > 1) {
      const std::string distance = ulps_text(error.target);
      text += fmt::format(", {}{} at {}: {} in double", distance, distance.ends_with("ulp") ? " off" : "", error.place,
                          error.wanted);
    }
  }
  return text;
}

void write_steps(Html& html, const FindingReport& report, const std::vector<Step>& steps) {
  const auto details = html.in("details");
  html.element("summary", "The steps, and what each makes");
  const auto list = html.in("ol", {{"class", "steps"}, {"start", "0"}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string node = steps[i].node < 0 ? "" : fmt::format("{}", steps[i].node);
    const auto item = html.in("li", {{"data-step", fmt::format("{}", i)}, {"data-node", node}});
    html.element("code", steps[i].text);
    const std::string held = held_text(report, steps[i].node);
    if (!held.empty()) html.element("small", held);
  }
}

}  // namespace

void write_picture(Html& html, std::string_view heading, const Graph& graph, const Picture& picture) {
  const auto figure = html.in("figure");
  {
    const auto caption = html.in("figcaption");
    html.element("strong", heading);
    html.text(" · " + plural(graph.nodes.size(), "node"));
  }
  if (!picture.svg.empty()) {
    const auto box = scroll_box(html, heading, "scroll picture");
    html.markup(picture.svg);
  } else {
    html.element("p", "No picture: " + picture.missing + ".", {{"class", "note"}});
  }
  const auto details =
      html.in("details", {{"open", picture.svg.empty() ? std::string_view("open") : std::string_view()}});
  html.element("summary", "As text");
  html.element("pre", print(graph), {{"tabindex", "0"}, {"aria-label", "The graph as text"}});
}

bool tells_of_steps(const FindingReport& report) {
  return report.rerun && (report.rerun->arena || report.rerun->errors);
}

void write_graph_alone(Html& html, const FindingReport& report) {
  html.element("h3", "Graph");
  write_graph(html, report);
}

void write_step_view(Html& html, const FindingReport& report) {
  const std::vector<Step> steps = steps_of(report);
  html.element("h3", "Step by step");
  // The page's script puts the slider here.
  html.element("div", "", {{"class", "stepper"}, {"data-until", fmt::format("{}", last_played(report, steps))}});
  if (report.rerun && report.rerun->arena) write_memory(html, *report.rerun->arena);
  html.element("h4", "Graph");
  write_graph(html, report);
  write_steps(html, report, steps);
}

}  // namespace parallax
