// parallax faults: the bugs that can be planted in our own compiler.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ranges>

#include "cli/command.h"
#include "compiler/faults.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Fault& fault) {
  return {{"id", fault.id},           {"name", fault.name},       {"place", fault.place},
          {"summary", fault.summary}, {"seen_in", fault.seen_in}, {"target", fault.target}};
}
Json json_of(const Mutant& mutant) {
  return {
      {"id", mutant.id},           {"name", mutant.name},    {"place", mutant.file.part},  {"file", mutant.file.path},
      {"kind", name(mutant.kind)}, {"summary", mutant.what}, {"harmless", mutant.harmless}};
}

std::string text_of(const Fault& fault) {
  const std::string shown = fault.target == FaultSet().target() ? "" : fmt::format("     shows on {}\n", fault.target);
  return fmt::format("{}  {}  ({})\n     {}\n     seen in {}\n{}", fault.id, fault.name, fault.place, fault.summary,
                     fault.seen_in, shown);
}
std::string text_of(const Mutant& mutant) {
  return fmt::format("{}  {}  ({})\n     {}\n     {}, {}\n", mutant.id, mutant.name, mutant.file.part, mutant.what,
                     name(mutant.kind), mutant.file.path);
}

const Fault& dereference(const Fault* fault) { return *fault; }

// Faults or mutants.
template <class Bugs>
void list(const Bugs& bugs, bool json) {
  Json rows = Json::array();
  for (const auto& bug : bugs) {
    if (json) {
      rows.push_back(json_of(bug));
    } else {
      fmt::print("{}", text_of(bug));
    }
  }
  if (json) fmt::print("{}\n", rows.dump(2));
}

}  // namespace

void add_faults_command(CLI::App& program, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  auto mutants = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("faults", "The bugs that --plant can switch on in our own compiler.");
  command->footer("Examples:\n  parallax faults\n  parallax faults --mutants --json");
  command->add_flag("--mutants", *mutants,
                    "The slips that `score --mutants` draws from instead; --plant takes them too");
  command->add_flag("--json", *json, "As JSON on standard output");
  command->callback([json, mutants, &exit_code] {
    *mutants ? list(all_mutants, *json) : list(all_faults | std::views::transform(dereference), *json);
    exit_code = nothing_new;
  });
}

}  // namespace parallax
