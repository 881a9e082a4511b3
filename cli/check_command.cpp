// parallax check: one case, judged, with the reason.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "backends/lost_target.h"
#include "backends/runtime/executor.h"
#include "cli/bits_json.h"
#include "cli/check_report.h"
#include "cli/command.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "cli/validation.h"
#include "cli/whole_program.h"
#include "corpus/check_line.h"
#include "corpus/closing_lines.h"
#include "fuzz/findings/adjudicate.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/findings/repeats.h"
#include "fuzz/generate/drawn_runs.h"
#include "graph/print.h"
#include "graph/runs.h"
#include "graph/whole_file.h"
#include "oracle/bounds_by_node.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

struct CheckFlags {
  std::string path;
  std::vector<std::string> targets;
  TargetOptions target_options;
  std::string after;        // a case that runs before, in the same process
  std::string print_after;  // a pass of our own compiler, or "all"
  int repeat = 0;
  int sizes = 0;
  uint64_t seed = 0;
  double part_seconds = 20;
  std::string html;
  bool validate = false;
  bool explain = false;
  bool json = false;
};

// Node by node, how sure the oracle is of what it holds a target of that profile against.
Json certainty(const Case& test, const Profile& profile) {
  Json rows = Json::array();
  const auto bounds = bounds_by_node(test.graph, profile, test.feed);
  if (!bounds) return rows;
  for (const NodeBound& bound : *bounds) {
    rows.push_back({{"node", node_text(test.graph, bound.node)}, {"bound", describe(bound)}});
  }
  return rows;
}

void print_certainty(const Json& rows, const Profile& profile) {
  fmt::print("  how sure the oracle is, node by node (profile {}):\n", profile.name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("    #{:<3} {}\n         {}\n", i, rows[i]["node"].get<std::string>(),
               rows[i]["bound"].get<std::string>());
  }
}

// " · fused 1 of 2": the quantized calls that ran on integers.
std::string fused_text(const Outcome& outcome) {
  if (outcome.fusable <= 0 || outcome.fused < 0) return "";
  return fmt::format(" · fused {} of {}", std::min(outcome.fused, outcome.fusable), outcome.fusable);
}

void print_partitions(const std::vector<std::string>& lines) {
  if (!lines.empty()) fmt::print("  who computes what:\n");
  for (const std::string& line : lines) fmt::print("    {}\n", line);
}

// The graph after a pass of our own compiler, or after each of them; to standard error where the result is JSON.
Result<void> print_after(const CheckFlags& flags, const Graph& graph) {
  CompileOptions options;
  TRY(options.faults, FaultSet::of(flags.target_options.faults));
  options.selection = flags.target_options.selection;
  options.evaluate = runtime::evaluate;
  bool found = false;
  const auto show = [&](const Pass& pass, const Graph&, const Graph& after) {
    if (flags.print_after != "all" && flags.print_after != pass.name) return;
    found = true;
    fmt::print(flags.json ? stderr : stdout, "after {}:\n{}", pass.name, parallax::print(after));
  };
  TRY_VOID(compile(graph, options, show));
  if (!found) return fail("--print-after {}: no such pass runs", flags.print_after);
  return {};
}

// At how many sizes a case with symbols ran, and what the target made of them; empty for any other.
std::string sizes_text(const Case& test, const Outcome& outcome) {
  if (test.symbols.empty() || outcome.status != Status::Ok) return "";
  std::set<SymbolSizes> sizes;
  for (std::size_t run = 0; run <= test.later.size(); ++run) sizes.insert(sizes_of_run(test, run));
  std::string text = fmt::format(" · at {} sizes", sizes.size());
  if (!outcome.specialized.empty()) text += fmt::format(" · specialized {}", fmt::join(outcome.specialized, ", "));
  if (outcome.recompiled >= 0) text += fmt::format(" · recompiled {}", outcome.recompiled);
  return text;
}

Result<int> check(const CheckFlags& flags) {
  TRY(Case test, read_one_case(flags.path));
  if (flags.sizes > 0) {
    auto drawn = with_drawn_runs(test, static_cast<std::size_t>(flags.sizes), flags.seed);
    if (!drawn) return fail("--sizes {}: {}", flags.sizes, drawn.error().text());
    test = *std::move(drawn);
  }
  std::optional<Case> earlier;
  if (!flags.after.empty()) {
    TRY(earlier, read_one_case(flags.after));
  }
  if (!flags.print_after.empty()) TRY_VOID(print_after(flags, test.graph));
  std::vector<std::string> targets = expanded(flags.targets, flags.target_options);
  TRY_VOID(ask_for_validation(flags.validate, targets));
  const FindingOptions options{.target_options = flags.target_options, .reduce = false, .repeat = flags.repeat};
  int code = nothing_new;
  Json rows = Json::array();
  CheckReport page = check_report(test);
  if (flags.explain && !flags.json) fmt::print("{}", parallax::print(test.graph));
  for (const std::string& name : targets) {
    TRY(std::unique_ptr<Target> target, open_target(name, flags.target_options));
    if (earlier) examine_anew(*target, *earlier);
    Examination examination = examine_until_wrong(*target, test, flags.repeat);
    if (auto lost = lost_target(examination.outcome)) return std::unexpected(*std::move(lost));
    std::string adjudged;
    Case judged = test;
    if (examination.judgement.verdict == Verdict::Suspect) {
      Adjudication adjudication = adjudicate(*target, test);
      adjudged = fmt::format(" · unproven in {} checks", adjudication.checks);
      if (adjudication.proof) {
        judged = std::move(adjudication.proof->test);
        examination = std::move(adjudication.proof->examination);
        adjudged = fmt::format("a suspect, proved {}\n", adjudication.proof->by);
      }
    }
    const Judgement& judgement = examination.judgement;
    const CloserLook closer = look_closer(*target, judged, examination, flags.part_seconds);
    if (is_finding(judgement.verdict) || closer.wrong) code = diverged;
    std::string story;
    Finding finding;
    const bool is_told = flags.explain || !flags.json || !flags.html.empty();
    if (closer.wrong && is_told) {
      finding = make_finding(*target, closer.wrong->test, closer.wrong->examination, options).finding;
      story = fmt::format("{}{} · {} of the whole{}, and a part of it diverges\n{}", adjudged, name,
                          parallax::name(judgement.verdict), judgement.reason.empty() ? "" : ": " + judgement.reason,
                          finding.explanation);
    } else if (judgement.verdict == Verdict::Mismatch && is_told && is_network(judged)) {
      // Where no part was found that shows it: how to show it again, and the target is asked for nothing more.
      finding.target = name;
      finding.planted = flags.target_options.faults;
      story = fmt::format("{}{} · {} · {}\n", adjudged, name, parallax::name(judgement.verdict), judgement.reason);
    } else if (is_finding(judgement.verdict) && is_told) {
      finding = make_finding(*target, judged, examination, options).finding;
      story = fmt::format("{}{}", adjudged, finding.explanation);
    }
    if (!story.empty()) {
      const auto after = flags.after.empty() ? std::nullopt : std::optional(flags.after);
      story += fmt::format("{}  reproduce: {}\n", closing_lines(finding), check_command(finding, flags.path, after));
    }
    const Json bounds = flags.explain ? certainty(test, target->profile()) : Json::array();
    const std::vector<std::string> partitions = flags.explain ? target->partitions(test) : std::vector<std::string>();
    rows.push_back({{"target", name},
                    {"verdict", parallax::name(judgement.verdict)},
                    {"reason", judgement.reason},
                    {"explanation", story},
                    {"shown_bits", bits_json(judgement)},
                    {"first_wrong_operation", closer.first_wrong},
                    {"parts", closer.text},
                    {"grade", finding.grade ? std::string(parallax::name(*finding.grade)) : ""},
                    {"blame", finding.blame},
                    {"cause", finding.cause},
                    {"specialized", examination.outcome.specialized},
                    {"recompiled", examination.outcome.recompiled},
                    {"wrong", finding.repeats ? finding.repeats->wrong : 0},
                    {"runs", finding.repeats ? finding.repeats->runs : 0},
                    {"partitions", partitions},
                    {"bounds", bounds}});
    if (!flags.html.empty()) {
      page.targets.push_back(checked_target(*target, test, judgement.verdict, judgement.reason, story + closer.text));
    }
    if (flags.json) continue;
    if (story.empty()) {
      fmt::print("{} · {}{}{}{}{}{}\n", name, parallax::name(judgement.verdict), judgement.reason.empty() ? "" : " · ",
                 judgement.reason, adjudged, sizes_text(judged, examination.outcome), fused_text(examination.outcome));
    } else {
      fmt::print("{}", story);
    }
    if (const std::string bits = bits_text(judgement); !bits.empty() && flags.explain) fmt::print("  {}\n", bits);
    fmt::print("{}", closer.text);
    if (flags.explain) {
      print_partitions(partitions);
      print_certainty(bounds, target->profile());
    }
  }
  if (!flags.html.empty()) {
    draw(test, page);
    TRY_VOID(write_whole_file(flags.html, {check_page(page)}));
  }
  if (flags.json) fmt::print("{}\n", rows.dump(2));
  return code;
}

}  // namespace

void add_check_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program.add_subcommand("check", "One case, judged, with the reason.");
  command->footer(
      "Examples:\n"
      "  parallax check corpus/cases/seeds/s1-numeric-clone.json --target portable\n"
      "  parallax check corpus/cases/seeds/s1-numeric-clone.json --target portable --plant F01 --explain");
  command->add_option("case", flags->path, "A case file")->required()->transform(existing_file());
  command->add_option("--target", flags->targets, "What to drive; repeatable. Default: ours and every installed one")
      ->type_name("TARGET");
  add_target_options(*command, flags->target_options);
  command->add_option("--after", flags->after, "A case that runs first in the same process")
      ->transform(existing_file())
      ->type_name("CASE");
  add_validate_flag(*command, flags->validate);
  command
      ->add_option("--print-after", flags->print_after,
                   "Print the graph after this pass of our own compiler, or after all of them")
      ->type_name("PASS");
  add_repeat_option(*command, flags->repeat);
  command
      ->add_option(
          "--sizes", flags->sizes,
          "Of a case with symbols: so many runs of one program, each at sizes of its own; what is fed is drawn")
      ->check(CLI::Range(2, 64))
      ->type_name("N");
  command->add_option("--seed", flags->seed, "Seed of what --sizes draws")->capture_default_str();
  command
      ->add_option("--part-seconds", flags->part_seconds,
                   "How long to judge a long program part by part, or to look where it deviates; 0: not at all")
      ->capture_default_str()
      ->check(number_from(0))
      ->type_name("SECONDS");
  command
      ->add_option("--html", flags->html,
                   "Also write a page: the graph coloured by how far each value is from the program in double, target "
                   "beside eager")
      ->check(writable_file());
  command->add_flag("--explain", flags->explain, "Print the graph, and why it is judged so");
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(check(*flags)); });
}

}  // namespace parallax
