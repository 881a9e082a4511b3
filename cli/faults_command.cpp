// parallax faults: the bugs that can be planted in our own compiler.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "compiler/faults.h"

namespace parallax {

void add_faults_command(CLI::App& program, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("faults", "The bugs that --plant can switch on in our own compiler.");
  command->add_flag("--json", *json, "As JSON on standard output");
  command->callback([json, &exit_code] {
    auto rows = nlohmann::ordered_json::array();
    for (const Fault* fault : all_faults) {
      rows.push_back({{"id", fault->id},
                      {"name", fault->name},
                      {"place", fault->place},
                      {"summary", fault->summary},
                      {"seen_in", fault->seen_in},
                      {"target", fault->target}});
      if (*json) continue;
      fmt::print("{}  {}  ({})\n     {}\n     seen in {}\n", fault->id, fault->name, fault->place, fault->summary,
                 fault->seen_in);
      if (fault->target != FaultSet().target()) fmt::print("     shows on {}\n", fault->target);
    }
    if (*json) fmt::print("{}\n", rows.dump(2));
    exit_code = nothing_new;
  });
}

}  // namespace parallax
