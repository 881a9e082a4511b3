#include "cli/fuzz_screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "cli/terminal.h"
#include "core/grouped_digits.h"
#include "corpus/check_line.h"

namespace parallax {
namespace {

constexpr double seconds_a_log_line = 30;
constexpr const char* clear_line = "\r\x1b[K";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string limit_text(const CampaignOptions& options) {
  return options.seconds ? fmt::format("for {:g} s", *options.seconds) : "to the last graph";
}

}  // namespace

std::string status_line(const std::map<std::string, int64_t>& cases, std::size_t findings, double seconds) {
  int64_t all = 0;
  std::string by_target;
  for (const auto& [target, judged] : cases) {
    all += judged;
    const double rate = static_cast<double>(judged) / std::max(seconds, 1e-3);
    by_target += fmt::format(" · {} {} ({:.0f}/s)", target, grouped_digits(judged), rate);
  }
  return fmt::format("{:.0f} s · {} · {}{}", seconds, counted(static_cast<int64_t>(findings), "finding"),
                     counted(all, "case"), by_target);
}

std::vector<std::string> announcement(const CampaignFinding& found, std::size_t number, std::size_t width) {
  const Finding& finding = found.finding;
  std::string what = fmt::format("finding {} · {} · {}", number, finding.target, name(finding.verdict));
  if (finding.grade) what += fmt::format(" · {}", name(*finding.grade));
  what += " · " + counted(std::ssize(finding.reduced.graph.nodes), "node");
  if (confirmation_of(finding.jury) == Confirmation::Unconfirmed) what += " · unconfirmed";
  const std::string file = found.folder.empty() ? "" : (found.folder / "reduced.json").string();
  return {cut_to_width(what, width), cut_to_width("  " + first_line(finding.reason), width),
          "  " + (file.empty() ? "not stored" : check_command(finding, file))};
}

void FuzzScreen::begin(const CampaignOptions& options, const std::string& profile) {
  print_note(fmt::format("fuzzing {} {}, profile {}, seed {}{}", fmt::join(options.targets, ", "), limit_text(options),
                         profile, options.seed,
                         options.target_options.faults.empty()
                             ? ""
                             : fmt::format(", planted: {}", fmt::join(options.target_options.faults, ", "))));
}

void FuzzScreen::opening(const std::vector<std::string>& now) {
  std::vector<std::string> slow = now;
  std::erase_if(slow, runs_in_process);
  if (!slow.empty()) show(fmt::format("starting {} …", fmt::join(slow, ", ")));
}

void FuzzScreen::progress(const std::map<std::string, int64_t>& cases, std::size_t findings, double seconds) {
  if (is_terminal(Stream::Err)) return show(status_line(cases, findings, seconds));
  if (seconds < next_log_line_) return;
  next_log_line_ = seconds + seconds_a_log_line;
  print_note(status_line(cases, findings, seconds));
}

void FuzzScreen::found(const CampaignFinding& found, std::size_t number) {
  const bool to_terminal = is_terminal(Stream::Err);
  end();
  const std::size_t width = to_terminal ? terminal_width(Stream::Err) : std::string::npos;
  std::vector<std::string> lines = announcement(found, number, width);
  lines.front() = paint(Stream::Err, Colour::Red, lines.front());
  lines.back() = paint(Stream::Err, Colour::Dim, lines.back());
  for (const std::string& line : lines) fmt::print(stderr, "{}\n", line);
}

void FuzzScreen::end() {
  if (shown_) fmt::print(stderr, "{}", clear_line);
  shown_ = false;
}

void FuzzScreen::show(const std::string& line) {
  if (!is_terminal(Stream::Err)) return;
  // The last column stays free: some terminals break the line there.
  fmt::print(stderr, "{}{}", clear_line, cut_to_width(line, terminal_width(Stream::Err) - 1));
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace parallax
