// parallax fuzz: random graphs through targets, what diverges reduced, explained and kept.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <random>
#include <set>

#include "cli/command.h"
#include "cli/equal_reasons.h"
#include "cli/fuzz_screen.h"
#include "cli/histogram.h"
#include "cli/imported_case.h"
#include "cli/interruption.h"
#include "cli/option_checks.h"
#include "cli/profile_option.h"
#include "cli/summary.h"
#include "cli/target_options.h"
#include "cli/validation.h"
#include "core/grouped_digits.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/description.h"
#include "fuzz/campaign/drawn_cases.h"
#include "fuzz/campaign/drawn_configurations.h"
#include "graph/case_json.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

// As they are given. What decides what the cases are, or what is said of them, goes into DrawOptions or
// CampaignOptions, by which a campaign is known again.
struct FuzzFlags {
  std::vector<std::string> targets;
  std::string profile = "all";
  DrawOptions draw;
  std::optional<double> seconds;
  std::optional<uint64_t> seed;
  int jobs = 0;
  TargetOptions target_options;
  std::string findings = "findings";
  std::string known;
  std::string shard;
  std::string base;
  std::string around;
  std::string fail_on;
  int repeat = 0;
  int related = 2;
  int configs = 1;
  bool no_jury = false;
  bool validate = false;
  bool no_reduce = false;
  bool fresh = false;
  bool pack = false;
  bool stats = false;
  bool json = false;
};

uint64_t random_seed() {
  std::random_device device;
  return mix(device(), device()) >> 16;  // short enough to type again
}

// The model that graphs are drawn around: a case file, or a program that becomes one.
Result<std::optional<Around>> open_model(const std::string& file) {
  if (file.empty()) return std::nullopt;
  Case model;
  if (file.ends_with(".json")) {
    TRY(const std::string text, read_text_file(file));
    TRY(model, parse_case(text, file));
    model.name = file;
  } else {
    TRY(model, imported_case(file, {}));
  }
  TRY(Around around, Around::of(std::move(model)));
  return around;
}

// "2/8": the second of eight.
Result<void> read_shard(const std::string& text, CampaignOptions& options) {
  if (text.empty()) return {};
  uint64_t number = 0;
  const std::size_t slash = text.find('/');
  const auto whole = [&](std::string_view part, uint64_t& value) {
    const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), value);
    return !part.empty() && code == std::errc() && end == part.data() + part.size();
  };
  const std::string_view view = text;
  if (slash == std::string::npos || !whole(view.substr(0, slash), number) ||
      !whole(view.substr(slash + 1), options.shards) || number < 1 || number > options.shards) {
    return fail("--shard {}: I/N is wanted, with I from 1 to N", text);
  }
  options.shard = number - 1;
  return {};
}

// Everything but the cases and the callbacks.
Result<CampaignOptions> campaign_options(const FuzzFlags& flags) {
  CampaignOptions options;
  options.targets =
      flags.targets.empty() ? std::vector<std::string>{"portable"} : expanded(flags.targets, flags.target_options);
  TRY_VOID(ask_for_validation(flags.validate, options.targets));
  options.target_options = flags.target_options;
  options.seed = flags.seed ? *flags.seed : random_seed();
  if (flags.configs > 1) {
    ConfiguredTargets configured =
        with_configurations(options.targets, flags.configs, options.seed, options.target_options);
    options.targets = std::move(configured.targets);
    options.defaults = std::move(configured.defaults);
  }
  options.jobs = jobs_or_cores(flags.jobs);
  options.seconds = flags.seconds;
  if (!flags.draw.graphs && !flags.seconds) options.seconds = 60;
  options.reduce = options.controls = !flags.no_reduce;
  options.pack = flags.pack;
  options.repeat = flags.repeat;
  options.related = flags.related;
  options.jury = !flags.no_jury && !flags.no_reduce;
  options.interrupted = was_interrupted;
  options.base = flags.base;
  options.findings = flags.findings;
  options.fresh = flags.fresh;
  TRY_VOID(read_shard(flags.shard, options));
  if (!flags.shard.empty() && !flags.seed)
    return fail("--shard {}: it needs the --seed that all shards share", flags.shard);
  if (!flags.known.empty()) {
    TRY(options.known, KnownFindings::read(flags.known, today()));
    report_errors(options.known.broken());
  }
  return options;
}

// Where no target gives any, the flag would do nothing.
Result<void> check_gradients(const FuzzFlags& flags, const std::vector<const Target*>& targets) {
  if (!flags.draw.gradients || std::ranges::any_of(targets, &Target::takes_gradients)) return {};
  return fail("--gradients: {} not give gradients; pytorch-eager does, for one",
              flags.targets.size() > 1 ? "these targets do" : "this target does");
}

Result<void> check_once_each(const std::vector<std::string>& targets) {
  std::set<std::string> seen;
  for (const std::string& target : targets) {
    if (!seen.insert(target).second) return fail("--target {}: it is given twice", target);
  }
  return {};
}

void print_summary(const FuzzFlags& flags, const CampaignOptions& options, const CampaignResult& result,
                   const Histogram& histogram) {
  if (flags.json) {
    fmt::print("{}\n", summary_json(result, options.seed));
    return;
  }
  fmt::print("{}{}{}\n{}", headline(result), findings_text(result), known_text(options.known, result),
             targets_text(result, flags.stats ? TargetDetail::Full : TargetDetail::Short));
  if (flags.stats) fmt::print("{}", histogram.text());
  const bool stored = std::ranges::any_of(result.findings, [](const auto& found) { return !found.folder.empty(); });
  if (stored) fmt::print("read them in a browser: parallax report {} -o report.html\n", flags.findings);
}

Result<int> fuzz(const FuzzFlags& flags) {
  if (flags.draw.max_nodes < flags.draw.min_nodes)
    return fail("--min-nodes {} is more than --max-nodes {}", flags.draw.min_nodes, flags.draw.max_nodes);
  TRY(CampaignOptions options, campaign_options(flags));
  TRY_VOID(check_once_each(options.targets));
  DrawOptions draw = flags.draw;
  draw.profile = generate_profile(flags.profile);
  TRY(draw.around, open_model(flags.around));
  DrawnCases cases(options.seed, draw);
  options.cases = describe_cases(PARALLAX_VERSION, draw);
  options.cases_a_turn = cases.cases_a_turn();
  options.source = [&](uint64_t k) { return cases.at(k); };
  FuzzScreen screen;
  // Those of this process open at once, and a mistake in their names is better told alone; others take many seconds.
  const bool all_inside = std::ranges::all_of(options.targets, runs_in_process);
  CampaignCallbacks& callbacks = options.callbacks;
  callbacks.on_opening = [&](const std::vector<std::string>& now) { screen.opening(now); };
  callbacks.on_open = [&](const std::vector<const Target*>& targets) -> Result<void> {
    TRY_VOID(check_gradients(flags, targets));
    if (all_inside) screen.begin(options, flags.profile);
    cases.draw_for(targets, options.known);
    return {};
  };
  callbacks.on_resume = [&](int64_t judged) {
    print_note(
        fmt::format("goes on with a campaign that was cut off after {}; --fresh begins anew", counted(judged, "case")));
  };
  callbacks.on_other_campaigns = [&](int64_t others) {
    print_note(fmt::format("begins anew: {} cut off in {} had other options or another version",
                           others == 1 ? "the campaign that was" : fmt::format("the {} campaigns that were", others),
                           flags.findings));
  };
  callbacks.on_progress = [&](const auto& judged, std::size_t findings, double seconds) {
    screen.progress(judged, findings, seconds);
  };
  callbacks.on_finding = [&](const CampaignFinding& found, std::size_t number) { screen.found(found, number); };
  callbacks.on_missing = [&](const Error& reason) {
    screen.end();
    report_error(reason);
  };
  Histogram histogram;
  // Every target sees the same cases: they are counted for the first.
  callbacks.on_case = [&](const std::string& target, uint64_t, const Case& test, const Examination& examination) {
    if (target == options.targets.front()) {
      histogram.add(test.graph, examination.outcome.reused_slots, examination.judgement.verdict == Verdict::Undecided);
    }
  };
  callbacks.save_more = [&] { return histogram.to_json(); };
  callbacks.restore_more = [&](const std::string& text) -> Result<void> {
    TRY(histogram, Histogram::from_json(text));
    return {};
  };
  if (!all_inside) screen.begin(options, flags.profile);
  catch_interruptions();
  auto result = run_campaign(options);
  screen.end();
  if (!result) return std::unexpected(std::move(result).error());
  print_summary(flags, options, *result, histogram);
  if (result->interrupted) {
    print_note(fmt::format("interrupted; to go on, give the same command{}",
                           flags.seed ? " again" : fmt::format(" with --seed {}", options.seed)));
  }
  return exit_code_of(*result, 1, flags.fail_on == "unconfirmed");
}

}  // namespace

void add_fuzz_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<FuzzFlags>();
  CLI::App* command =
      program.add_subcommand("fuzz", "Random graphs through targets; what diverges is reduced, explained and kept.");
  command->footer(
      "Without --target this runs the in-process compiler, without a limit for a minute. --seed S --graphs N gives "
      "the\n"
      "same cases whatever --jobs is. Graphs are of the ops that all of the targets take. A campaign that was killed\n"
      "goes on when the same command is given again: how far it was is in FINDINGS/campaigns.db.\n"
      "\nExamples:\n"
      "  parallax fuzz --profile alias --seconds 60\n"
      "  parallax fuzz --target all --seconds 600\n"
      "  parallax fuzz --target portable --target executorch-portable --seed 7 --graphs 1000\n"
      "  parallax fuzz --around model.pt2 --target executorch-xnnpack --seconds 600");
  begin_options(*command, "Targets");
  command
      ->add_option("--target", flags->targets,
                   "What to drive (see parallax targets); repeatable. Default: portable; all: ours and every installed "
                   "one")
      ->type_name("TARGET");
  command
      ->add_option("--base", flags->base,
                   "A target that must be right, as an older version is: what it gets wrong too is only counted")
      ->type_name("TARGET");
  add_target_options(*command, flags->target_options);
  add_validate_flag(*command, flags->validate);
  command->add_flag("--pack", flags->pack, "Several cases a program, on targets that ask for it");
  command
      ->add_option("--related", flags->related,
                   "One-edit neighbours of each graph that run after it on the same live process of an external target")
      ->capture_default_str()
      ->check(whole_number(0, 100));
  command
      ->add_option(
          "--configs", flags->configs,
          "Configurations of each target, the default first: what is wrong in another one alone is a finding,\n"
          "reduced to the fewest switches")
      ->capture_default_str()
      ->check(whole_number(1, 1000));

  begin_options(*command, "Graphs");
  add_profile_option(*command, flags->profile);
  command->add_option("--seed", flags->seed, "Seed of the graphs; random and printed if not given");
  command
      ->add_option("--around", flags->around,
                   "A model (case file, .pt2, .onnx or FILE.py:NAME): graphs are connected parts of it with its shapes "
                   "and\nweights, and other calls, views and writes in between")
      ->type_name("MODEL")
      ->transform(existing_file());
  command
      ->add_option("--feeds", flags->draw.feeds,
                   "Feeds a graph; --graphs counts each. A target may lower a graph once for all of them")
      ->capture_default_str()
      ->check(whole_number(1, 1000));
  command->add_option("--min-nodes", flags->draw.min_nodes, "Fewest nodes a graph")
      ->capture_default_str()
      ->check(whole_number(1, 10000));
  command->add_option("--max-nodes", flags->draw.max_nodes, "Most nodes a graph")
      ->capture_default_str()
      ->check(whole_number(1, 10000));
  command->add_flag(
      "--gradients", flags->draw.gradients,
      "Ask for gradients too, where a graph has some (pytorch-eager, torch-aot-eager, torch-inductor, thunder)");

  begin_options(*command, "Limits");
  command->add_option("--seconds", flags->seconds, "Stop after this many seconds; 60 if --graphs is not given either")
      ->type_name("SECONDS")
      ->check(number_over(0));
  command->add_option("--graphs", flags->draw.graphs, "Stop after this many graphs a target")->check(whole_number(1));
  command->add_option("--jobs", flags->jobs, "Threads; default: one a core")->check(whole_number(0, 1000));
  command->add_option("--shard", flags->shard, "I/N: the I-th of N parts of the graphs of --seed, for N machines")
      ->type_name("I/N");

  begin_options(*command, "Findings");
  command->add_option("--findings", flags->findings, "Folder that findings are kept in")
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      ->add_option("--known", flags->known,
                   "Findings that are not news, as parallax known writes them: counted, and no reason for exit code 1")
      ->type_name("FILE")
      ->transform(existing_file());
  add_repeat_option(*command, flags->repeat);
  command->add_flag("--no-jury", flags->no_jury, "Report findings without asking others (see parallax confirm)");
  add_fail_on_option(*command, flags->fail_on);
  command->add_flag("--no-reduce", flags->no_reduce,
                    "Keep findings as they were generated, without their stages and controls");
  command->add_flag("--fresh", flags->fresh, "Begin anew where the same campaign was cut off");

  begin_options(*command, "Output");
  command->add_flag(
      "--stats", flags->stats,
      "In the summary also what was proved, why cases were refused, and the ops and alias relations drawn");
  command->add_flag("--json", flags->json, "The summary as JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(fuzz(*flags)); });
}

}  // namespace parallax
