#include "fuzz/findings/explain_finding.h"

#include <fmt/format.h>

#include "core/grouped_digits.h"
#include "fuzz/findings/controls.h"
#include "graph/print.h"
#include "graph/runs.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

std::string header(const Finding& finding, const Judgement& judgement) {
  std::string line = fmt::format("{} · {}", finding.target, name(finding.verdict));
  const bool statistical = judgement.divergence && judgement.divergence->statistical();
  if (finding.verdict == Verdict::Mismatch) line += statistical ? " · statistical" : " · proved";
  if (!finding.planted.empty()) line += fmt::format("   planted: {}", fmt::join(finding.planted, " "));
  return line + "\n";
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

// What the sizes have to do with it: "right at B=8, wrong at B=3 after B=8, right at B=3 alone".
std::string sizes_line(const Finding& finding, const Judgement& judgement) {
  const Case& test = finding.reduced;
  if (test.symbols.empty() || !judgement.divergence) return "";
  const RunId& wrong = judgement.divergence->run;
  const bool later = wrong.kind == RunKind::Later || wrong.kind == RunKind::LaterOnFreshInstance;
  const std::size_t run = later ? static_cast<std::size_t>(wrong.number) - 1 : 0;
  const auto at = [&](std::size_t of) { return parallax::text(test.symbols, sizes_of_run(test, of)); };
  std::string line;
  for (std::size_t before = 0; before < run; ++before)
    line += fmt::format("{}right at {}", line.empty() ? "" : ", ", at(before));
  line += fmt::format("{}wrong at {}", line.empty() ? "" : ", ", at(run));
  if (run > 0) line += fmt::format(" after {}", at(run - 1));
  const std::string alone = static_mark(test.symbols, sizes_of_run(test, run));
  for (const auto& [what, verdict] : finding.controls) {
    if (what != alone) continue;
    if (verdict == Verdict::Match) line += fmt::format(", right at {} alone", at(run));
    if (is_finding(verdict)) line += fmt::format(", wrong at {} alone too", at(run));
  }
  return fmt::format("  {}\n", line);
}

// Of a target that fills a cache and then loads from it (docs/targets.md): which of the two is wrong.
std::string cache_line(const Finding& finding, const Judgement& judgement) {
  if (!finding.target.contains("cache=warm")) return "";
  if (finding.verdict == Verdict::Nondeterministic) return "  a warm cache gives something else than a cold one\n";
  if (!judgement.divergence) return "";
  const RunKind run = judgement.divergence->run.kind;
  const bool warm = run == RunKind::AOnFreshInstance || run == RunKind::LaterOnFreshInstance;
  return warm ? "  right with a cold cache, wrong from a warm one\n" : "  wrong with a cold cache already\n";
}

}  // namespace

std::string explain_finding(const MadeFinding& made, const Examination& shown,
                            const std::vector<Diagnosis>& diagnoses) {
  const Finding& finding = made.finding;
  std::string text = fmt::format("{}  {}\n", header(finding, shown.judgement), explanation_line(shown.judgement));
  text += sizes_line(finding, shown.judgement);
  text += cache_line(finding, shown.judgement);
  if (finding.wrong_call) text += fmt::format("  {}\n", describe(*finding.wrong_call));
  if (finding.wrong_calls != WrongCalls::All) text += fmt::format("  {}\n", describe(finding.wrong_calls));
  if (finding.repeats) text += fmt::format("  wrong {} of {} runs\n", finding.repeats->wrong, finding.repeats->runs);
  if (shown.outcome.status == Status::Ok && !finding.stage.empty()) {
    text += fmt::format("  the first stage that differs: {}\n", finding.stage);
  }
  const std::vector<std::string>* shown_lines = nullptr;
  for (const Diagnosis& diagnosis : diagnoses) {
    text += fmt::format("  {}: {}\n", name(diagnosis.detector), diagnosis.summary);
    // Two detectors that saw the same annotate the schedule the same way: once is enough.
    if (diagnosis.lines.empty() || (shown_lines && *shown_lines == diagnosis.lines)) continue;
    for (const std::string& line : diagnosis.lines) text += "    " + line + "\n";
    shown_lines = &diagnosis.lines;
  }
  const Case& reduced = finding.reduced;
  if (diagnoses.empty()) text += indented(reduced.methods.empty() ? print(reduced.graph) : print(reduced));
  if (!shown.outcome.detail.empty())
    text += "  the target's own last words:\n" + indented(last_lines(shown.outcome.detail, 6));
  if (made.checks > 0) {
    text += fmt::format("  reduced from {} to {} in {}, {:.1f} s\n",
                        counted(std::ssize(finding.original.graph.nodes), "node"), finding.reduced.graph.nodes.size(),
                        counted(made.checks, "check"), made.reduce_seconds);
  }
  if (!finding.configuration.empty()) text += fmt::format("  the least that diverges: {}\n", finding.configuration);
  for (const auto& [what, verdict] : finding.controls) {
    text += is_neighbour(what) ? fmt::format("  {}: {}\n", what, name(verdict))
                               : fmt::format("  control ({}): {}\n", what, name(verdict));
  }
  for (const SlippedCase& other : made.slipped)
    text += fmt::format("  met while it was reduced, and not followed: {}\n", other.look);
  return text;
}

}  // namespace parallax
