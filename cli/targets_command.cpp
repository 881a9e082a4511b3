// parallax targets: what can be driven here, and installing more.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/installer.h"
#include "cli/target_options.h"

namespace parallax {
namespace {

struct TargetsFlags {
  std::vector<std::string> install;
  bool json = false;
};

Result<int> list_targets(bool json) {
  TRY(const Catalogue catalogue, open_catalogue());
  std::vector<TargetEntry> entries;
  for (const auto& [name, what] : own_targets()) {
    entries.push_back({std::string(name), std::string(what), "parallax", PARALLAX_VERSION, true, ""});
  }
  for (TargetEntry& entry : catalogue.list()) entries.push_back(std::move(entry));
  auto rows = nlohmann::ordered_json::array();
  for (const TargetEntry& entry : entries) {
    rows.push_back({{"name", entry.name},
                    {"what", entry.what},
                    {"family", entry.family},
                    {"version", entry.version},
                    {"installed", entry.installed},
                    {"why_not", entry.why_not}});
    if (!json)
      fmt::print("{:22} {:22} {}\n{:22} {}\n", entry.name, entry.family + " " + entry.version,
                 entry.installed ? "ready" : entry.why_not, "", entry.what);
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  return nothing_new;
}

}  // namespace

void add_targets_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<TargetsFlags>();
  CLI::App* command =
      program.add_subcommand("targets", "What can be driven here, which version, why not; and installing more.");
  command->footer(
      "Examples:\n  parallax targets\n  parallax targets install executorch      torch==2.13.0 and executorch==1.4.1 "
      "in their own environment");
  command->add_flag("--json", flags->json, "As JSON on standard output");
  CLI::App* installing = command->add_subcommand(
      "install", "Make the environment of a system: NAME or NAME@VERSION; resumes, never breaks a working one.");
  installing->footer("Examples:\n  parallax targets install executorch\n  parallax targets install onnxruntime@1.20.0");
  installing->add_option("names", flags->install, "A family (executorch) or a target (executorch-xnnpack)")->required();
  command->callback([flags, installing, &exit_code] {
    exit_code = code_of(installing->parsed() ? install_targets(flags->install) : list_targets(flags->json));
  });
}

}  // namespace parallax
