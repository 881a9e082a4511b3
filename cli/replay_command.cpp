// parallax replay: stored cases through targets, each judged.
#include <fmt/format.h>

#include <map>
#include <mutex>

#include "cli/changed_cases.h"
#include "cli/command.h"
#include "cli/device_share.h"
#include "cli/equal_reasons.h"
#include "cli/interruption.h"
#include "cli/option_checks.h"
#include "cli/summary.h"
#include "cli/target_options.h"
#include "cli/validation.h"
#include "fuzz/campaign/campaign.h"
#include "graph/case_files.h"
#include "graph/whole_file.h"
#include "reports/junit.h"
#include "reports/sarif.h"

namespace parallax {
namespace {

struct ReplayFlags {
  std::vector<std::string> paths;
  std::string changed_since;
  std::vector<std::string> targets;
  TargetOptions target_options;
  std::string junit;
  std::string sarif;
  bool validate = false;
  bool annotate = false;
  std::string findings;
  std::string known;
  bool pack = false;
  bool reduce = false;
  bool json = false;
  int jobs = 0;
  int64_t min_judged = 1;
  int repeat = 0;
};

Result<int> replay(const ReplayFlags& flags) {
  CaseFiles files;
  for (const std::string& path : flags.paths) {
    std::vector<std::string> added = {path};
    if (!flags.changed_since.empty()) {
      TRY(added, changed_cases(path, flags.changed_since));
    }
    for (const std::string& file : added) TRY_VOID(files.add(file));
  }
  if (!flags.changed_since.empty() && files.size() == 0 && files.broken().empty()) {
    print_note(fmt::format("no case has changed since {}", flags.changed_since));
    return nothing_new;
  }
  report_errors(files.broken());
  CampaignOptions options;
  options.targets = expanded(flags.targets, flags.target_options);
  TRY_VOID(ask_for_validation(flags.validate, options.targets));
  options.target_options = flags.target_options;
  options.jobs = jobs_or_cores(flags.jobs);
  options.pack = flags.pack;
  options.reduce = flags.reduce;
  options.repeat = flags.repeat;
  if (!flags.findings.empty()) options.findings = flags.findings;
  if (!flags.known.empty()) {
    TRY(options.known, KnownFindings::read(flags.known, today()));
    report_errors(options.known.broken());
  }
  std::mutex mutex;
  std::vector<Error> changed;  // cases that could be read when they were added
  options.source = [&](uint64_t k) -> std::optional<Case> {
    if (k >= files.size()) return std::nullopt;
    Result<Case> test = files.read(k);
    if (test) return *std::move(test);
    const std::lock_guard lock(mutex);
    changed.push_back(std::move(test).error());
    return std::nullopt;
  };
  std::map<std::string, DeviceShare> shares;
  for (const std::string& target : options.targets) {
    if (auto share = DeviceShare::of(target)) shares.emplace(target, *std::move(share));
  }
  JUnitReport junit;
  SarifReport sarif;
  options.callbacks.on_case = [&](const std::string& target, uint64_t, const Case& test,
                                  const Examination& examination) {
    const Judgement& judgement = examination.judgement;
    junit.add(target, test, judgement);
    sarif.add(target, test, judgement);
    if (const auto share = shares.find(target); share != shares.end()) share->second.add(test, examination);
    if (flags.annotate) fmt::print(stderr, "{}", github_annotation(target, test, judgement));
    if (judgement.verdict == Verdict::Match || flags.json) return;
    fmt::print("{}  {}  {}  {}\n", target, name(judgement.verdict), test.name, judgement.reason);
  };
  options.callbacks.on_missing = report_error;
  options.interrupted = was_interrupted;
  catch_interruptions();
  TRY(CampaignResult result, run_campaign(options));
  report_errors(changed);
  if (!flags.junit.empty()) {
    TRY_VOID(write_whole_file(flags.junit, {junit.text()}));
  }
  if (!flags.sarif.empty()) {
    TRY_VOID(write_whole_file(flags.sarif, {sarif.text(PARALLAX_VERSION)}));
  }
  fmt::print("{}", flags.json ? summary_json(result, std::nullopt) + "\n"
                              : summary_text(result) + known_text(options.known, result));
  for (const auto& [target, share] : shares) {
    if (!flags.json) fmt::print("{}\n{}", target, share.text());
  }
  const int code = exit_code_of(result, files.size() == 0 ? 0 : flags.min_judged);
  return files.broken().empty() && changed.empty() ? code : bad_input;
}

}  // namespace

void add_replay_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ReplayFlags>();
  CLI::App* command = program.add_subcommand("replay", "Stored cases through targets, each judged.");
  command->footer(
      "Broken files are named and skipped; the exit code is 2 then.\n"
      "\nExamples:\n"
      "  parallax replay corpus/cases --target portable\n"
      "  parallax replay corpus/cases --changed-since origin/main     what a branch added or edited\n"
      "  parallax replay recorded.jsonl --target recorded --json     hold the oracle against recorded results");
  command->add_option("paths", flags->paths, ".json and .jsonl files, compressed or not (.gz), folders")
      ->required()
      ->transform(existing_path());
  command
      ->add_option("--changed-since", flags->changed_since,
                   "Only the files that Git says are new or other since this revision, not committed ones included")
      ->type_name("REVISION");
  command->add_option("--target", flags->targets, "What to drive; 'recorded' is the case's own expectation; repeatable")
      ->type_name("TARGET");
  add_target_options(*command, flags->target_options);
  add_validate_flag(*command, flags->validate);
  command->add_option("--junit", flags->junit, "Write a JUnit XML file")->check(writable_file());
  command->add_option("--sarif", flags->sarif, "Write a SARIF 2.1.0 file: what diverged, for code scanning")
      ->check(writable_file());
  command->add_flag("--annotate", flags->annotate,
                    "A line on standard error for each divergence that GitHub shows at the file");
  command->add_option("--findings", flags->findings, "Keep what diverges in this folder");
  command
      ->add_option("--known", flags->known,
                   "Findings that are not news, as parallax known writes them: counted, and no reason for exit code 1")
      ->transform(existing_file());
  command->add_flag("--pack", flags->pack, "Several cases a program, on targets that ask for it");
  command->add_flag("--reduce", flags->reduce, "Reduce what diverges");
  add_repeat_option(*command, flags->repeat);
  command->add_option("--min-judged", flags->min_judged, "Exit code 3 if a target judged fewer cases")
      ->check(whole_number(0))
      ->capture_default_str();
  command->add_option("--jobs", flags->jobs, "Threads; default: one a core")->check(whole_number(0, 1000));
  command->add_flag("--json", flags->json, "The summary as JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(replay(*flags)); });
}

}  // namespace parallax
