// parallax fuzz: random graphs through targets, what diverges reduced, explained and kept.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/command.h"
#include "cli/histogram.h"
#include "cli/imported_case.h"
#include "cli/profile_option.h"
#include "cli/summary.h"
#include "cli/target_options.h"
#include "cli/validation.h"
#include "fuzz/generate/around.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/generate/draw_data.h"
#include "fuzz/generate/draw_gradient.h"
#include "fuzz/generate/generate.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

struct FuzzFlags {
  std::vector<std::string> targets;
  std::string profile = "all";
  std::optional<uint64_t> graphs;
  std::optional<double> seconds;
  std::optional<uint64_t> seed;
  int jobs = 0;
  uint64_t feeds = 1;
  int min_nodes = 4;
  int max_nodes = 22;
  TargetOptions target_options;
  std::string findings = "findings";
  std::string known;
  std::string shard;
  std::string base;
  std::string around;
  int repeat = 0;
  bool validate = false;
  bool gradients = false;
  bool no_reduce = false;
  bool fresh = false;
  bool pack = false;
  bool json = false;
};

uint64_t random_seed() {
  std::random_device device;
  return mix(device(), device()) >> 16;  // short enough to type again
}

// Which graph case k has, and which of its feeds. The graphs of a pack come together, and again with each next feed, so
// that a target which keeps its last program lowers it once.
struct FedGraph {
  uint64_t graph = 0;
  uint64_t feed = 0;
};
constexpr uint64_t graphs_together = 8;
// Apart from those that other feeds are drawn from.
constexpr uint64_t gradient_stream = uint64_t{1} << 32;

FedGraph fed_graph(uint64_t k, uint64_t feeds) {
  const uint64_t in_block = k % (graphs_together * feeds);
  return {k / (graphs_together * feeds) * graphs_together + in_block % graphs_together, in_block / graphs_together};
}

// One graph in that many still holds calls that are known to be wrong on every target, so that it shows when they are
// mended.
constexpr uint64_t graphs_a_known = 8;

// What the other graphs are drawn from, where there are such calls.
std::optional<Vocabulary> words_for_news(const std::vector<const Target*>& targets, const KnownFindings& known) {
  if (std::ranges::all_of(known.entries(), [](const KnownFinding& entry) { return entry.avoid.empty(); })) {
    return std::nullopt;
  }
  return Vocabulary::taken_by(targets, [&](const Op& op, DType dtype) {
    return !std::ranges::all_of(
        targets, [&](const Target* target) { return known.avoids(op, dtype, target->name(), target->versions()); });
  });
}

// A status line that overwrites itself on a terminal, and nothing in a log.
void show_progress(const std::map<std::string, int64_t>& cases, std::size_t findings, double seconds) {
  if (!isatty(STDERR_FILENO)) return;
  std::string line = fmt::format("\r{:5.0f} s", seconds);
  for (const auto& [target, judged] : cases) {
    line += fmt::format(" · {} {} ({:.0f}/s)", target, judged, static_cast<double>(judged) / std::max(seconds, 1e-3));
  }
  fmt::print(stderr, "{} · {} findings ", line, findings);
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
    TRY(model, imported_case(file, {}, 1));
  }
  TRY(Around around, Around::of(std::move(model)));
  return around;
}

// What makes two campaigns the same one: their cases, and who judges them how.
Result<std::string> describe(const FuzzFlags& flags, const CampaignOptions& options,
                             const std::optional<Around>& around) {
  std::string known;
  if (!flags.known.empty()) {
    TRY(known, read_text_file(flags.known));
  }
  const nlohmann::json json = {{"parallax", PARALLAX_VERSION},
                               {"targets", options.targets},
                               {"faults", flags.target_options.faults},
                               {"detect", detect_text(flags.target_options.detect)},
                               {"passes", flags.target_options.selection.passes},
                               {"stop_after", flags.target_options.selection.stop_after},
                               {"seed", options.seed},
                               {"profile", flags.profile},
                               {"graphs", flags.graphs.value_or(0)},
                               {"seconds", options.seconds.value_or(0)},
                               {"nodes", {flags.min_nodes, flags.max_nodes}},
                               {"feeds", flags.feeds},
                               {"shard", flags.shard},
                               {"base", flags.base},
                               {"around", around ? short_id(to_json(around->model()), 13) : ""},
                               {"repeat", flags.repeat},
                               {"gradients", flags.gradients},
                               {"pack", flags.pack},
                               {"reduce", options.reduce},
                               {"known", known.empty() ? "" : short_id(known, 13)}};
  return json.dump();
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

Result<int> fuzz(const FuzzFlags& flags) {
  if (flags.min_nodes < 1 || flags.max_nodes < flags.min_nodes)
    return fail("--nodes {}..{}: not a range", flags.min_nodes, flags.max_nodes);
  CampaignOptions options;
  options.targets = flags.targets.empty() ? default_targets(flags.target_options) : flags.targets;
  TRY_VOID(ask_for_validation(flags.validate, options.targets));
  options.target_options = flags.target_options;
  options.seed = flags.seed ? *flags.seed : random_seed();
  options.jobs = jobs_or_cores(flags.jobs);
  options.seconds = flags.seconds;
  if (!flags.graphs && !flags.seconds) options.seconds = 60;
  options.reduce = options.controls = !flags.no_reduce;
  options.pack = flags.pack;
  options.repeat = flags.repeat;
  options.base = flags.base;
  if (flags.feeds > 1) options.cases_a_turn = graphs_together * flags.feeds;
  options.findings = flags.findings;
  TRY_VOID(read_shard(flags.shard, options));
  if (!flags.shard.empty() && !flags.seed)
    return fail("--shard {}: it needs the --seed that all shards share", flags.shard);
  if (!flags.known.empty()) {
    TRY(options.known, KnownFindings::read(flags.known, today()));
  }
  TRY(const std::optional<Around> around, open_model(flags.around));
  TRY(options.description, describe(flags, options, around));
  options.fresh = flags.fresh;
  options.on_resume = [](int64_t cases) {
    fmt::print(stderr, "goes on with a campaign that was cut off after {} cases; --fresh begins anew\n", cases);
  };
  std::optional<Vocabulary> words;
  std::optional<Vocabulary> news;  // without calls that are known to be wrong; absent where none is
  GenerateOptions generate_options{generate_profile(flags.profile), flags.min_nodes, flags.max_nodes};
  if (around) generate_options.around = &*around;
  options.on_open = [&](const std::vector<const Target*>& targets) {
    generate_options.words = &words.emplace(Vocabulary::taken_by(targets));
    news = words_for_news(targets, options.known);
  };
  options.source = [&](uint64_t k) -> std::optional<Case> {
    if (flags.graphs && k >= *flags.graphs) return std::nullopt;
    const FedGraph place = fed_graph(k, flags.feeds);
    Choices choices(options.seed, place.graph);
    GenerateOptions case_options = generate_options;
    if (news && place.graph % graphs_a_known != 0) case_options.words = &*news;
    Case test = generate(choices, case_options);
    test.name = fmt::format("seed {} case {}", options.seed, place.graph);
    if (place.feed > 0) {
      Choices others(mix(options.seed, place.feed), place.graph);
      redraw_feed(others, weights_of(generate_options.profile), test);
      test.name += fmt::format(" feed {}", place.feed);
    }
    if (flags.gradients && !has_several_runs(test)) {
      Choices drawn(mix(options.seed, gradient_stream), k);
      draw_gradient(drawn, test);
    }
    return test;
  };
  options.on_progress = show_progress;
  Histogram histogram;
  // Every target sees the same cases: they are counted for the first.
  options.on_case = [&](const std::string& target, uint64_t, const Case& test, const Examination& examination) {
    if (target == options.targets.front()) histogram.add(test.graph, examination.outcome.reused_slots);
  };
  options.save_more = [&] { return histogram.to_json(); };
  options.restore_more = [&](const std::string& text) -> Result<void> {
    TRY(histogram, Histogram::from_json(text));
    return {};
  };
  fmt::print(
      stderr, "seed {}  profile {}  targets {}{}\n", options.seed, flags.profile, fmt::join(options.targets, " "),
      flags.target_options.faults.empty() ? ""
                                          : fmt::format("  PLANTED {}", fmt::join(flags.target_options.faults, " ")));
  options.on_missing = report_error;
  TRY(CampaignResult result, run_campaign(options));
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\n");
  if (flags.json) {
    fmt::print("{}\n", summary_json(result, options.seed));
  } else {
    fmt::print("{}{}{}", histogram.text(), summary_text(result), known_text(options.known, result));
    const auto known =
        std::ranges::count_if(result.findings, [](const CampaignFinding& found) { return found.known.has_value(); });
    fmt::print("{} diverged", result.findings.size() - static_cast<std::size_t>(known));
    fmt::print("{}\n", known > 0 ? fmt::format(", {} known", known) : "");
  }
  return exit_code_of(result, 1);
}

}  // namespace

void add_fuzz_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<FuzzFlags>();
  CLI::App* command =
      program.add_subcommand("fuzz", "Random graphs through targets; what diverges is reduced, explained and kept.");
  command->footer(
      "Examples:\n"
      "  parallax fuzz --profile alias --seconds 60\n"
      "  parallax fuzz --target portable --target executorch-portable --seed 7 --graphs 1000\n"
      "  parallax fuzz --around model.pt2 --target executorch-xnnpack --seconds 600\n"
      "The seed is printed first; --seed S --graphs N gives the same cases whatever --jobs is. Graphs are of the ops "
      "that\n"
      "all of the targets take. A campaign that was killed goes on when the same command is given again: how far it "
      "was\n"
      "is in FINDINGS/campaigns.db.");
  command
      ->add_option("--target", flags->targets,
                   "What to drive (see parallax targets); repeatable. Default: ours and every installed one")
      ->type_name("TARGET");
  add_profile_option(*command, flags->profile);
  command->add_option("--graphs", flags->graphs, "Stop after this many graphs a target");
  command->add_option("--seconds", flags->seconds, "Stop after this many seconds (60 if neither is given)")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", flags->seed, "Seed of the graphs; random and printed if not given");
  command->add_option("--jobs", flags->jobs, "Threads; default: one a core");
  command
      ->add_option("--feeds", flags->feeds,
                   "Feeds a graph; --graphs counts each. A target may lower a graph once for all of them")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--min-nodes", flags->min_nodes, "Fewest nodes a graph")->capture_default_str();
  command->add_option("--max-nodes", flags->max_nodes, "Most nodes a graph")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  add_target_options(*command, flags->target_options);
  add_validate_flag(*command, flags->validate);
  command->add_option("--findings", flags->findings, "Folder that findings are kept in")->capture_default_str();
  command->add_option(
      "--known", flags->known,
      "Findings that are not news, as parallax known writes them: counted, and no reason for exit code 1");
  command->add_option("--shard", flags->shard, "I/N: the I-th of N parts of the graphs of --seed, for N machines");
  command
      ->add_option("--base", flags->base,
                   "A target that must be right, as an older version is: what it gets wrong too is only counted")
      ->type_name("TARGET");
  command
      ->add_option("--around", flags->around,
                   "A model (case file, .pt2, .onnx or FILE.py:NAME): graphs are connected parts of it with its shapes "
                   "and\nweights, and other calls, views and writes in between")
      ->type_name("MODEL");
  add_repeat_option(*command, flags->repeat);
  command->add_flag(
      "--gradients", flags->gradients,
      "Ask for gradients too, where a graph has some (pytorch-eager, torch-aot-eager, torch-inductor, thunder)");
  command->add_flag("--no-reduce", flags->no_reduce,
                    "Keep findings as they were generated, without their stages and controls");
  command->add_flag("--fresh", flags->fresh, "Begin anew where the same campaign was cut off");
  command->add_flag("--pack", flags->pack, "Several cases a program, on targets that ask for it");
  command->add_flag("--json", flags->json, "The summary as JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(fuzz(*flags)); });
}

}  // namespace parallax
