// parallax bugs: the bugs that were found in released systems, and the pages made of them.
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/open_target.h"
#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "core/nearest_name.h"
#include "reports/bug_folder.h"

namespace parallax {
namespace {

struct BugsFlags {
  std::string folder;
  std::string system;
  std::string verdict;
  std::string grade;
  bool silent = false;
  bool aliasing = false;
  bool json = false;
};

std::vector<std::string> finding_verdicts() {
  std::vector<std::string> names;
  for (int i = 0; i < verdict_count; ++i) {
    if (const auto verdict = static_cast<Verdict>(i); is_finding(verdict)) names.emplace_back(name(verdict));
  }
  return names;
}

Result<BugFolder> open_folder(const BugsFlags& flags) {
  return read_bug_folder(flags.folder.empty() ? root_folder() / "bugs" : std::filesystem::path(flags.folder));
}

bool is_wanted(const FoundBug& bug, const BugsFlags& flags) {
  return (flags.system.empty() || system_slug(bug.system) == system_slug(flags.system)) &&
         (flags.verdict.empty() || name(bug.verdict) == flags.verdict) &&
         (flags.grade.empty() || name(bug.grade) == flags.grade) && (!flags.silent || bug.silent) &&
         (!flags.aliasing || bug.is_about_aliasing());
}

// Fails where a system is asked for that no bug is of.
Result<void> check_system(const std::vector<FoundBug>& bugs, const std::string& system) {
  std::vector<std::string> slugs;
  for (const FoundBug& bug : bugs) slugs.push_back(system_slug(bug.system));
  if (system.empty() || std::ranges::count(slugs, system_slug(system)) > 0) return {};
  std::ranges::sort(slugs);
  slugs.erase(std::ranges::unique(slugs).begin(), slugs.end());
  return fail("--system {}: no bug is of this system; there are {}{}", system, fmt::join(slugs, ", "),
              did_you_mean(system_slug(system), slugs));
}

std::string bug_line(const FoundBug& bug) {
  std::string traits = fmt::format("{}, {}", name(bug.grade), bug.verdict_text());
  if (bug.is_about_aliasing()) traits += fmt::format(", {}", fmt::join(bug.aliasing, ", "));
  if (!bug.counted) traits += ", not counted";
  return fmt::format("{}  {} {}  {}\n    {}\n", bug.name, bug.system, bug.version, traits, bug.title);
}

Result<int> list_bugs(const BugsFlags& flags) {
  TRY(BugFolder folder, open_folder(flags));
  if (!folder.errors.empty()) return std::unexpected(folder.errors.front());
  std::ranges::stable_sort(folder.bugs, {}, &FoundBug::grade);
  TRY_VOID(check_system(folder.bugs, flags.system));
  Json rows = Json::array();
  for (const FoundBug& bug : folder.bugs) {
    if (!is_wanted(bug, flags)) continue;
    if (flags.json) {
      rows.push_back(bug_json(bug));
    } else {
      fmt::print("{}", bug_line(bug));
    }
  }
  if (flags.json) fmt::print("{}\n", rows.dump(2));
  return nothing_new;
}

Result<int> check_bugs(const BugsFlags& flags) {
  TRY(const BugFolder folder, open_folder(flags));
  const std::vector<Error> errors = check_bug_folder(folder);
  for (const Error& error : errors) report_error(error);
  if (!errors.empty()) return bad_input;
  fmt::print("{} bugs, {} generated pages: all right\n", folder.bugs.size(), folder.pages.size());
  return nothing_new;
}

Result<int> write_bugs(const BugsFlags& flags) {
  TRY(const BugFolder folder, open_folder(flags));
  TRY_VOID(write_bug_pages(folder));
  fmt::print("{} pages written to {}\n", folder.pages.size(), folder.path.string());
  return nothing_new;
}

void add_folder_option(CLI::App& command, const std::shared_ptr<BugsFlags>& flags) {
  command.add_option("--bugs", flags->folder, "The folder of bugs (default: the project's)")
      ->check(existing_folder())
      ->type_name("FOLDER");
}

}  // namespace

void add_bugs_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<BugsFlags>();
  CLI::App* command = program.add_subcommand("bugs", "Bugs found in released systems: list, check, write the tables.");
  command->footer(
      "Each bug is a file bugs/NAME.md with its fields at the head (docs/adding-a-bug.md).\n"
      "\nExamples:\n"
      "  parallax bugs --system openvino --silent\n"
      "  parallax bugs --json\n"
      "  parallax bugs write; parallax bugs check");
  add_folder_option(*command, flags);
  command->add_option("--system", flags->system, "Only bugs of this system: openvino, onnx-runtime")
      ->type_name("SYSTEM");
  command->add_option("--verdict", flags->verdict, "Only bugs with this verdict")->check(member_of(finding_verdicts()));
  std::vector<std::string> grade_names;
  for (const Grade grade : grades) grade_names.emplace_back(name(grade));
  command->add_option("--grade", flags->grade, "Only bugs of this grade")->check(member_of(grade_names));
  command->add_flag("--silent", flags->silent, "Only silently wrong results");
  command->add_flag("--aliasing", flags->aliasing, "Only bugs that need views, writes, state or shared memory");
  command->add_flag("--json", flags->json, "As JSON on standard output");
  CLI::App* checking = command->add_subcommand("check", "Are all files valid, and the generated pages up to date?");
  checking->footer(
      "Each fault is one line on standard error. Exit code 2: there is a fault.\n\nExamples:\n  parallax bugs check");
  add_folder_option(*checking, flags);
  CLI::App* writing = command->add_subcommand("write", "Write the generated pages.");
  writing->footer(
      "Writes README.md, by-system/*.md, false-alarms.md and measurements.md in the folder of bugs.\n"
      "\nExamples:\n  parallax bugs write");
  add_folder_option(*writing, flags);
  command->callback([flags, checking, writing, &exit_code] {
    exit_code = code_of(checking->parsed()  ? check_bugs(*flags)
                        : writing->parsed() ? write_bugs(*flags)
                                            : list_bugs(*flags));
  });
}

}  // namespace parallax
