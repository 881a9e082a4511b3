#include "fuzz/explain_finding.h"

#include <fmt/format.h>

#include "fuzz/alias_relation.h"
#include "graph/print.h"
#include "ops/registry.h"
#include "reducers/rebuild.h"

namespace parallax {
namespace {

// The same case with every copy that a compiler may elide made a real op (x + 0), or nothing where there is none.
std::optional<Case> control_of(const Case& test) {
  Sketch sketch = take_apart(test);
  const Op& add = op_named("aten.add.Scalar");
  bool changed = false;
  for (std::size_t n = 0; n < test.graph.nodes.size(); ++n) {
    const Node& node = test.graph.nodes[n];
    if (!is_elidable_copy(test.graph, node) || test.graph.meta(node.results[0]).dtype == DType::Bool) continue;
    const auto* source = std::get_if<ValueId>(&node.arguments[0]);
    if (!source || !(test.graph.meta(*source).layout.sizes == test.graph.meta(node.results[0]).layout.sizes)) continue;
    sketch.nodes[n].op = &add;
    sketch.nodes[n].arguments = {*source, Scalar(int64_t{0}), Scalar(int64_t{1})};
    changed = true;
  }
  if (!changed) return std::nullopt;
  return put_together(sketch, test);
}

std::string header(const Finding& finding) {
  std::string line = fmt::format("{} · {}", finding.target, name(finding.verdict));
  if (finding.verdict == Verdict::Mismatch) line += " · proved";
  if (!finding.planted.empty()) line += fmt::format("   planted: {}", fmt::join(finding.planted, " "));
  return line + "\n";
}

std::string divergence_line(const Judgement& judgement) {
  if (!judgement.divergence) return fmt::format("  {}\n", judgement.reason);
  const Divergence& d = *judgement.divergence;
  if (d.kind != "values") return fmt::format("  {}: {}: expected {}, got {}\n", d.run, d.place, d.expected, d.got);
  return fmt::format("  {}: {}   element {}: expected {}   got {}   {} of {} elements outside the bound{}\n", d.place,
                     type_text(d.dtype, d.sizes), d.element, d.expected, d.got, d.outside, d.total,
                     d.run == "A" ? "" : fmt::format(" ({})", d.run));
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    at = text.rfind('\n', at - 1);
    if (at == std::string::npos) return text;
    --count;
  }
  return text.substr(at == 0 ? 0 : at + 1);
}

std::string indented(const std::string& text) {
  std::string result;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    result += "    " + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return result;
}

}  // namespace

std::string explain_finding(Target& target, const CampaignFinding& found, const Examination& shown,
                            const std::vector<Diagnosis>& diagnoses) {
  const Finding& finding = found.finding;
  std::string text = header(finding) + divergence_line(shown.judgement);
  const std::vector<std::string>* shown_lines = nullptr;
  for (const Diagnosis& diagnosis : diagnoses) {
    text += fmt::format("  {}: {}\n", diagnosis.detector, diagnosis.summary);
    // Two detectors that saw the same annotate the schedule the same way: once is enough.
    if (diagnosis.lines.empty() || (shown_lines && *shown_lines == diagnosis.lines)) continue;
    for (const std::string& line : diagnosis.lines) text += "    " + line + "\n";
    shown_lines = &diagnosis.lines;
  }
  if (diagnoses.empty()) text += indented(print(finding.reduced.graph));
  if (!shown.outcome.detail.empty())
    text += "  the target's own last words:\n" + indented(last_lines(shown.outcome.detail, 6));
  if (found.checks > 0) {
    text += fmt::format("  reduced from {} nodes to {} in {} checks, {:.1f} s\n", finding.original.graph.nodes.size(),
                        finding.reduced.graph.nodes.size(), found.checks, found.reduce_seconds);
  }
  if (const std::optional<Case> control = control_of(finding.reduced)) {
    text += fmt::format("  control (copies made a real op, x + 0): {}\n",
                        name(examine(target, *control).judgement.verdict));
  }
  text += fmt::format("  reproduce: parallax check reduced.json --target '{}'", finding.target);
  for (const std::string& fault : finding.planted) text += " --plant " + fault;
  return text + "\n";
}

}  // namespace parallax
