// parallax neighbours: the trigger map of a case: one-edit variants of it, which fail and which pass.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "export/emit_executorch.h"
#include "export/emit_pytest.h"
#include "export/emit_pytorch.h"
#include "fuzz/findings/trigger_map.h"
#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/whole_file.h"

namespace parallax {
namespace {

struct NeighboursFlags {
  std::string path;
  std::string target;
  std::string pytest;
  TargetOptions target_options;
  bool json = false;
};

std::string map_json(const TriggerMap& map, const Case& test) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const JudgedNeighbour& one : map.neighbours) {
    rows.push_back({{"about", one.neighbour.about},
                    {"edit", one.neighbour.edit},
                    {"verdict", name(one.judgement.verdict)},
                    {"reason", one.judgement.reason},
                    {"case", Json::parse(to_json(one.neighbour.test))}});
  }
  const Json json = {{"case", test.name},
                     {"target", map.target},
                     {"verdict", name(map.judgement.verdict)},
                     {"reason", map.judgement.reason},
                     {"neighbours", rows}};
  return json.dump(2);
}

// The case and what can be judged of its neighbours, as a test file for the system itself.
Result<void> write_pytest(const NeighboursFlags& flags, const Case& test, const TriggerMap& map) {
  TRY(const ScriptTarget target, drives_executorch(family_of_target(flags.target))
                                     ? executorch_script_target(flags.target, has_state(test))
                                     : Result<ScriptTarget>(pytorch_script_target(flags.target)));
  std::vector<Control> cases = {{"the case itself", test}};
  for (const JudgedNeighbour& one : map.neighbours) {
    if (!is_finding(one.judgement.verdict) && one.judgement.verdict != Verdict::Match) continue;
    cases.push_back({fmt::format("{}: {}", one.neighbour.about, one.neighbour.edit), one.neighbour.test});
  }
  auto text = emit_pytest(cases, target);
  if (!text) return fail("--pytest: {} is not driven by PyTorch or ExecuTorch in a process of its own", flags.target);
  return write_whole_file(flags.pytest, {*text});
}

Result<int> map_neighbours(const NeighboursFlags& flags) {
  TRY(const Case test, read_one_case(flags.path));
  TRY(std::unique_ptr<Target> target, open_target(flags.target, flags.target_options));
  const TriggerMap map = trigger_map(*target, test);
  if (!flags.pytest.empty()) TRY_VOID(write_pytest(flags, test, map));
  if (flags.json) {
    fmt::print("{}\n", map_json(map, test));
  } else {
    fmt::print("{} · {} · {} neighbours\n{}", flags.target, name(map.judgement.verdict), map.neighbours.size(),
               describe(map));
  }
  const bool any = is_finding(map.judgement.verdict) || std::ranges::any_of(map.neighbours, [](const auto& one) {
                     return is_finding(one.judgement.verdict);
                   });
  return any ? diverged : nothing_new;
}

}  // namespace

void add_neighbours_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<NeighboursFlags>();
  CLI::App* command = program.add_subcommand(
      "neighbours", "The trigger map of a case: one-edit variants of it, which fail and which pass.");
  command->footer(
      "Examples:\n"
      "  parallax neighbours corpus/cases/seeds/s1-numeric-clone.json --target portable --plant F01\n"
      "  parallax neighbours findings/7KQ2/reduced.json --target torch-aot-eager --pytest test_fix.py");
  command->add_option("case", flags->path, "A case file, best a reduced one")->required()->transform(existing_file());
  command->add_option("--target", flags->target, "The target it diverges on")->type_name("TARGET")->required();
  add_target_options(*command, flags->target_options);
  command
      ->add_option("--pytest", flags->pytest,
                   "Also write the variants as a parametrised pytest (PyTorch and ExecuTorch targets)")
      ->check(writable_file());
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(map_neighbours(*flags)); });
}

}  // namespace parallax
