// parallax score: each planted fault fuzzed for in turn: found or not, how soon, how small, and the blame.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/profile_option.h"
#include "cli/score_mutants.h"
#include "cli/score_rows.h"
#include "cli/score_tune.h"
#include "cli/target_options.h"
#include "compiler/faults.h"
#include "core/grouped_digits.h"
#include "fuzz/score/score.h"

namespace parallax {
namespace {

struct ScoreFlags {
  std::vector<std::string> faults;
  std::optional<std::size_t> mutants;
  int tune = 0;  // rounds
  std::string profile = "all";
  ScoreOptions options;
  int jobs = 0;
  bool json = false;
};

bool found(const Json& row) { return row.contains("crashed") || seen_by(row, Detector::Values)["found"].get<bool>(); }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// Of the rows that the values found.
Json summary_of(const std::vector<Json>& rows) {
  Json json = {{"faults", rows.size()}};
  std::vector<double> graphs;
  std::vector<double> seconds;
  std::vector<double> nodes;
  int64_t right = 0;
  int64_t hits = 0;
  for (const Json& row : rows) {
    hits += found(row);
    if (!row.contains("nodes")) continue;
    const Json& values = seen_by(row, Detector::Values);
    graphs.push_back(values["graphs"].get<double>());
    seconds.push_back(values["seconds"].get<double>());
    nodes.push_back(row["nodes"].get<double>());
    right += row["blame_is_right"].get<bool>();
  }
  json["found"] = hits;
  json["median_graphs"] = median(graphs);
  json["median_seconds"] = median(seconds);
  json["median_nodes"] = median(nodes);
  json["blame_is_right"] = right;
  for (const Detector detector : optional_detectors) {
    json[std::string(name(detector))] = std::ranges::count_if(
        rows, [&](const Json& row) { return !row.contains("crashed") && seen_by(row, detector)["found"].get<bool>(); });
  }
  return json;
}

std::string row_text(const Json& row) {
  const std::string id = row["id"];
  if (row.contains("crashed"))
    return fmt::format("{}  brings the process down (signal {})\n", id, row["crashed"].get<int>());
  const Json& values = seen_by(row, Detector::Values);
  if (!values["found"].get<bool>()) {
    return fmt::format("{}  not found in {} graphs, {:.1f} s {}\n", id, values["graphs"].get<uint64_t>(),
                       values["seconds"].get<double>(), detector_text(row));
  }
  return fmt::format("{}  {} at graph {}, {:.2f} s, reduced to {}, blames {}{} {}\n", id,
                     row["verdict"].get<std::string>(), values["graphs"].get<uint64_t>(),
                     values["seconds"].get<double>(), counted(row["nodes"].get<int64_t>(), "node"),
                     row["blame"].get<std::string>().empty() ? "nothing" : row["blame"].get<std::string>(),
                     row["blame_is_right"].get<bool>() ? "" : " (wrong)", detector_text(row));
}

std::string summary_line(std::string_view half, const Json& summary) {
  std::string line = fmt::format("{}: {} of {} found; medians: {} graphs, {:.2f} s, {} nodes; blame right for {}", half,
                                 summary["found"].get<int64_t>(), summary["faults"].get<std::size_t>(),
                                 summary["median_graphs"].get<double>(), summary["median_seconds"].get<double>(),
                                 summary["median_nodes"].get<double>(), summary["blame_is_right"].get<int64_t>());
  std::string_view before = "; ";
  for (const Detector detector : optional_detectors) {
    line += fmt::format("{}{} {}", std::exchange(before, ", "), name(detector),
                        summary[std::string(name(detector))].get<int64_t>());
  }
  return line + "\n";
}

Result<int> score(const ScoreFlags& flags) {
  ScoreOptions options = flags.options;
  options.profile = generate_profile(flags.profile);
  if (flags.mutants) {
    if (!flags.faults.empty()) return fail("--mutants draws what it plants: leave --plant away");
    return score_mutants(*flags.mutants, options, jobs_or_cores(flags.jobs), flags.json);
  }
  if (flags.tune > 0) {
    if (!flags.faults.empty()) return fail("--tune plants the faults with odd ids: leave --plant away");
    return tune_weights(flags.tune, options, jobs_or_cores(flags.jobs));
  }
  TRY_VOID(FaultSet::of(flags.faults));
  std::vector<std::string> ids = flags.faults;
  if (ids.empty()) {
    for (const Fault* fault : all_faults) ids.emplace_back(fault->id);
  }
  const auto tell = [&](const Json& row) {
    if (!flags.json) fmt::print("{}", row_text(row));
    std::fflush(stdout);
  };
  TRY(const std::vector<Json> all, score_in_children(ids, options, jobs_or_cores(flags.jobs), tell));
  std::vector<Json> tuned;
  std::vector<Json> held_out;
  for (const Json& row : all) (is_held_out(row["id"].get<std::string>()) ? held_out : tuned).push_back(row);
  if (flags.json) {
    const Json json = {{"seed", options.seed},   {"profile", flags.profile},   {"faults", all},
                       {"all", summary_of(all)}, {"tuned", summary_of(tuned)}, {"held_out", summary_of(held_out)}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}{}{}", summary_line("all", summary_of(all)), summary_line("tuned (odd ids)", summary_of(tuned)),
               summary_line("held out (even ids)", summary_of(held_out)));
  }
  return std::ranges::all_of(all, found) ? nothing_new : diverged;
}

}  // namespace

void add_score_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ScoreFlags>();
  CLI::App* command =
      program.add_subcommand("score", "How soon fuzzing finds each fault that can be planted in our own compiler.");
  command->footer(
      "Exit code 0: every fault was found by the values that came out. The other detectors are asked apart, over the "
      "same\n"
      "graphs and for a quarter of the time. With --mutants it is 0 whatever survives: some mutants change nothing "
      "that\n"
      "can be seen, and which do is for a person to say.\n"
      "\nExamples:\n"
      "  parallax score --seconds 10 --plant F01 --plant F08\n"
      "  parallax score --mutants 20 --seed 1");
  command->add_option("--plant", flags->faults, "Score these only (see parallax faults); repeatable")
      ->type_name("FAULT");
  command
      ->add_option("--mutants", flags->mutants,
                   "Score this many slips in the planner and the passes instead, drawn by the seed; all if so many")
      ->check(whole_number(1));
  command
      ->add_option("--tune", flags->tune,
                   "Tune the profile's weights for so many rounds on the faults with odd ids instead, and print them")
      ->check(whole_number(1));
  command->add_flag("--feedback", flags->options.feedback,
                    "Edit graphs that show something new, as a coverage-guided engine does; asks the values alone");
  command->add_option("--seconds", flags->options.seconds, "The most that a fault may take")
      ->capture_default_str()
      ->check(number_over(0));
  command->add_option("--graphs", flags->options.graphs, "The most graphs that a fault may take")
      ->check(whole_number(1));
  command->add_option("--seed", flags->options.seed, "Seed of the graphs")->capture_default_str();
  add_profile_option(*command, flags->profile);
  command->add_option("--jobs", flags->jobs, "Faults at once; 0: as many as there are cores")
      ->capture_default_str()
      ->check(whole_number(0, 1000));
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(score(*flags)); });
}

}  // namespace parallax
