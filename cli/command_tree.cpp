#include "cli/command_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/option_checks.h"
#include "compiler/faults.h"
#include "compiler/passes.h"

namespace parallax {
namespace {

// Names that may be given where a value is not one of a closed set: versions, options and commands are targets too.
std::vector<std::string> known_values(std::string_view argument) {
  std::vector<std::string> values;
  if (argument == "TARGET") return known_target_names();
  if (argument == "FAULT") {
    for (const Fault* fault : all_faults) values.emplace_back(fault->id);
  }
  if (argument == "PASS") {
    for (const Pass& pass : standard_passes) values.emplace_back(pass.name);
  }
  return values;
}

// CLI11 tells a set of values only as part of the type's name: "TEXT:{values,plan}".
std::vector<std::string> set_of(std::string_view limit) {
  if (!limit.starts_with('{') || !limit.ends_with('}')) return {};
  return CLI::detail::split(std::string(limit.substr(1, limit.size() - 2)), ',');
}

OptionEntry option_entry(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.description = option.get_description();
  entry.required = option.get_required();
  if (option.get_expected_max() == 0) return entry;  // a flag
  entry.repeatable = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  const std::string type = option.get_type_name();
  const auto colon = type.find(':');
  entry.argument = type.substr(0, colon);
  if (colon != std::string::npos) entry.limit = type.substr(colon + 1);
  entry.values = set_of(entry.limit);
  entry.only_values = !entry.values.empty();
  if (entry.only_values) entry.limit.clear();
  if (entry.values.empty()) entry.values = known_values(entry.argument);
  if (option.get_positional()) {
    entry.argument = option.get_name(true);
    std::ranges::transform(entry.argument, entry.argument.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  entry.initial = option.get_default_str();
  return entry;
}

CommandEntry command_entry(const CLI::App& app, std::vector<std::string> path) {
  CommandEntry entry;
  entry.path = std::move(path);
  entry.description = app.get_description();
  entry.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) entry.options.push_back(option_entry(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    std::vector<std::string> below = entry.path;
    below.push_back(command->get_name());
    entry.commands.push_back(command_entry(*command, std::move(below)));
  }
  return entry;
}

}  // namespace

std::string CommandEntry::words() const { return fmt::format("{}", fmt::join(path, " ")); }

CommandEntry command_tree(const CLI::App& program) { return command_entry(program, {}); }

std::vector<const CommandEntry*> all_commands(const CommandEntry& root) {
  std::vector<const CommandEntry*> commands = {&root};
  for (const CommandEntry& command : root.commands) {
    for (const CommandEntry* below : all_commands(command)) commands.push_back(below);
  }
  return commands;
}

}  // namespace parallax
