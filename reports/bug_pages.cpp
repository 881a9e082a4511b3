#include "reports/bug_pages.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "reports/page_parts.h"

namespace parallax {
namespace {

using Bugs = std::vector<const FoundBug*>;
using TableRows = std::vector<std::vector<std::string>>;

// After the counts; every sentence holds for any number of bugs.
constexpr std::string_view about_the_pages = R"(
Each bug has a page with a case, a control and a script. The control differs in one thing and agrees with PyTorch.
The script needs the system alone. It exits with 1 where the bug shows, and with 2 where its control is wrong too:

    .targets/FAMILY-VERSION/bin/python bugs/NAME.py

The head of each page lists the packages that its script needs. A traceback is not exit code 1: the script did not run.

XNNPACK's scripts are C++ programs: `g++ NAME.cpp -lXNNPACK -lpthreadpool -lcpuinfo`. `./parallax test --all` runs the
scripts of the installed systems, and `./parallax corpus verify --target TARGET` the cases.
`parallax bugs` lists the bugs; [adding a bug](../docs/adding-a-bug.md) tells how to add one.

)";
constexpr std::string_view counting_rules = R"(
## Grades

The highest first. A finding of `parallax fuzz` has one too.

| grade | |
|---|---|
| gross | wrong without an error, and `torch.testing.assert_close` with its default tolerances sees it |
| inside tolerances | wrong without an error, and it does not |
| edge | it takes an edge of an API: no elements, an error for a 0-d tensor, NaN, an infinity, a subnormal number |
| refusal | an error on a valid program |
| crash | of the process, or a hang, on a valid program |

## What is counted

- A cause is counted once. A second case of one cause has a page and is not counted, and causes that may be one count as one.
- A bug that was found in an older release and is fixed in a newer one has a page and is not counted.
- These have no page: where NaN goes, the order of NaN and of ties, results just outside of a bound, the ends of a
  function's range, what ONNX leaves open, and ops that a system says it lacks.
- "Found after" counts seconds from the start of the campaign. It is empty where a bug was found by hand or the time was not kept.
- "Upstream" lists threads that tell of the bug, or says whether the tracker was searched. Search it before you report
  one without a thread.
- Core ML's packages were converted and not run. TOSA's graphs ran in its reference model. Thunder's releases do not
  import with torch 2.13 alone: stand-ins for methods that it removed come first. Each row says so.

## Measurements

- [Graphs without a false alarm](false-alarms.md), per target.
- [Bugs found again, and new findings per hour](measurements.md).
)";

std::string median_text(double median) { return fmt::format("{:g}", median); }

// "[title](../name.md)".
std::string link_to(const FoundBug& bug) { return fmt::format("[{}](../{}.md)", markdown_cell(bug.title), bug.name); }

std::string upstream_text(const FoundBug& bug) {
  if (bug.upstream.empty()) {
    return bug.searched == "yes"  ? "searched, none found"
           : bug.searched == "no" ? "not searched"
                                  : "search not recorded";
  }
  std::string text;
  for (const UpstreamThread& thread : bug.upstream) {
    text += fmt::format("{}[{}]({})", text.empty() ? "" : ", ", thread.label(), thread.url);
    if (!thread.remark.empty()) text += fmt::format(" ({})", markdown_cell(thread.remark));
  }
  return text;
}

// The release, and what of it ran where that is not all.
std::string release_text(const FoundBug& bug) {
  return bug.executed.empty() ? bug.version : fmt::format("{}, {}", bug.version, markdown_cell(bug.executed));
}

std::vector<std::string> bug_row(const FoundBug& bug) {
  return {link_to(bug),
          release_text(bug),
          bug.since(),
          std::string(name(bug.grade)),
          bug.verdict_text(),
          fmt::format("{}", fmt::join(bug.aliasing, ", ")),
          fmt::format("{}", bug.calls),
          bug.found_after ? fmt::format("{} s", *bug.found_after) : "",
          upstream_text(bug)};
}

// Versions in which bugs were found, each once, in the order of their text.
std::string versions_of(const Bugs& bugs) {
  std::vector<std::string> versions;
  for (const FoundBug* bug : bugs) versions.push_back(bug->version);
  std::ranges::sort(versions);
  versions.erase(std::ranges::unique(versions).begin(), versions.end());
  return fmt::format("{}", fmt::join(versions, ", "));
}

std::string counted_table(const Bugs& bugs) {
  TableRows rows;
  for (const FoundBug* bug : bugs) {
    if (bug->counted) rows.push_back(bug_row(*bug));
  }
  if (rows.empty()) return "";
  return "\n" +
         markdown_table(
             {"cause", "version", "since", "grade", "verdict", "aliasing", "calls", "found after", "upstream"}, rows);
}

std::string fixed_table(const Bugs& bugs) {
  TableRows rows;
  for (const FoundBug* bug : bugs) {
    if (bug->counted || !bug->same_cause_as.empty()) continue;
    rows.push_back(bug_row(*bug));
    rows.back().insert(rows.back().begin() + 3, bug->fixed_in);
  }
  if (rows.empty()) return "";
  return "\n## Found in older releases, and fixed since\n\n" +
         markdown_table({"cause", "version", "since", "fixed in", "grade", "verdict", "aliasing", "calls",
                         "found after", "upstream"},
                        rows);
}

std::string further_table(const Bugs& bugs) {
  TableRows rows;
  for (const FoundBug* bug : bugs) {
    if (bug->same_cause_as.empty()) continue;
    rows.push_back({link_to(*bug), release_text(*bug), std::string(name(bug->grade)), bug->verdict_text(),
                    fmt::format("[{0}](../{0}.md)", bug->same_cause_as), upstream_text(*bug)});
  }
  if (rows.empty()) return "";
  return "\n## Further cases of a counted cause\n\n" +
         markdown_table({"case", "version", "grade", "verdict", "same cause as", "upstream"}, rows);
}

// The highest grade first.
Bugs by_grade(Bugs bugs) {
  std::ranges::stable_sort(bugs, {}, &FoundBug::grade);
  return bugs;
}

// "137 gross, 1 inside tolerances …", those that there are.
std::string grades_text(const BugCounts& counts) {
  std::string text;
  for (const Grade grade : grades) {
    const int count = counts.by_grade[static_cast<std::size_t>(grade)];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(grade));
  }
  return text;
}

GeneratedPage system_page(const Bugs& unsorted) {
  const Bugs bugs = by_grade(unsorted);
  const std::string& system = bugs.front()->system;
  const BugCounts counts = count_bugs(bugs);
  std::string text = generated_note("bugs/*.md");
  text += fmt::format("# Bugs found in {}\n\n{}: {} silent, {} about aliasing; the median case has {} call{}. ", system,
                      plural(counts.causes, "cause"), counts.silent, counts.aliasing, median_text(counts.median_calls),
                      counts.median_calls == 1 ? "" : "s");
  if (counts.causes > 0) text += fmt::format("By [grade](../README.md#grades): {}.\n", grades_text(counts));
  text += fmt::format("Found in {}. [All systems](../README.md)\n", versions_of(bugs));
  text += counted_table(bugs) + fixed_table(bugs) + further_table(bugs);
  return {fmt::format("by-system/{}.md", system_slug(system)), std::move(text)};
}

std::vector<std::string> overview_row(std::string_view system, const BugCounts& counts) {
  const auto number = [](int count) { return count == 0 ? std::string() : fmt::format("{}", count); };
  return {std::string(system),
          fmt::format("{}", counts.causes),
          number(counts.by_grade[0]),
          number(counts.by_grade[1]),
          number(counts.by_grade[2]),
          number(counts.by_grade[3]),
          number(counts.by_grade[4]),
          number(counts.aliasing),
          median_text(counts.median_calls),
          number(counts.with_thread),
          number(counts.fixed),
          number(counts.further)};
}

GeneratedPage overview(const std::vector<FoundBug>& bugs) {
  Bugs all;
  for (const FoundBug& bug : bugs) all.push_back(&bug);
  const BugCounts total = count_bugs(all);
  TableRows rows;
  int systems = 0;
  for (const Bugs& of_one : bugs_by_system(bugs)) {
    const std::string& name = of_one.front()->system;
    const BugCounts counts = count_bugs(of_one);
    if (counts.causes > 0) ++systems;
    rows.push_back(overview_row(fmt::format("[{}](by-system/{}.md)", name, system_slug(name)), counts));
  }
  rows.push_back(overview_row("all", total));
  std::string text = generated_note("bugs/*.md");
  text += fmt::format(
      "# Bugs found in released systems\n\n"
      "{} in {}. By [grade](#grades): {}.\n{} of them give silently wrong results, and {} need views, in-place writes, "
      "state or shared memory.\n"
      "The median case has {} call{}. {} that a newer release fixed and {} of a counted cause have pages too.\n",
      plural(total.causes, "distinct cause"), plural(systems, "system"), grades_text(total), total.silent,
      total.aliasing, median_text(total.median_calls), total.median_calls == 1 ? "" : "s", plural(total.fixed, "bug"),
      plural(total.further, "further case"));
  text += about_the_pages;
  text += markdown_table({"system", "causes", "gross", "inside tolerances", "edge", "refusal", "crash", "aliasing",
                          "median calls", "with a thread upstream", "fixed since", "further cases"},
                         rows);
  text += counting_rules;
  return {"README.md", std::move(text)};
}

double median(std::vector<int64_t> numbers) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  const double upper = static_cast<double>(numbers[half]);
  return numbers.size() % 2 == 1 ? upper : (static_cast<double>(numbers[half - 1]) + upper) / 2;
}

}  // namespace

BugCounts count_bugs(const Bugs& bugs) {
  BugCounts counts;
  std::vector<int64_t> calls;
  for (const FoundBug* bug : bugs) {
    if (!bug->counted) {
      ++(bug->same_cause_as.empty() ? counts.fixed : counts.further);
      continue;
    }
    ++counts.causes;
    ++counts.by_grade[static_cast<std::size_t>(bug->grade)];
    if (bug->silent) ++counts.silent;
    if (bug->is_about_aliasing()) ++counts.aliasing;
    if (!bug->upstream.empty()) ++counts.with_thread;
    calls.push_back(bug->calls);
  }
  counts.median_calls = median(std::move(calls));
  return counts;
}

std::vector<Bugs> bugs_by_system(const std::vector<FoundBug>& bugs) {
  const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto by_name = [&](const std::string& a, const std::string& b) {
    return std::ranges::lexicographical_compare(a, b, {}, small, small);
  };
  std::map<std::string, Bugs, decltype(by_name)> grouped(by_name);
  for (const FoundBug& bug : bugs) grouped[bug.system].push_back(&bug);
  std::vector<Bugs> systems;
  for (auto& [system, of_one] : grouped) systems.push_back(std::move(of_one));
  return systems;
}

std::vector<GeneratedPage> bug_pages(const std::vector<FoundBug>& bugs) {
  std::vector<GeneratedPage> pages = {overview(bugs)};
  for (const Bugs& of_one : bugs_by_system(bugs)) pages.push_back(system_page(of_one));
  return pages;
}

}  // namespace parallax
