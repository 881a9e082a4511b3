#include "corpus/store.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include "corpus/check_line.h"
#include "corpus/closing_lines.h"
#include "export/emit_reproducer.h"
#include "graph/case_json.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> folder_error(const fs::path& folder, std::string_view action, const std::error_code& code) {
  return std::unexpected(Error{ErrorKind::Invalid, folder.string(), "",
                               fmt::format("the findings folder cannot be {}: {}", action, code.message())});
}

// A folder of a name that no one else uses, removed again unless it was renamed away.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const fs::path& parent, int number) {
    // Hidden and with the process's number: several campaigns may share a findings folder.
    fs::path path = parent / fmt::format(".new-{}-{}", ::getpid(), number);
    std::error_code code;
    fs::remove_all(path, code);
    code.clear();
    if (!fs::create_directory(path, code)) return folder_error(parent, "written", code);
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void moved_away() { path_.clear(); }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// Removes the temporary folders of processes that are no more: a killed one leaves its last behind.
void sweep(const fs::path& folder) {
  std::error_code code;
  for (auto entry = fs::directory_iterator(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    int process = 0;
    int number = 0;
    const std::string name = entry->path().filename().string();
    if (std::sscanf(name.c_str(), ".new-%d-%d", &process, &number) != 2 || process <= 0) continue;
    std::error_code ignored;
    if (::kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(entry->path(), ignored);
  }
}

constexpr std::string_view earlier_file = "earlier.json";
constexpr std::string_view sighting_file = "sighting.json";
constexpr std::string_view releases_file = "versions.json";
constexpr std::string_view script_file = "repro.py";
constexpr std::string_view environment_file = "environment.txt";
constexpr std::string_view reproduce_words = "  reproduce: ";

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// The folders of findings, in the order of their names.
Result<std::vector<fs::path>> finding_folders(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> folders;
  for (auto entry = fs::directory_iterator(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    std::error_code ignored;
    if (!is_hidden(entry->path()) && entry->is_directory(ignored)) folders.push_back(entry->path());
  }
  if (code) return folder_error(folder, "read", code);
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<Finding> load_record(const fs::path& folder) {
  const fs::path path = folder / "finding.json";
  TRY(std::string text, read_text_file(path));
  auto finding = parse_finding(text);
  if (!finding) {
    Error error = std::move(finding).error();
    error.file = path.string();
    return std::unexpected(std::move(error));
  }
  return finding;
}

bool holds(const fs::path& folder, std::string_view signature) {
  const auto finding = load_record(folder);
  return finding && finding->signature == signature;
}

Result<Case> load_case(const fs::path& path) {
  TRY(std::string text, read_text_file(path));
  return parse_case(text, path.string());
}

// What `parse` makes of a file of the folder; nothing where it is not there.
template <class Parse>
auto load_part(const fs::path& folder, std::string_view file, Parse&& parse)
    -> Result<std::optional<typename decltype(parse(std::string_view()))::value_type>> {
  const fs::path path = folder / file;
  if (!fs::exists(path)) return std::nullopt;
  TRY(const std::string text, read_text_file(path));
  auto part = parse(std::string_view(text));
  if (part) return *std::move(part);
  Error error = std::move(part).error();
  error.file = path.string();
  return std::unexpected(std::move(error));
}

// What is found out after the finding was made, where it is known.
Result<void> write_later_parts(const Finding& finding, const fs::path& folder) {
  if (finding.releases) TRY_VOID(store_releases(folder, *finding.releases));
  if (!finding.environment.empty()) TRY_VOID(store_environment(folder, finding.environment));
  return {};
}

// `home` is where the folder will lie: what it says of its own files names them there.
Result<void> write_finding(const Finding& finding, const fs::path& folder, const fs::path& home) {
  TRY_VOID(write_text_file(folder / "case.json", to_json(finding.original, 2) + "\n"));
  TRY_VOID(write_text_file(folder / "reduced.json", to_json(finding.reduced, 2) + "\n"));
  TRY_VOID(write_text_file(folder / "finding.json", finding_json(finding)));
  if (finding.earlier) TRY_VOID(write_text_file(folder / earlier_file, to_json(*finding.earlier, 2) + "\n"));
  TRY_VOID(write_text_file(folder / "explanation.txt",
                           finding.explanation + closing_lines(finding) + reproduce_line(finding, home)));
  if (finding.sighting) TRY_VOID(write_text_file(folder / sighting_file, sighting_json(*finding.sighting)));
  TRY_VOID(write_later_parts(finding, folder));
  // What no script can say is said by the case alone.
  const auto script = emit_reproducer(finding.reduced, script_options(finding));
  if (script || !finding.script.empty())
    TRY_VOID(write_text_file(folder / script_file, script.value_or(finding.script)));
  for (const auto& [name, content] : finding.artifacts) {
    const fs::path path = folder / "artifact" / name;
    std::error_code code;
    fs::create_directories(path.parent_path(), code);
    if (code) return folder_error(path.parent_path(), "made", code);
    TRY_VOID(write_text_file(path, content));
  }
  return {};
}

}  // namespace

Result<void> FindingStore::update(const Finding& finding) {
  const fs::path home = folder_ / finding.id;
  TRY_VOID(write_text_file(home / "finding.json", finding_json(finding)));
  TRY_VOID(write_later_parts(finding, home));
  return write_text_file(home / "explanation.txt",
                         finding.explanation + closing_lines(finding) + reproduce_line(finding, home));
}

Result<void> store_releases(const fs::path& folder, const VersionHistory& releases) {
  return write_text_file(folder / releases_file, version_history_json(releases));
}

Result<void> store_environment(const fs::path& folder, std::string_view environment) {
  return write_text_file(folder / environment_file, environment);
}

// Half of what is between the errors of the target and of eager, where the default tolerances do not see it.
static std::optional<double> tolerance_of(const Finding& finding) {
  if (!finding.evidence || !finding.evidence->inside_tolerances()) return std::nullopt;
  const NumericEvidence& evidence = *finding.evidence;
  const double eager = evidence.eager ? std::abs(evidence.eager->value - evidence.reference) : 0;
  const double target = std::abs(evidence.target.value - evidence.reference);
  return std::isfinite(target) ? std::max(0.0, (target - eager) / 2) : 0;
}

std::string reproduce_line(const Finding& finding, const fs::path& home) {
  const auto earlier = finding.earlier ? std::optional((home / earlier_file).string()) : std::nullopt;
  return fmt::format("{}{}\n", reproduce_words, check_command(finding, (home / "reduced.json").string(), earlier));
}

ScriptOptions script_options(const Finding& finding) {
  return {
      .comment = fmt::format("{}: {} on {}\n{}", finding.id, name(finding.verdict), finding.target, finding.signature),
      .target = finding.target,
      .control = finding.control,
      .tolerance = tolerance_of(finding)};
}

Result<FindingStore> FindingStore::open(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return folder_error(folder, "made", code);
  FindingStore store(folder);
  sweep(folder);
  TRY([[maybe_unused]] TemporaryFolder probe, TemporaryFolder::make(folder, store.next_temporary_++));
  TRY(std::vector<fs::path> folders, finding_folders(folder));
  for (const fs::path& entry : folders) {
    if (auto finding = load_record(entry)) store.ids_.emplace(finding->signature, entry.filename().string());
  }
  return store;
}

const std::string* FindingStore::find(std::string_view signature) const {
  const auto found = ids_.find(std::string(signature));
  return found == ids_.end() ? nullptr : &found->second;
}

std::string FindingStore::choose_id(std::string_view signature) const {
  constexpr int shortest = 4;
  constexpr int longest = 13;
  for (int length = shortest; length < longest; ++length) {
    std::string id = short_id(signature, length);
    if (!fs::exists(folder_ / id) || holds(folder_ / id, signature)) return id;
  }
  return short_id(signature, longest);
}

Result<fs::path> FindingStore::add(Finding& finding) {
  if (const std::string* known = find(finding.signature)) {
    finding.id = *known;
    return folder_ / *known;
  }
  finding.id = choose_id(finding.signature);
  TRY(TemporaryFolder temporary, TemporaryFolder::make(folder_, next_temporary_++));
  fs::path target = folder_ / finding.id;
  TRY_VOID(write_finding(finding, temporary.path(), target));
  std::error_code code;
  fs::rename(temporary.path(), target, code);
  if (!code) {
    temporary.moved_away();
  } else if (!holds(target, finding.signature)) {
    // Otherwise another campaign that writes into this folder was faster with the same finding.
    return folder_error(folder_, "written", code);
  }
  ids_.emplace(finding.signature, finding.id);
  return target;
}

Result<Finding> load_finding(const fs::path& folder) {
  TRY(Finding finding, load_record(folder));
  TRY(finding.original, load_case(folder / "case.json"));
  TRY(finding.reduced, load_case(folder / "reduced.json"));
  if (fs::exists(folder / earlier_file)) {
    TRY(finding.earlier, load_case(folder / earlier_file));
  }
  TRY(finding.explanation, read_text_file(folder / "explanation.txt"));
  TRY(finding.sighting, load_part(folder, sighting_file, parse_sighting));
  TRY(finding.releases, load_part(folder, releases_file, parse_version_history));
  if (fs::exists(folder / environment_file)) {
    TRY(finding.environment, read_text_file(folder / environment_file));
  }
  if (fs::exists(folder / script_file) && why_no_script(finding.reduced, finding.target)) {
    TRY(finding.script, read_text_file(folder / script_file));
  }
  // Whoever shows it says what is known and where the files lie then.
  for (const std::string_view words : {reproduce_words, closing_words}) {
    const std::size_t last = finding.explanation.rfind(fmt::format("\n{}", words));
    if (last != std::string::npos) finding.explanation.resize(last + 1);
  }
  return finding;
}

Result<std::vector<Result<Finding>>> load_findings(const fs::path& folder) {
  TRY(std::vector<fs::path> folders, finding_folders(folder));
  std::vector<Result<Finding>> findings;
  for (const fs::path& entry : folders) findings.push_back(load_finding(entry));
  return findings;
}

}  // namespace parallax
