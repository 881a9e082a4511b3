// parallax ops: which ops the oracle knows, for which dtypes, who computes them and whether the generator draws them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "fuzz/generate/op_coverage.h"

namespace parallax {
namespace {

struct OpsFlags {
  std::vector<std::string> targets = {"portable"};
  std::string pattern;
  bool json = false;
};

std::string dtype_cells(const OpCoverage& row) {
  if (!row.dtypes) return "not drawn";
  std::string cells;
  for (int d = 0; d < dtype_count; ++d) {
    const std::string_view dtype = name(static_cast<DType>(d));
    cells += fmt::format("{:{}} ", (*row.dtypes)[static_cast<std::size_t>(d)] ? dtype : "", dtype.size());
  }
  return cells;
}

Result<int> list_ops(const OpsFlags& flags) {
  std::vector<std::unique_ptr<Target>> targets;
  for (const std::string& name : flags.targets) {
    TRY(targets.emplace_back(), open_target(name, {}));
  }
  auto rows = nlohmann::ordered_json::array();
  std::size_t shown = 0;
  std::size_t generated = 0;
  std::vector<std::size_t> taken(targets.size());
  for (const OpCoverage& row : op_coverage()) {
    if (row.op->name.find(flags.pattern) == std::string::npos) continue;
    ++shown;
    generated += row.generated;
    nlohmann::ordered_json json = {{"op", row.op->name}, {"generated", row.generated}};
    if (row.dtypes) {
      json["dtypes"] = nlohmann::ordered_json::array();
      for (int d = 0; d < dtype_count; ++d) {
        if ((*row.dtypes)[static_cast<std::size_t>(d)]) json["dtypes"].push_back(name(static_cast<DType>(d)));
      }
    }
    std::string takers;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const bool takes = targets[i]->takes(*row.op);
      taken[i] += takes;
      json["targets"][flags.targets[i]] = takes;
      takers += fmt::format("{:{}} ", takes ? flags.targets[i] : "", flags.targets[i].size());
    }
    rows.push_back(std::move(json));
    if (!flags.json)
      fmt::print("{:48} {:40} {}{}\n", row.op->name, dtype_cells(row), takers, row.generated ? "generated" : "");
  }
  if (flags.json) {
    fmt::print("{}\n", rows.dump(2));
    return nothing_new;
  }
  fmt::print("{} ops known to the oracle, {} generated", shown, generated);
  for (std::size_t i = 0; i < targets.size(); ++i) fmt::print(", {} taken by {}", taken[i], flags.targets[i]);
  fmt::print("\n");
  return nothing_new;
}

}  // namespace

void add_ops_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<OpsFlags>();
  CLI::App* command =
      program.add_subcommand("ops", "Which ops the oracle knows: by dtype, by target, and whether they are generated.");
  command->footer(
      "A dtype is listed where a drawn call whose first operand has it is valid in eager.\n"
      "\nExamples:\n"
      "  parallax ops\n"
      "  parallax ops scatter --target portable --target executorch-portable");
  command->add_option("pattern", flags->pattern, "Only ops whose name holds this")->check(op_pattern());
  command->add_option("--target", flags->targets, "Whose ops to mark; repeatable")
      ->type_name("TARGET")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(list_ops(*flags)); });
}

}  // namespace parallax
