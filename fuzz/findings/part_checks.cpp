#include "fuzz/findings/part_checks.h"

#include <fmt/format.h>

#include <chrono>

#include "core/grouped_digits.h"
#include "oracle/record.h"

namespace parallax {
namespace {

void count(PartChecks& checks, Verdict verdict) {
  switch (verdict) {
    case Verdict::Match:
    case Verdict::Suspect:
    case Verdict::Audited:
      ++checks.judged;
      break;
    case Verdict::Undecided:
      ++checks.undecided;
      break;
    default:
      ++checks.refused;
  }
}

}  // namespace

PartChecks check_parts(Target& target, const Case& test, std::size_t width, double seconds,
                       const std::function<void(std::size_t done, std::size_t of)>& progress) {
  PartChecks checks;
  const std::vector<Window> windows = windows_of(test.graph, width);
  checks.windows = windows.size();
  const std::optional<std::vector<Tensor>> values = record_values(test);
  if (!values) {
    checks.refused = windows.size();
    return checks;
  }
  const CaseWindows parts(test, Beside::Fusible);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (std::chrono::steady_clock::now() > deadline) {
      checks.in_time = false;
      return checks;
    }
    std::optional<Case> part = parts.at(windows[i], *values);
    if (!part) {
      ++checks.refused;
      continue;
    }
    Examination examination = examine(target, *part);
    if (is_finding(examination.judgement.verdict)) {
      ++checks.judged;
      checks.wrong = WrongPart{windows[i], *std::move(part), std::move(examination)};
      return checks;
    }
    count(checks, examination.judgement.verdict);
    progress(i + 1, windows.size());
  }
  return checks;
}

std::string PartChecks::text(std::size_t width) const {
  const std::size_t agree = judged - (wrong ? 1 : 0);
  std::string text =
      fmt::format("{} of {} parts of {} agree", agree, windows, counted(static_cast<int64_t>(width), "node"));
  if (undecided > 0) text += fmt::format(", {} undecided", undecided);
  if (refused > 0) text += fmt::format(", {} refused or nothing to judge", refused);
  if (!in_time) text += ", the rest was not looked at in the time given (--part-seconds)";
  if (wrong) text += fmt::format("; nodes {} to {} diverge", wrong->window.begin, wrong->window.end - 1);
  return text;
}

}  // namespace parallax
