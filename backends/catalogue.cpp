#include "backends/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ranges>
#include <system_error>

#include "core/json_field.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

// The file that adapters/install.py writes last.
constexpr std::string_view complete_mark = "parallax-complete.json";
// The option of every system's name, and its one value, with which glibc checks its heap.
constexpr std::string_view heap_option = "heap";
constexpr std::string_view checked_heap = "checked";

Result<std::vector<std::string>> read_names(const Field& array) {
  TRY_VOID(array.expect_array());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.json().size(); ++i) {
    TRY(std::string name, array.element(i).text());
    names.push_back(std::move(name));
  }
  if (names.empty()) return array.fail("needs at least one name");
  return names;
}

// Calls `visit(name, entry)` for each member of the object that `key` names.
template <class Visit>
Result<void> each_entry(const Field& document, std::string_view key, Visit&& visit) {
  TRY_VOID(document.expect_object());
  TRY(Field entries, document.need(key));
  TRY_VOID(entries.expect_object());
  return for_each_member(entries, std::forward<Visit>(visit));
}

// What stands before and after the first separator. The second part is empty where there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Where environments lie: a package names a folder of the user, since its own may be replaced or read-only.
std::filesystem::path environments_of(const std::filesystem::path& root) {
  const char* folder = std::getenv("PARALLAX_ENVIRONMENTS");
  return folder && *folder ? std::filesystem::path(folder) : root / ".targets";
}

// Whether the shell would find the program.
bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const auto folder : std::views::split(std::string_view(path ? path : ""), ':')) {
    const std::filesystem::path file = std::filesystem::path(folder.begin(), folder.end()) / program;
    if (access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'') {
      if (++i == line.size()) return fail("the command line ends in a backslash");
      word += line[i];
      in_word = true;
    } else if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return fail("the command line has an open {}", quote);
  if (in_word) words.push_back(word);
  if (words.empty()) return fail("the command line is empty");
  return words;
}

Result<TargetSpec> parse_target_spec(std::string_view text) {
  TargetSpec spec;
  if (text.starts_with("cmd:")) {
    spec.name = "cmd";
    spec.command = text.substr(4);
    return spec;
  }
  auto [name, rest] = cut(text, '?');
  const auto [base, version] = cut(name, '@');
  spec.name = base;
  spec.version = version;
  if (spec.name.empty()) return fail("target '{}' has no name", text);
  if (name.size() != base.size() && version.empty()) return fail("target '{}' has no version after '@'", text);
  // The version names a folder.
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '+' || c == '-' || c == '_';
  };
  if (!std::ranges::all_of(version, plain)) return fail("target '{}': '{}' is no version", text, version);
  while (!rest.empty()) {
    const auto [option, more] = cut(rest, '&');
    const auto [key, value] = cut(option, '=');
    if (key.empty() || value.empty()) return fail("target '{}': '{}' is not key=value", text, option);
    spec.options.emplace_back(key, value);
    rest = more;
  }
  return spec;
}

Result<Catalogue> Catalogue::read(const std::filesystem::path& root) {
  const std::filesystem::path path = root / "adapters" / "targets.json";
  TRY(std::string text, read_text_file(path));
  auto catalogue = parse(text);
  if (!catalogue) {
    Error error = std::move(catalogue).error();
    error.file = path.string();
    return std::unexpected(std::move(error));
  }
  catalogue->root_ = root;
  return catalogue;
}

Result<Catalogue> Catalogue::parse(std::string_view text) {
  TRY(Json json, parse_json(text));
  const Field document(json, "");
  Catalogue catalogue;
  TRY_VOID(each_entry(document, "families", [&](const std::string& name, const Field& entry) -> Result<void> {
    TRY(std::string version, entry.need_text("version"));
    catalogue.families_.push_back({name, std::move(version)});
    return {};
  }));
  TRY(catalogue.known_, catalogue.read_section(document, "targets"));
  if (document.find("tools")) {
    TRY(catalogue.tools_, catalogue.read_section(document, "tools"));
  }
  return catalogue;
}

Result<std::vector<Catalogue::Known>> Catalogue::read_section(const Field& document, std::string_view section) const {
  std::vector<Known> entries;
  TRY_VOID(each_entry(document, section, [&](const std::string& name, const Field& entry) -> Result<void> {
    Known known;
    known.name = name;
    TRY(known.adapter, entry.need_text("adapter"));
    TRY(known.what, entry.need_text("what"));
    known.declined = name;
    if (const auto declined = entry.find("declined")) {
      TRY(known.declined, declined->text());
    }
    if (const auto control = entry.find("control")) {
      TRY(known.control, control->text());
    }
    if (const auto needs = entry.find("needs")) {
      TRY(known.needs, needs->text());
    }
    TRY(Field list, entry.need("families"));
    TRY(known.families, read_names(list));
    for (const std::string& family : known.families) {
      if (std::ranges::find(families_, family, &Family::name) == families_.end()) {
        return list.fail("'{}' is no family", family);
      }
    }
    entries.push_back(std::move(known));
    return {};
  }));
  return entries;
}

const Catalogue::Known* Catalogue::find(std::string_view name) const {
  const auto found = std::ranges::find(known_, name, &Known::name);
  return found == known_.end() ? nullptr : &*found;
}

bool Catalogue::has(std::string_view name) const { return find(name) != nullptr; }

const std::string& Catalogue::pinned(const std::string& family) const {
  return std::ranges::find(families_, family, &Family::name)->version;
}

std::filesystem::path Catalogue::python(const std::string& family, const std::string& version) const {
  return environments_of(root_) / (family + "-" + version) / "bin" / "python";
}

std::vector<std::string> Catalogue::installed_versions(const std::string& family) const {
  std::vector<std::string> versions;
  std::error_code missing;  // of the folder: then nothing is installed
  for (const auto& entry : std::filesystem::directory_iterator(environments_of(root_), missing)) {
    const std::string folder = entry.path().filename().string();
    if (!folder.starts_with(family + "-") || !std::filesystem::exists(entry.path() / complete_mark, missing)) continue;
    std::string version = folder.substr(family.size() + 1);
    // The family torch-onnx is no version of torch.
    const bool other = std::ranges::any_of(families_, [&](const Family& one) {
      return one.name.size() > family.size() && folder.starts_with(one.name + "-");
    });
    if (!other) versions.push_back(std::move(version));
  }
  std::ranges::sort(versions);
  return versions;
}

std::vector<TargetEntry> Catalogue::list() const {
  std::vector<TargetEntry> entries;
  for (const Known& known : known_) {
    const std::size_t before = entries.size();
    const bool complete = known.needs.empty() || is_on_path(known.needs);
    const std::string lacks = complete ? "" : fmt::format("needs the program {}, which is not here", known.needs);
    for (const std::string& family : known.families) {
      for (const std::string& version : installed_versions(family)) {
        entries.push_back({known.name, known.what, family, version, complete, lacks});
      }
    }
    if (entries.size() > before) continue;
    const std::string& family = known.families[0];
    const std::string how = fmt::format("not installed; run: parallax targets install {}", known.name);
    entries.push_back({known.name, known.what, family, pinned(family), false, how});
  }
  return entries;
}

std::vector<std::string> Catalogue::installed_targets() const {
  std::vector<TargetEntry> entries = list();
  std::erase_if(entries, [](const TargetEntry& entry) { return !entry.installed; });
  std::vector<std::pair<int, std::string>> rounds;
  std::map<std::string, int> targets_of_family;
  for (auto first = entries.begin(); first != entries.end();) {
    const auto next = std::find_if(first, entries.end(), [&](const TargetEntry& e) { return e.name != first->name; });
    const auto is_pinned = [&](const TargetEntry& entry) { return entry.version == pinned(entry.family); };
    const auto usual = std::find_if(first, next, is_pinned);
    rounds.emplace_back(targets_of_family[first->family]++,
                        usual != next ? usual->name : first->name + "@" + first->version);
    first = next;
  }
  std::ranges::stable_sort(rounds, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> names;
  for (auto& [round, name] : rounds) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> Catalogue::start(const std::string& python, const std::string& adapter) const {
  return {python, (root_ / "adapters").string(), adapter};
}

std::vector<std::string> heap_checks(const TargetSpec& spec) {
  const auto asks = [](const auto& option) { return option.first == heap_option && option.second == checked_heap; };
  if (std::ranges::none_of(spec.options, asks)) return {};
  return {"env", "LD_PRELOAD=libc_malloc_debug.so.0", "MALLOC_CHECK_=3"};
}

Result<std::vector<std::string>> Catalogue::command(const TargetSpec& spec) const {
  if (spec.name == "cmd") return split_command(spec.command);
  const Known* known = find(spec.name);
  if (known == nullptr) {
    std::vector<std::string_view> names;
    for (const Known& one : known_) names.push_back(one.name);
    return fail("no target is called '{}'; external ones are {}", spec.name, fmt::join(names, ", "));
  }
  std::string python_path;
  std::vector<std::string> arguments;
  for (const auto& [key, value] : spec.options) {
    if (key == "python") {
      python_path = value;
    } else if (key == heap_option) {
      if (value != checked_heap) return fail("target {}: {} is {} or left out", spec.name, key, checked_heap);
    } else {
      arguments.push_back(fmt::format("--{}={}", key, value));
    }
  }
  if (python_path.empty()) python_path = python_of(*known, spec.version);
  if (python_path.empty()) {
    const std::string wanted = spec.name + (spec.version.empty() ? "" : "@" + spec.version);
    return fail("target {} is not installed; run: parallax targets install {}", wanted, wanted);
  }
  std::vector<std::string> command = start(python_path, known->adapter);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::string Catalogue::python_of(const Known& known, const std::string& version) const {
  for (const std::string& family : known.families) {
    const std::string wanted = version.empty() ? pinned(family) : version;
    const auto versions = installed_versions(family);
    if (std::ranges::find(versions, wanted) != versions.end()) return python(family, wanted).string();
  }
  return "";
}

std::string Catalogue::newest_of(std::string_view text) const {
  const Result<TargetSpec> spec = parse_target_spec(text);
  const Known* known = spec ? find(spec->name) : nullptr;
  if (known == nullptr || spec->version.empty() || python_of(*known, "").empty()) return "";
  if (python_of(*known, "") == python_of(*known, spec->version)) return "";
  const std::size_t options = text.find('?');
  return spec->name + (options == std::string_view::npos ? "" : std::string(text.substr(options)));
}

std::string Catalogue::control_of(std::string_view text) const {
  const Result<TargetSpec> spec = parse_target_spec(text);
  const Known* known = spec ? find(spec->name) : nullptr;
  if (known == nullptr || known->control.empty()) return "";
  if (!known->control.starts_with('?')) return known->control;
  // With options of one's own there is no saying what the control would be.
  return spec->options.empty() ? std::string(text) + known->control : "";
}

Result<std::vector<std::string>> Catalogue::tool(std::string_view name,
                                                 const std::vector<std::string>& arguments) const {
  const auto known = std::ranges::find(tools_, name, &Known::name);
  if (known == tools_.end()) return fail("no tool is called '{}'", name);
  const std::string python_path = python_of(*known, "");
  if (python_path.empty()) {
    return std::unexpected(Error{ErrorKind::NoTarget, "", "",
                                 fmt::format("this needs {}, which is not installed; run: parallax targets install {}",
                                             known->families[0], known->families[0])});
  }
  std::vector<std::string> command = start(python_path, known->adapter);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

bool Catalogue::goes_through_our_writer(std::string_view spec) const {
  const auto parsed = parse_target_spec(spec);
  const Known* known = parsed ? find(parsed->name) : nullptr;
  return known != nullptr && (known->adapter.starts_with("onnx.runtimes.") || known->adapter.starts_with("iree."));
}

Result<std::unique_ptr<Target>> Catalogue::open(std::string_view text, const ExternalOptions& options) const {
  TRY(TargetSpec spec, parse_target_spec(text));
  TRY(std::vector<std::string> words, command(spec));
  ExternalOptions completed = options;
  const std::vector<std::string> checks = heap_checks(spec);
  words.insert(words.begin(), checks.begin(), checks.end());
  if (const Known* known = find(spec.name)) {
    // A fork would have the heap of its server.
    completed.forks = checks.empty();
    const std::filesystem::path measured = root_ / "adapters" / "declined" / (known->declined + ".json");
    if (std::filesystem::exists(measured)) {
      TRY(completed.declined, Declined::read(measured));
    }
  }
  return make_external_target(std::string(text), std::move(words), completed);
}

}  // namespace parallax
