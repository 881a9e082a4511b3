#include "corpus/issue_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "corpus/collector.h"
#include "graph/graph.h"
#include "graph/origin.h"
#include "graph/print.h"

namespace parallax {
namespace {

// One backtick more than the longest run of them in the text, at least `least`.
std::string fence_around(std::string_view text, std::size_t least) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

std::string_view what_is_wrong(Verdict verdict) {
  switch (verdict) {
    case Verdict::Mismatch:
      return "wrong values";
    case Verdict::InternalError:
      return "an internal error";
    case Verdict::Crash:
      return "a crash";
    case Verdict::Hang:
      return "a hang";
    case Verdict::Nondeterministic:
      return "values that differ from run to run";
    default:
      return name(verdict);
  }
}

// "aten.unfold, aten.ne_": the ops without repeats, few enough for a title.
std::string named_ops(const Graph& graph) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    if (std::ranges::find(names, node.op->schema.name) == names.end()) names.push_back(node.op->schema.name);
  }
  const bool more = names.size() > shown;
  names.resize(std::min(names.size(), shown));
  return fmt::format("{}{}", fmt::join(names, ", "), more ? " …" : "");
}

std::string title_line(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string line(text.substr(0, text.find('\n')));
  if (line.size() <= longest) return line;
  line.resize(line.find_last_of(' ', longest) == std::string::npos ? longest : line.find_last_of(' ', longest));
  return line + " …";
}

// What goes wrong, for which ops, and why as far as that is known.
std::string title(const Finding& finding) {
  std::string text = fmt::format("{} gives {}", markdown_code(finding.target), what_is_wrong(finding.verdict));
  if (!finding.reduced.graph.nodes.empty()) text += " for " + markdown_code(named_ops(finding.reduced.graph));
  if (!finding.cause.empty()) return fmt::format("{}: {} ({})", text, finding.cause, finding.blame);
  if (finding.verdict == Verdict::InternalError && !finding.reason.empty())
    return text + ": " + markdown_code(title_line(finding.reason));
  for (const auto& [what, verdict] : finding.controls) {
    // That another system is right says nothing of the cause.
    if (verdict == Verdict::Match && !what.starts_with("on "))
      return text + ", and right ones with " + markdown_code(what);
  }
  return text;
}

std::string environment(const Finding& finding) {
  std::string text;
  for (const auto& [part, version] : finding.versions) {
    text += fmt::format("- {}\n", markdown_code(part + " " + version));
  }
  for (const std::string& fault : finding.planted) text += fmt::format("- planted: {}\n", markdown_code(fault));
  if (text.empty()) text = "The script prints the versions of what is installed.\n";
  // What the system's maintainers ask for beside the versions.
  const Collector* collector = collector_of(family_of_target(finding.target));
  if (collector == nullptr) return text;
  const std::string command = markdown_code(collector->command());
  if (finding.environment.empty()) return text + fmt::format("\nThe output of {} goes here.\n", command);
  return text + fmt::format("\nOf the output of {}:\n\n{}", command, markdown_block(finding.environment));
}

// The inputs, small ones in full.
std::string inputs(const Case& test) {
  constexpr int64_t most_elements = 64;
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  std::string text;
  for (std::size_t i = 0; i < slots.size() && i < test.feed.size(); ++i) {
    const Tensor& tensor = test.feed[i];
    text += fmt::format("{}: {} {}\n", slots[i].name, type_text(tensor.dtype, tensor.sizes),
                        elements_text(tensor, most_elements));
  }
  return text;
}

// The program and its inputs, where no script says them.
std::string program(const Case& test) {
  return markdown_block(print(test.graph)) + "\n" + markdown_block(inputs(test));
}

std::string recorded(const Case& test) {
  std::string text;
  if (!test.expect.outputs) return text;
  for (std::size_t i = 0; i < test.expect.outputs->size(); ++i) {
    const Tensor& tensor = (*test.expect.outputs)[i];
    text += fmt::format("out[{}] must be {} {}\n", i, type_text(tensor.dtype, tensor.sizes), elements_text(tensor));
  }
  return text;
}

std::string diagnosis(const Finding& finding, const std::optional<VersionHistory>& saved) {
  std::string text;
  if (finding.repeats) {
    text += fmt::format("- Wrong in {} of {} runs\n", finding.repeats->wrong, finding.repeats->runs);
  }
  if (finding.wrong_call) text += fmt::format("- Of the program's calls: {}\n", describe(*finding.wrong_call));
  if (!finding.stage.empty()) text += fmt::format("- The first stage that differs: {}\n", markdown_code(finding.stage));
  if (!finding.blame.empty()) {
    const std::string cause = finding.cause.empty() ? "" : ": " + markdown_code(finding.cause);
    text += fmt::format("- What its own checks blame: {}{}\n", markdown_code(finding.blame), cause);
  }
  if (!finding.configuration.empty()) {
    text += fmt::format("- The least that diverges: {}\n", markdown_code(finding.configuration));
  }
  if (const auto& tried = finding.releases ? finding.releases : saved) {
    const std::string releases = describe(*tried);
    if (!releases.empty()) text += fmt::format("- Releases: {}\n", releases);
  }
  const std::size_t before = finding.original.graph.nodes.size();
  const std::size_t after = finding.reduced.graph.nodes.size();
  if (after < before) text += fmt::format("- Reduced from {} calls to {}\n", before, after);
  return text;
}

std::string evidence(const Finding& finding) {
  std::string text;
  if (finding.evidence) text += markdown_block(describe(*finding.evidence));
  for (const JurorAnswer& juror : finding.jury) {
    text += fmt::format("{}- {}: {}, {}\n", text.ends_with("```\n") ? "\n" : "", markdown_code(juror.juror),
                        name(juror.answer), markdown_code(juror.said));
  }
  return text;
}

std::string reproducer(const Finding& finding, const IssueParts& parts) {
  if (parts.brief.empty() && parts.script.empty()) return parts.how + "\n" + program(finding.reduced);
  if (parts.brief.empty()) return "Exit code 1 where it shows.\n\n" + markdown_block(parts.script, "python");
  std::string text = "It raises where it shows.\n\n" + markdown_block(parts.brief, "python");
  if (parts.script.empty()) return text;
  return text +
         fmt::format("\n<details><summary>With a control, versions and every comparison</summary>\n\n{}\n</details>\n",
                     markdown_block(parts.script, "python"));
}

// What the one who files it answers for.
std::string before_filing(const Finding& finding, const IssueParts& parts) {
  std::string text = "- [ ] I ran the reproducer above myself, on the latest release, and it fails there.\n";
  text += parts.thread.empty()
              ? "- [ ] I searched the tracker; no thread that tells of it is known to Parallax.\n"
              : fmt::format("- [ ] A thread tells of it: {}. I read it, and this adds something.\n", parts.thread);
  if (!parts.nearest.empty())
    text += fmt::format("- [ ] It is another bug than the nearest one that is known, {}.\n", parts.nearest);
  const std::string_view proof = finding.verdict == Verdict::Mismatch
                                     ? "; an error bound through the graph shows that rounding does not explain it"
                                     : "";
  return text + fmt::format("\nFound by differential fuzzing with Parallax{}. Checked by a person: (name)\n", proof);
}

std::string controls(const Finding& finding) {
  std::string text;
  for (const auto& [what, verdict] : finding.controls) {
    text += fmt::format("- {}: {}\n", markdown_code(what), verdict == Verdict::Match ? "right" : name(verdict));
  }
  return text;
}

void add_paragraph(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "\n") + more;
}

// What was seen beside what must be. A case of which no more is known than a title has what its script prints.
std::string expected_and_actual(const Finding& finding, const IssueParts& parts) {
  const bool is_judged = !finding.reason.empty() && finding.reason != finding.signature;
  const std::string seen = (is_judged ? finding.reason + "\n" : "") + recorded(finding.reduced);
  std::string text = seen.empty() ? "" : markdown_block(seen);
  if (!is_judged) add_paragraph(text, parts.printed);
  if (!parts.frames.empty()) add_paragraph(text, "Where it happens:\n\n" + markdown_block(parts.frames));
  return text;
}

std::string variants(const Finding& finding, const IssueParts& parts) {
  std::string text = parts.edits;
  add_paragraph(text, controls(finding));
  if (!parts.variants.empty()) add_paragraph(text, markdown_block(parts.variants));
  return text;
}

std::string section(std::string_view heading, std::string_view body) {
  return body.empty() ? "" : fmt::format("\n## {}\n\n{}", heading, body);
}

}  // namespace

std::string markdown_block(std::string_view text, std::string_view language) {
  constexpr std::size_t least = 3;
  const std::string fence = fence_around(text, least);
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string markdown_code(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  const std::string fence = fence_around(line, 1);
  // A space that the renderer takes off keeps a backtick at either end from joining the fence.
  const std::string_view pad = line.starts_with('`') || line.ends_with('`') || line.empty() ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, pad, line, pad, fence);
}

std::string issue_text(const Finding& finding, const IssueParts& parts) {
  const std::string heading =
      parts.title.empty() ? title(finding) : fmt::format("{}: {}", markdown_code(finding.target), parts.title);
  return "# " + heading + "\n" + section("Reproducer", reproducer(finding, parts)) +
         section("Expected and actual", expected_and_actual(finding, parts)) +
         section("Variants", variants(finding, parts)) + section("Why", parts.reasons) +
         section("Suggested fix", parts.fix) + section("Environment", environment(finding)) +
         section("Evidence", evidence(finding)) + section("Diagnosis", diagnosis(finding, parts.releases)) +
         section("Before filing", before_filing(finding, parts));
}

}  // namespace parallax
