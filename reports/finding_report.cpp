#include "reports/finding_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>

#include "oracle/judgement_text.h"
#include "reports/first_screen.h"
#include "reports/page_parts.h"
#include "reports/stack_lines.h"
#include "reports/step_view.h"

namespace parallax {
namespace {

void write_fact(Html& html, std::string_view what, std::string_view text) {
  if (text.empty()) return;
  const auto row = html.in("div");
  html.element("dt", what);
  html.element("dd", text);
}

// "seed 7 case 26" as a name says it: "graph 26 of seed 7". Other names are people's own.
std::string drawn_as(const std::string& name) {
  static const std::regex drawn("seed (\\d+) case (\\d+)");
  return std::regex_replace(name, drawn, "graph $2 of seed $1");
}

// A text to be copied: the page's script adds the button.
void write_code(Html& html, std::string_view text, std::string_view what) {
  const auto box = html.in("div", {{"class", "code"}});
  const auto code = html.in("pre", {{"data-copy", what}, {"tabindex", "0"}, {"aria-label", what}});
  html.text(text);
}

void write_facts(Html& html, const FindingReport& report) {
  const Finding& finding = report.finding;
  const auto facts = html.in("dl", {{"class", "facts"}});
  std::string versions;
  for (const auto& [part, version] : finding.versions) {
    versions += (versions.empty() ? "" : ", ") + part + " " + version;
  }
  write_fact(html, "Target", finding.target);
  write_fact(html, "Versions", versions);
  write_fact(html, "Planted", fmt::format("{}", fmt::join(finding.planted, ", ")));
  write_fact(html, "First stage that differs", finding.stage);
  write_fact(html, "Its own checks blame", finding.blame);
  write_fact(html, "Kind of slip", finding.cause);
  write_fact(html, "The least that diverges", finding.configuration);
  if (finding.wrong_call) write_fact(html, "Of its calls", describe(*finding.wrong_call));
  if (finding.repeats) {
    write_fact(html, "Wrong", fmt::format("in {} of {} runs", finding.repeats->wrong, finding.repeats->runs));
  }
  write_fact(html, "Found at", report.found_at);
  write_fact(html, "Reduced",
             fmt::format("{} to {}", plural(finding.original.graph.nodes.size(), "node"),
                         plural(finding.reduced.graph.nodes.size(), "node")));
  write_fact(html, "Drawn as", drawn_as(finding.original.name));
}

void write_elements(Html& html, const TensorElements& tensor) {
  const std::string place = place_text(tensor.place);
  const std::string run = run_text(tensor.run);
  {
    // Beside the box and not within the table, so that it wraps where the table scrolls.
    const auto caption = html.in("p", {{"class", "caption"}});
    html.element("strong", place);
    html.text(fmt::format(" {} · run {} · ", tensor.type, run));
    html.element("span", fmt::format("{} of {} outside", tensor.outside, tensor.total),
                 {{"class", tensor.outside > 0 ? "bad" : "good"}});
    if (tensor.undecided > 0) html.text(fmt::format(" · {} undecided", tensor.undecided));
  }
  const auto box = scroll_box(html, "Elements of " + place + ", run " + run);
  const auto table = html.in("table", {{"class", "elements"}});
  write_columns(html, {"element", "expected", "got", "bound", "ulp off", "where"});
  const auto body = html.in("tbody");
  for (const ElementRow& element : tensor.rows) {
    const bool wrong = element.state == ElementState::Outside;
    const auto row = html.in("tr", {{"class", wrong ? "wrong" : ""}});
    html.element("th", element.index, {{"scope", "row"}});
    html.element("td", element.expected);
    html.element("td", element.got);
    html.element("td", element.bound.empty() && element.state != ElementState::Undecided ? "exact" : element.bound);
    html.element("td", element.ulp);
    html.element("td", wrong ? "✗ outside" : element.state == ElementState::Undecided ? "undecided" : "inside");
  }
  const auto shown = static_cast<int64_t>(tensor.rows.size());
  if (shown < tensor.total) {
    const auto row = html.in("tr");
    html.element("td",
                 fmt::format("… and {} more elements, of which {} outside", tensor.total - shown,
                             std::max<int64_t>(0, tensor.outside - shown)),
                 {{"colspan", "6"}});
  }
}

void write_values(Html& html, const FindingReport& report) {
  const std::vector<TensorElements>& tensors = report.rerun->tensors;
  html.element("h3", "Expected, got and bound");
  std::vector<const TensorElements*> right;
  std::vector<const TensorElements*> again;  // wrong in a later run than the first that is
  std::optional<RunId> run;
  for (const TensorElements& tensor : tensors) {
    if (!tensor.other.empty()) {
      const auto paragraph = html.in("p", {{"class", "reason"}});
      html.element("strong", place_text(tensor.place));
      html.text(fmt::format(" must be {}, and {} (run {}).", tensor.type, tensor.other, run_text(tensor.run)));
    } else if (tensor.outside > 0 && (!run || run == tensor.run)) {
      run = tensor.run;
      write_elements(html, tensor);
    } else if (tensor.outside > 0) {
      again.push_back(&tensor);
    } else {
      right.push_back(&tensor);
    }
  }
  const auto fold = [&](const std::vector<const TensorElements*>& folded, std::string_view what) {
    if (folded.empty()) return;
    const auto details = html.in("details");
    html.element("summary", fmt::format("{} {}", plural(folded.size(), "tensor"), what));
    for (const TensorElements* tensor : folded) write_elements(html, *tensor);
  };
  fold(again, "wrong in later runs");
  fold(right, "with nothing outside the bound");
}

void write_before(Html& html, const FindingReport& report) {
  html.element("h3", "Before reduction");
  const auto details = html.in("details");
  html.element("summary", plural(report.finding.original.graph.nodes.size(), "node"));
  write_picture(html, "Before reduction", report.finding.original.graph, report.before);
}

void write_pass(Html& html, const FindingReport& report) {
  const PassChange& change = *report.pass_change;
  html.element("h3", "What the pass " + change.pass + " makes of the graph");
  const auto columns = html.in("div", {{"class", "first"}});
  for (const bool is_after : {false, true}) {
    const auto side = html.in("section");
    write_picture(html, is_after ? "After " + change.pass : "Before " + change.pass,
                  is_after ? change.after : change.before, is_after ? change.after_picture : change.before_picture);
  }
}

void write_triggers(Html& html, const FindingReport& report) {
  html.element("h3", "Trigger map");
  html.element("p", "The case with one thing edited: what must be as it is for it to fail", {{"class", "caption"}});
  const auto box = scroll_box(html, "The trigger map");
  const auto table = html.in("table", {{"class", "map triggers"}});
  {
    const auto head = html.in("thead");
    const auto row = html.in("tr");
    html.element("th", "edited", {{"scope", "col"}});
    for (const std::string_view group : trigger_group_texts) html.element("th", group, {{"scope", "col"}});
  }
  const auto body = html.in("tbody");
  for (const TriggerRow& edited : report.triggers) {
    const auto row = html.in("tr");
    html.element("th", edited.about, {{"scope", "row"}});
    for (std::size_t group = 0; group < trigger_group_count; ++group) {
      const std::vector<std::string>& edits = edited.edits[group];
      const std::string kind = edits.empty() ? "none" : fmt::format("g{}", group);
      html.element("td", fmt::format("{}", fmt::join(edits, ", ")), {{"class", kind}});
    }
  }
}

// Which releases show it, from old to new.
void write_releases(Html& html, const VersionHistory& releases) {
  html.element("h3", "Releases");
  html.element("p", describe(releases), {{"class", "caption"}});
  const auto box = scroll_box(html, "Releases by verdict");
  const auto table = html.in("table", {{"class", "map triggers"}});
  write_columns(html, {"release", "verdict"});
  const auto body = html.in("tbody");
  for (const VersionVerdict& one : by_release(releases)) {
    const auto row = html.in("tr");
    html.element("th", one.version, {{"scope", "row"}});
    // A release that was not judged is neither right nor wrong.
    const bool right = one.verdict.starts_with(name(Verdict::Match));
    html.element("td", one.verdict, {{"class", one.bad ? "g0" : right ? "g2" : "g3"}});
  }
}

void write_nearest(Html& html, const FindingReport& report) {
  html.element("h3", "The nearest known bug");
  const auto paragraph = html.in("p");
  html.text(report.nearest);
  if (report.nearest_url.empty()) return;
  html.text(" ");
  html.element("a", report.nearest_url, {{"href", report.nearest_url}, {"rel", "noreferrer"}});
}

// What the target wrote before it failed.
void write_last_words(Html& html, const std::string& written) {
  html.element("h3", "The target's own last words");
  const std::string lines = stack_lines(written);
  html.element("pre", lines, {{"tabindex", "0"}, {"aria-label", "The frames that matter"}});
  if (lines.size() >= written.size()) return;
  const auto details = html.in("details");
  html.element("summary", "All of it");
  html.element("pre", written, {{"tabindex", "0"}, {"aria-label", "The target's last words"}});
}

void write_stages(Html& html, const FindingReport& report) {
  html.element("h3", "Stages and detectors");
  const auto list = html.in("ol", {{"class", "stages"}});
  for (const StageReport& stage : report.rerun->stages) {
    const auto item = html.in("li", {{"class", stage.wrong ? "wrong" : "right"}});
    html.element("span", stage.wrong ? "✗" : "✓", {{"class", "sign"}, {"aria-hidden", "true"}});
    html.element("strong", stage.name);
    html.text(" " + stage.said);
    if (stage.lines.empty()) continue;
    html.element("pre", fmt::format("{}", fmt::join(stage.lines, "\n")),
                 {{"tabindex", "0"}, {"aria-label", "What " + stage.name + " saw"}});
  }
}

void write_controls(Html& html, const Finding& finding) {
  html.element("h3", "Controls");
  const auto list = html.in("ul", {{"class", "stages"}});
  for (const auto& [what, verdict] : finding.controls) {
    const bool right = verdict == Verdict::Match;
    const auto item = html.in("li", {{"class", right ? "right" : "wrong"}});
    html.element("span", right ? "✓" : "✗", {{"class", "sign"}, {"aria-hidden", "true"}});
    html.element("strong", what);
    html.text(" " + std::string(name(verdict)));
  }
}

// The class and the sign of a juror's line.
std::pair<std::string_view, std::string_view> juror_sign(Answer answer) {
  switch (answer) {
    case Answer::Agrees:
      return {"right", "✓"};
    case Answer::Contradicts:
      return {"wrong", "✗"};
    default:
      return {"open", "–"};
  }
}

void write_jury(Html& html, const Finding& finding) {
  if (finding.evidence) {
    html.element("h3", "Evidence");
    html.element("pre", describe(*finding.evidence),
                 {{"class", "prose"}, {"tabindex", "0"}, {"aria-label", "The evidence"}});
  }
  if (finding.jury.empty()) return;
  html.element("h3", "Jury");
  html.element("p", fmt::format("It is {}.", name(confirmation_of(finding.jury))), {{"class", "note"}});
  const auto list = html.in("ul", {{"class", "stages"}});
  for (const JurorAnswer& juror : finding.jury) {
    const auto [kind, sign] = juror_sign(juror.answer);
    const auto item = html.in("li", {{"class", kind}});
    html.element("span", sign, {{"class", "sign"}, {"aria-hidden", "true"}});
    html.element("strong", juror.juror);
    html.text(fmt::format(" {}{}{}", name(juror.answer), juror.said.empty() ? "" : ": ", juror.said));
  }
}

void write_reproducer(Html& html, const FindingReport& report) {
  html.element("h3", "Reproduce");
  write_code(html, report.command, "command");
  const auto fold = [&](std::string_view summary, std::string_view text, std::string_view what) {
    if (text.empty()) return;
    const auto details = html.in("details");
    html.element("summary", summary);
    write_code(html, text, what);
  };
  fold("As a script", report.script, "script");
  fold("As an issue for the system's tracker", report.issue, "issue");
}

// What there is no data for has no section; why, where that can be changed, is said once.
void write_absence(Html& html, const FindingReport& report) {
  if (report.not_rerun.empty()) return;
  const std::string_view missing = report.rerun ? "Elements and stages are as they were when it was found, since "
                                                : "Elements, memory and stages are not shown, since ";
  html.element("p", std::string(missing) + report.not_rerun + ".", {{"class", "note"}});
}

}  // namespace

void set_anchors(std::vector<FindingReport>& reports) {
  std::map<std::string, int> taken;
  for (FindingReport& report : reports) {
    std::string anchor = "f-";
    for (const char c : report.finding.id) anchor += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
    const int times = ++taken[anchor];
    report.anchor = times == 1 ? anchor : fmt::format("{}-{}", anchor, times);
  }
}

void write_finding(Html& html, const FindingReport& report) {
  const Finding& finding = report.finding;
  const std::string& anchor = report.anchor;
  const auto article = html.in(
      "article", {{"id", anchor}, {"class", "finding"}, {"tabindex", "-1"}, {"aria-labelledby", anchor + "-title"}});
  {
    const auto header = html.in("header");
    {
      const auto back = html.in("p", {{"class", "back"}});
      html.element("a", "← All findings", {{"href", "#findings"}});
    }
    {
      const auto title = html.in("h2", {{"id", anchor + "-title"}});
      html.element("code", finding.id);
      html.text(" " + finding.target);
    }
    {
      const auto badges = html.in("p", {{"class", "badges"}});
      write_badge(html, name(finding.verdict), name(finding.verdict));
      if (finding.verdict == Verdict::Mismatch) write_badge(html, "proved", "neutral");
      write_standing(html, report.standing);
      if (finding.grade) write_badge(html, std::string(name(*finding.grade)), "neutral");
      if (!finding.jury.empty()) write_badge(html, std::string(name(confirmation_of(finding.jury))), "neutral");
      for (const std::string& fault : finding.planted) write_badge(html, "planted " + fault, "planted");
    }
    write_first_screen(html, report);
  }
  if (report.rerun && !is_finding(report.rerun->verdict)) {
    html.element("p",
                 fmt::format("It did not show again when this report was made: {}{}{}.", name(report.rerun->verdict),
                             report.rerun->reason.empty() ? "" : ": ", report.rerun->reason),
                 {{"class", "warning"}});
  }
  const auto section = [&](auto&& write) {
    const auto scope = html.in("section");
    write();
  };
  if (report.rerun && !report.rerun->tensors.empty()) section([&] { write_values(html, report); });
  if (report.rerun && !report.rerun->detail.empty()) section([&] { write_last_words(html, report.rerun->detail); });
  if (tells_of_steps(report)) {
    section([&] { write_step_view(html, report); });
  } else if (!report.after.svg.empty()) {
    section([&] { write_graph_alone(html, report); });
  }
  if (report.pass_change) section([&] { write_pass(html, report); });
  if (report.rerun && !report.rerun->stages.empty()) section([&] { write_stages(html, report); });
  if (!finding.controls.empty()) section([&] { write_controls(html, finding); });
  if (finding.evidence || !finding.jury.empty()) section([&] { write_jury(html, finding); });
  if (!report.triggers.empty()) section([&] { write_triggers(html, report); });
  if (finding.releases && !finding.releases->judged.empty()) section([&] { write_releases(html, *finding.releases); });
  if (!report.nearest.empty()) section([&] { write_nearest(html, report); });
  section([&] { write_before(html, report); });
  section([&] { write_reproducer(html, report); });
  section([&] {
    html.element("h3", "Details");
    write_facts(html, report);
    html.element("p", finding.signature, {{"class", "signature"}});
    write_absence(html, report);
  });
  section([&] {
    html.element("h3", "As it was explained when it was found");
    const auto details = html.in("details");
    html.element("summary", "The whole text");
    html.element("pre", finding.explanation, {{"tabindex", "0"}, {"aria-label", "The explanation"}});
  });
}

}  // namespace parallax
