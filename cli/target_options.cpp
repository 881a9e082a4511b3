#include "cli/target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "cli/option_checks.h"

namespace parallax {

void add_target_options(CLI::App& command, TargetOptions& options) {
  const std::string heading = command.option_defaults()->get_group();
  begin_options(command, "Our own compiler");
  command
      .add_option("--plant", options.faults,
                  "Switch a known bug on in our own compiler (see parallax faults); repeatable")
      ->type_name("FAULT");
  const auto set_detect = [&options](const std::string& text) {
    if (const auto detect = parse_detect(text)) options.detect = *detect;
  };
  command.add_option_function<std::string>("--detect", set_detect, "What may raise a finding")
      ->default_str(detect_text(options.detect))
      ->check(member_of(detect_choices()));
  command
      .add_option("--passes", options.selection.passes, "Passes of our own compiler to run, in this order, as A,B,C")
      ->type_name("PASS")
      ->delimiter(',');
  command.add_option("--stop-after", options.selection.stop_after, "The last pass of our own compiler to run")
      ->type_name("PASS");
  constexpr int most_threads = 64;
  command
      .add_option("--threads", options.threads,
                  "Run each case once more on this many threads at the same time, an instance each")
      ->check(whole_number(1, most_threads))
      ->type_name("N");
  begin_options(command, heading.c_str());
}

void add_repeat_option(CLI::App& command, int& repeat) {
  constexpr int most = 10'000;
  command.add_option("--repeat", repeat, "Say of what diverges in how many of this many runs it does")
      ->check(whole_number(1, most));
}

void add_fail_on_option(CLI::App& command, std::string& fail_on) {
  command.add_option("--fail-on", fail_on, "unconfirmed: exit code 1 for findings that a juror contradicts, too")
      ->check(member_of({"unconfirmed"}));
}

std::vector<std::string> default_targets(const TargetOptions& options) {
  std::vector<std::string> targets = {"portable"};
  const Result<Catalogue> catalogue = open_catalogue();
  if (!catalogue || !options.is_unaltered()) return targets;
  for (std::string& name : catalogue->installed_targets()) targets.push_back(std::move(name));
  return targets;
}

std::vector<std::string> expanded(const std::vector<std::string>& targets, const TargetOptions& options) {
  if (targets.empty()) return default_targets(options);
  std::vector<std::string> named;
  for (const std::string& target : targets) {
    if (target != all_targets) {
      named.push_back(target);
      continue;
    }
    for (std::string& one : default_targets(options)) named.push_back(std::move(one));
  }
  return named;
}

int jobs_or_cores(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::string today() {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

int code_of(const Result<int>& result) {
  if (result) return *result;
  const int code = report_error(result.error());
  return result.error().kind == ErrorKind::NoTarget ? could_not_run : code;
}

}  // namespace parallax
