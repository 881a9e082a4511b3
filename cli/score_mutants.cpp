#include "cli/score_mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "cli/command.h"
#include "cli/score_rows.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

constexpr std::string_view by_crash = "crash";

const Mutant& mutant_of(const Json& row) {
  return **std::ranges::find(all_mutants, row["id"].get<std::string>(), &Mutant::id);
}

// Whether "values", another detector, or a crash of the compiler itself killed it.
bool killed_by(const Json& row, std::string_view detector) {
  if (row.contains("crashed")) return detector == by_crash;
  return detector != by_crash && row[std::string(detector)]["found"].get<bool>();
}

std::vector<std::string_view> all_detectors() {
  std::vector<std::string_view> all = {"values", by_crash};
  all.insert(all.end(), other_detectors.begin(), other_detectors.end());
  return all;
}

bool is_killed(const Json& row) {
  return std::ranges::any_of(all_detectors(), [&](std::string_view detector) { return killed_by(row, detector); });
}

std::string mutant_text(const Json& row) {
  const Mutant& mutant = mutant_of(row);
  std::string fate;
  if (row.contains("crashed")) {
    const int signal = row["crashed"].get<int>();
    fate =
        signal == SIGALRM ? "killed: does not end" : fmt::format("killed: brings the process down (signal {})", signal);
  } else if (row["values"]["found"].get<bool>()) {
    fate = fmt::format("killed by a {} at graph {}, {:.2f} s {}", row["verdict"].get<std::string>(),
                       row["values"]["graphs"].get<uint64_t>(), row["values"]["seconds"].get<double>(),
                       detector_text(row));
  } else {
    fate = fmt::format("{} in {} graphs, {:.1f} s {}", is_killed(row) ? "not by its values" : "SURVIVED",
                       row["values"]["graphs"].get<uint64_t>(), row["values"]["seconds"].get<double>(),
                       detector_text(row));
  }
  return fmt::format("{}  {}\n     {} ({}, {})\n", mutant.id, fate, mutant.what, name(mutant.kind), mutant.file);
}

Json mutants_summary(const std::vector<Json>& rows) {
  Json summary = {{"mutants", rows.size()}, {"killed", std::ranges::count_if(rows, is_killed)}};
  for (std::string_view detector : all_detectors()) {
    summary[std::string(detector)] =
        std::ranges::count_if(rows, [&](const Json& row) { return killed_by(row, detector); });
  }
  summary["survived"] = Json::array();
  summary["harmless"] = Json::array();
  summary["killed_though_harmless"] = Json::array();
  for (const Json& row : rows) {
    const bool harmless = !mutant_of(row).harmless.empty();
    const bool killed = is_killed(row);
    if (!killed) summary[harmless ? "harmless" : "survived"].push_back(row["id"]);
    if (killed && harmless) summary["killed_though_harmless"].push_back(row["id"]);
  }
  return summary;
}

// A line for each of these mutants, with that text of it; nothing where there are none.
std::string list_of(const Json& ids, std::string_view title, std::string_view Mutant::* said) {
  if (ids.empty()) return "";
  std::string text = fmt::format("{}:\n", title);
  for (const Json& id : ids) {
    const Mutant& mutant = mutant_of({{"id", id}});
    text += fmt::format("  {}  {}, {}: {}\n", mutant.id, mutant.file, mutant.name, mutant.*said);
  }
  return text;
}

std::string summary_text(const Json& summary) {
  const auto killed = summary["killed"].get<double>();
  const auto mutants = summary["mutants"].get<double>();
  std::string text = fmt::format("{} of {} killed ({:.0f} %):", killed, mutants, 100 * killed / std::max(mutants, 1.0));
  for (std::string_view detector : all_detectors()) {
    text += fmt::format("  {} {}", detector, summary[std::string(detector)].get<int64_t>());
  }
  text += "\n";
  text += list_of(summary["survived"], "Survivors, each a gap of the fuzzer or of the oracle", &Mutant::what);
  text += list_of(summary["harmless"], "Survivors that nothing can show", &Mutant::harmless);
  text += list_of(summary["killed_though_harmless"], "Killed, although it is said that nothing can show them",
                  &Mutant::harmless);
  return text;
}

}  // namespace

Result<int> score_mutants(std::size_t count, ScoreOptions options, int jobs, bool json) {
  options.reduce_seconds = 0;  // what kills a mutant is of interest, not how small it gets
  const auto tell = [&](const Json& row) {
    if (!json) fmt::print("{}", mutant_text(row));
    std::fflush(stdout);
  };
  TRY(std::vector<Json> rows, score_in_children(draw_mutants(count, options.seed), options, jobs, tell));
  for (Json& row : rows) {
    const Mutant& mutant = mutant_of(row);
    row.update({{"name", mutant.name}, {"file", mutant.file}, {"kind", name(mutant.kind)}, {"what", mutant.what}});
    row["killed"] = is_killed(row);
  }
  const Json summary = mutants_summary(rows);
  if (json) {
    fmt::print("{}\n", Json{{"seed", options.seed}, {"mutants", rows}, {"all", summary}}.dump(2));
  } else {
    fmt::print("{}", summary_text(summary));
  }
  return nothing_new;
}

}  // namespace parallax
