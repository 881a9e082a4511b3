// parallax faults: the bugs that can be planted in our own compiler.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "compiler/faults.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

void list_faults(bool json) {
  Json rows = Json::array();
  for (const Fault* fault : all_faults) {
    rows.push_back({{"id", fault->id},
                    {"name", fault->name},
                    {"place", fault->place},
                    {"summary", fault->summary},
                    {"seen_in", fault->seen_in},
                    {"target", fault->target}});
    if (json) continue;
    fmt::print("{}  {}  ({})\n     {}\n     seen in {}\n", fault->id, fault->name, fault->place, fault->summary,
               fault->seen_in);
    if (fault->target != FaultSet().target()) fmt::print("     shows on {}\n", fault->target);
  }
  if (json) fmt::print("{}\n", rows.dump(2));
}

void list_mutants(bool json) {
  Json rows = Json::array();
  for (const Mutant* mutant : all_mutants) {
    rows.push_back({{"id", mutant->id},
                    {"name", mutant->name},
                    {"place", mutant->part},
                    {"file", mutant->file},
                    {"kind", name(mutant->kind)},
                    {"summary", mutant->what}});
    if (json) continue;
    fmt::print("{}  {}  ({})\n     {}\n     {}, {}\n", mutant->id, mutant->name, mutant->part, mutant->what,
               name(mutant->kind), mutant->file);
  }
  if (json) fmt::print("{}\n", rows.dump(2));
}

}  // namespace

void add_faults_command(CLI::App& program, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  auto mutants = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("faults", "The bugs that --plant can switch on in our own compiler.");
  command->add_flag("--mutants", *mutants,
                    "The slips that `score --mutants` draws from instead; --plant takes them too");
  command->add_flag("--json", *json, "As JSON on standard output");
  command->callback([json, mutants, &exit_code] {
    *mutants ? list_mutants(*json) : list_faults(*json);
    exit_code = nothing_new;
  });
}

}  // namespace parallax
