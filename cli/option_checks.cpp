#include "cli/option_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "backends/open_target.h"
#include "cli/target_options.h"
#include "compiler/faults.h"
#include "core/nearest_name.h"
#include "ops/registry.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (text.empty() || code != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string wanted_whole(int64_t least, int64_t most) {
  if (most != std::numeric_limits<int64_t>::max()) return fmt::format("a whole number from {} to {}", least, most);
  return least == std::numeric_limits<int64_t>::min() ? "a whole number"
                                                      : fmt::format("a whole number, {} or more", least);
}

CLI::Validator number_check(double least, bool itself, std::string limit, std::string wanted) {
  return {[=](std::string& text) -> std::string {
            const auto number = parsed<double>(text);
            if (number && std::isfinite(*number) && (itself ? *number >= least : *number > least)) return "";
            return fmt::format("'{}' is not {}", text, wanted);
          },
          std::move(limit)};
}

// Values that hold more than the path: FILE.py:NAME.
fs::path path_in(const std::string& text) {
  const std::size_t colon = text.rfind(".py:");
  return colon == std::string::npos ? text : text.substr(0, colon + 3);
}

// The project's own cases are found from any folder: "corpus/cases/seeds" where there is no such path is the project's.
void look_in_project(std::string& text) {
  std::error_code error;
  if (!text.starts_with("corpus/") || fs::exists(text, error)) return;
  if (const fs::path ours = root_folder() / text; fs::exists(ours, error)) text = ours.string();
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const Fault* fault : all_faults) names.emplace_back(fault->id);
  for (const Mutant& mutant : all_mutants) names.emplace_back(mutant.id);
  return names;
}

// Of each op its whole name and the part that people say: "aten.mul.Tensor" and "mul".
std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const Op& op : all_ops()) {
    const std::string& whole = names.emplace_back(op.name);
    const std::size_t first = whole.find('.');
    if (first != std::string::npos) names.push_back(whole.substr(first + 1, whole.rfind('.') - first - 1));
  }
  return names;
}

// "; did you mean 'x'? `command` lists them"
std::string hint(const std::string& given, const std::vector<std::string>& names, std::string_view command) {
  const std::string nearest = did_you_mean(given, names);
  return fmt::format("{} `{}` lists them", nearest.empty() ? ";" : nearest, command);
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  const std::string wanted = wanted_whole(least, most);
  std::string limit = most != std::numeric_limits<int64_t>::max()    ? fmt::format("from {} to {}", least, most)
                      : least == std::numeric_limits<int64_t>::min() ? ""
                                                                     : fmt::format("at least {}", least);
  return {[=](std::string& text) -> std::string {
            const auto number = parsed<int64_t>(text);
            if (number && *number >= least && *number <= most) return "";
            if (!number && least >= 0 && most == std::numeric_limits<int64_t>::max() && parsed<uint64_t>(text))
              return "";
            return fmt::format("'{}' is not {}", text, wanted);
          },
          std::move(limit)};
}

CLI::Validator number_over(double over) {
  return number_check(over, false, fmt::format("more than {}", over), fmt::format("a number over {}", over));
}

CLI::Validator number_from(double least) {
  return number_check(least, true, fmt::format("at least {}", least), fmt::format("a number, {} or more", least));
}

CLI::Validator member_of(const std::vector<std::string>& names) {
  return {[names](std::string& text) -> std::string {
            if (std::ranges::find(names, text) != names.end()) return "";
            if (names.size() == 1) return fmt::format("'{}' is not '{}'", text, names.front());
            return fmt::format("'{}' is not one of {}{}", text, fmt::join(names, ", "), did_you_mean(text, names));
          },
          fmt::format("{{{}}}", fmt::join(names, ","))};
}

std::vector<std::string> known_target_names() {
  std::vector<std::string> names;
  for (const auto& [name, what] : own_targets()) names.emplace_back(name);
  const Result<Catalogue> catalogue = open_catalogue();
  if (!catalogue) return names;  // run elsewhere than in the project: ours are still there
  std::set<std::string> seen;
  for (const TargetEntry& entry : catalogue->list()) {
    if (seen.insert(entry.name).second) names.push_back(entry.name);
  }
  return names;
}

CLI::Validator target_name(bool or_all) {
  return {[or_all](std::string& text) -> std::string {
            if (or_all && text == all_targets) return "";
            const Result<TargetSpec> spec = parse_target_spec(text);
            if (!spec) return spec.error().text();
            if (spec->name == "cmd" || !open_catalogue()) return "";
            const std::vector<std::string> names = known_target_names();
            if (std::ranges::find(names, spec->name) != names.end()) return "";
            return fmt::format("no target is called '{}'{}", spec->name, hint(spec->name, names, "parallax targets"));
          },
          ""};
}

CLI::Validator fault_name() {
  return {[](std::string& text) -> std::string {
            const std::vector<std::string> names = fault_names();
            if (std::ranges::find(names, text) != names.end()) return "";
            return fmt::format("no fault is called '{}'{}", text, hint(text, names, "parallax faults"));
          },
          ""};
}

CLI::Validator op_pattern() {
  return {[](std::string& text) -> std::string {
            const auto holds = [&](const Op& op) { return op.name.find(text) != std::string::npos; };
            if (std::ranges::any_of(all_ops(), holds)) return "";
            return fmt::format("no op has '{}' in its name{}", text, hint(text, op_names(), "parallax ops"));
          },
          ""};
}

CLI::Validator existing_file() {
  return {[](std::string& text) -> std::string {
            std::error_code error;
            look_in_project(text);
            if (fs::is_directory(path_in(text), error)) return fmt::format("{}: a folder; a file is wanted", text);
            return fs::exists(path_in(text), error) ? "" : fmt::format("{}: no such file", text);
          },
          ""};
}

CLI::Validator existing_folder() {
  return {[](std::string& text) -> std::string {
            std::error_code error;
            if (!fs::exists(text, error)) return fmt::format("{}: no such folder", text);
            return fs::is_directory(text, error) ? "" : fmt::format("{}: a file; a folder is wanted", text);
          },
          ""};
}

CLI::Validator existing_path() {
  return {[](std::string& text) -> std::string {
            std::error_code error;
            look_in_project(text);
            return fs::exists(text, error) ? "" : fmt::format("{}: no such file or folder", text);
          },
          ""};
}

CLI::Validator writable_file() {
  return {[](std::string& text) -> std::string {
            std::error_code error;
            const fs::path folder = fs::path(text).parent_path();
            if (fs::is_directory(text, error)) return fmt::format("{}: a folder; a file is wanted", text);
            if (folder.empty() || fs::is_directory(folder, error)) return "";
            return fmt::format("{}: there is no folder {}", text, folder.string());
          },
          ""};
}

void begin_options(CLI::App& command, const char* heading) { command.option_defaults()->group(heading); }

void check_kinds(CLI::App& program) {
  for (CLI::Option* option : program.get_options()) {
    const std::string type = option->get_type_name();
    const std::string base = type.substr(0, type.find(':'));
    // What may be given several times has one value each time: the word behind it may be a case.
    if (!option->get_positional() && option->get_expected_max() == CLI::detail::expected_max_vector_size)
      option->allow_extra_args(false);
    if (type == "TARGET") option->check(target_name(option->get_expected_max() > 1));
    if (type == "FAULT") option->check(fault_name());
    if (base != "INT" && base != "UINT") continue;
    if (type == "UINT") option->check(whole_number(0));
    if (type == "INT") option->check(whole_number(std::numeric_limits<int64_t>::min()));
    option->type_name("N");
  }
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) check_kinds(*command);
}

}  // namespace parallax
