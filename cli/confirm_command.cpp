// parallax confirm: stored findings put to a jury, and what it says kept with them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "corpus/closing_lines.h"
#include "corpus/store.h"
#include "fuzz/findings/collected_environment.h"
#include "fuzz/findings/controls.h"
#include "fuzz/findings/jury.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

struct ConfirmFlags {
  std::string path;
  std::string fail_on;
  bool json = false;
};

// A folder of findings, or the folder of one.
struct Subject {
  std::filesystem::path folder;
  std::vector<Result<Finding>> findings;
};

Result<Subject> read_subject(const std::string& path) {
  std::filesystem::path given(path);
  if (!given.has_filename()) given = given.parent_path();
  if (!std::filesystem::exists(given / "finding.json")) {
    TRY(std::vector<Result<Finding>> findings, load_findings(given));
    return Subject{given, std::move(findings)};
  }
  Subject subject{given.has_parent_path() ? given.parent_path() : ".", {}};
  subject.findings.push_back(load_finding(given));
  return subject;
}

void ask(Finding& finding) {
  TargetOptions options;
  options.faults = finding.planted;
  options.given_up = was_interrupted;
  finding.control = passing_control(finding.reduced, finding.controls);
  put_to_jury(finding, {.target_options = options});
}

// Once for each target: its collector takes seconds.
std::string environment_of(const std::string& target) {
  static std::map<std::string, std::string> known;
  const auto [entry, is_new] = known.emplace(target, "");
  if (is_new) entry->second = collected_environment(target).value_or("");
  return entry->second;
}

Json answers_json(const Finding& finding) {
  Json answers = Json::array();
  for (const JurorAnswer& juror : finding.jury) {
    answers.push_back({{"juror", juror.juror}, {"answer", name(juror.answer)}, {"said", juror.said}});
  }
  return answers;
}

Result<int> confirm(const ConfirmFlags& flags) {
  TRY(Subject subject, read_subject(flags.path));
  TRY(FindingStore store, FindingStore::open(subject.folder));
  std::vector<Finding> confirmed;
  std::vector<Finding> unconfirmed;
  bool broken = false;
  catch_interruptions();
  for (Result<Finding>& read : subject.findings) {
    if (was_interrupted()) break;
    if (!read) {
      report_error(read.error());
      broken = true;
      continue;
    }
    ask(*read);
    if (was_interrupted()) break;  // its answers are cut short
    if (read->environment.empty()) read->environment = environment_of(read->target);
    TRY_VOID(store.update(*read));
    const bool contradicted = confirmation_of(read->jury) == Confirmation::Unconfirmed;
    (contradicted ? unconfirmed : confirmed).push_back(*std::move(read));
  }
  const auto by_grade = [](const Finding& finding) { return finding.grade.value_or(Grade::Gross); };
  Json rows = Json::array();
  for (std::vector<Finding>* list : {&confirmed, &unconfirmed}) {
    std::ranges::stable_sort(*list, {}, by_grade);
    if (list == &unconfirmed && !flags.json && !list->empty()) fmt::print("unconfirmed:\n");
    for (const Finding& finding : *list) {
      rows.push_back({{"finding", finding.id},
                      {"target", finding.target},
                      {"signature", finding.signature},
                      {"grade", finding.grade ? std::string(name(*finding.grade)) : ""},
                      {"confirmation", name(confirmation_of(finding.jury))},
                      {"jury", answers_json(finding)}});
      if (!flags.json) fmt::print("{} · {}\n{}", finding.id, finding.signature, closing_lines(finding));
    }
  }
  if (flags.json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    fmt::print("{} stand, {} unconfirmed\n", confirmed.size(), unconfirmed.size());
  }
  if (was_interrupted()) print_note("interrupted; the answers so far are kept");
  if (broken) return bad_input;
  const bool fails = !confirmed.empty() || (flags.fail_on == "unconfirmed" && !unconfirmed.empty());
  return fails ? diverged : nothing_new;
}

}  // namespace

void add_confirm_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ConfirmFlags>();
  CLI::App* command = program.add_subcommand(
      "confirm", "Stored findings put to a jury: a fresh process, the script, eager, another system, the control.");
  command->footer(
      "A finding is unconfirmed where a juror contradicts it: it does not show in a fresh process, its script does not "
      "show\n"
      "it, or eager is not what the oracle says. Jurors that are not installed are not asked. The answers are kept in "
      "the\n"
      "findings' folders. The exit code is 1 where a finding stands.\n"
      "\nExamples:\n"
      "  parallax confirm findings\n"
      "  parallax confirm findings/7KQ2 --json");
  command->add_option("findings", flags->path, "A findings folder, or the folder of one finding")
      ->required()
      ->check(existing_folder());
  add_fail_on_option(*command, flags->fail_on);
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(confirm(*flags)); });
}

}  // namespace parallax
