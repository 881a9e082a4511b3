#include "cli/score_mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>

#include "cli/command.h"
#include "cli/score_rows.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

const Mutant& mutant_of(const Json& row) { return *find_mutant(row["id"].get<std::string>()); }

// What may kill a mutant: a detector; or nothing of ours, where the compiler itself crashes.
using Killer = std::optional<Detector>;
constexpr Killer crash = std::nullopt;
constexpr std::array killers = {Killer(Detector::Values), crash, Killer(Detector::Plan), Killer(Detector::Sanitizer),
                                Killer(Detector::Passes)};

std::string name_of(Killer killer) { return std::string(killer ? name(*killer) : "crash"); }

bool killed_by(const Json& row, Killer killer) {
  if (row.contains("crashed")) return killer == crash;
  return killer && seen_by(row, *killer)["found"].get<bool>();
}

bool is_killed(const Json& row) {
  return std::ranges::any_of(killers, [&](Killer killer) { return killed_by(row, killer); });
}

std::string fate_of(const Json& row) {
  if (row.contains("crashed")) {
    const int signal = row["crashed"].get<int>();
    return signal == SIGALRM ? "killed: does not end"
                             : fmt::format("killed: brings the process down (signal {})", signal);
  }
  const Json& values = seen_by(row, Detector::Values);
  const auto graphs = values["graphs"].get<uint64_t>();
  const auto seconds = values["seconds"].get<double>();
  if (values["found"].get<bool>()) {
    return fmt::format("killed by a {} at graph {}, {:.2f} s {}", row["verdict"].get<std::string>(), graphs, seconds,
                       detector_text(row));
  }
  return fmt::format("{} in {} graphs, {:.1f} s {}", is_killed(row) ? "not by its values" : "SURVIVED", graphs, seconds,
                     detector_text(row));
}

std::string mutant_text(const Json& row) {
  const Mutant& mutant = mutant_of(row);
  const std::string fate = fate_of(row);
  return fmt::format("{}  {}\n     {} ({}, {})\n", mutant.id, fate, mutant.what, name(mutant.kind), mutant.file.path);
}

Json mutants_summary(const std::vector<Json>& rows) {
  Json summary = {{"mutants", rows.size()}, {"killed", std::ranges::count_if(rows, is_killed)}};
  for (const Killer killer : killers) {
    summary[name_of(killer)] = std::ranges::count_if(rows, [&](const Json& row) { return killed_by(row, killer); });
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
    text += fmt::format("  {}  {}, {}: {}\n", mutant.id, mutant.file.path, mutant.name, mutant.*said);
  }
  return text;
}

std::string summary_text(const Json& summary) {
  const auto killed = summary["killed"].get<double>();
  const auto mutants = summary["mutants"].get<double>();
  std::string text = fmt::format("{} of {} killed ({:.0f} %):", killed, mutants, 100 * killed / std::max(mutants, 1.0));
  for (const Killer killer : killers) {
    text += fmt::format("  {} {}", name_of(killer), summary[name_of(killer)].get<int64_t>());
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
    row.update({{"name", mutant.name}, {"file", mutant.file.path}, {"kind", name(mutant.kind)}, {"what", mutant.what}});
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
