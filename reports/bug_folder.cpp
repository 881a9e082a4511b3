#include "reports/bug_folder.h"

#include <algorithm>
#include <array>
#include <set>

#include "graph/text_file.h"
#include "reports/bug_pages.h"
#include "reports/measurements.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> generated_names = {"README.md", "false-alarms.md", "measurements.md"};
constexpr std::string_view generated_prefix = "<!-- Generated ";

// A path below the folder of bugs, as a person in the root of the repository names it.
std::string name_of(const BugFolder& folder, const fs::path& file) {
  return fs::relative(file, folder.path.parent_path()).string();
}

Error with_file(std::string file, Error error) {
  error.file = std::move(file);
  return error;
}

std::vector<fs::path> pages_in(const fs::path& path) {
  std::vector<fs::path> files;
  std::error_code none;  // a folder that is not there holds no page
  for (const auto& entry : fs::directory_iterator(path, none)) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void read_bugs(BugFolder& folder) {
  for (const fs::path& file : pages_in(folder.path)) {
    if (std::ranges::count(generated_names, file.filename().string()) > 0) continue;
    Result<std::string> text = read_text_file(file);
    Result<FoundBug> bug = text ? parse_bug(file.stem().string(), *text) : std::unexpected(std::move(text).error());
    if (bug) {
      folder.bugs.push_back(*std::move(bug));
    } else {
      folder.errors.push_back(with_file(name_of(folder, file), std::move(bug).error()));
    }
  }
}

// Lines that cannot be read become errors of the folder, and the page tells of the others.
Result<GeneratedPage> false_alarms_of(BugFolder& folder) {
  TRY(const std::string text, read_text_file(folder.path / "false-alarms.jsonl"));
  std::vector<Error> broken;
  TRY(const std::vector<ExaminedCampaign> campaigns, parse_examined("false-alarms.jsonl", text, &broken));
  for (Error& error : broken) {
    error.file = (folder.path.filename() / error.file).string();
    folder.errors.push_back(std::move(error));
  }
  return false_alarm_page(campaigns);
}

Result<GeneratedPage> measurements_of(const BugFolder& folder) {
  TRY(const std::string rediscovery, read_text_file(folder.path / "rediscovery.jsonl"));
  TRY(const std::string rates, read_text_file(folder.path / "rates.jsonl"));
  return measurement_page(rediscovery, rates);
}

void check_file(const BugFolder& folder, const FoundBug& bug, std::string_view field, const std::string& file,
                std::vector<Error>& errors) {
  if (fs::is_regular_file(folder.path.parent_path() / file)) return;
  errors.push_back(with_file(fmt::format("{}/{}.md", folder.path.filename().string(), bug.name),
                             fail("field '{}': there is no file {}", field, file).error()));
}

// Links in the text to files beside it: "](other.md)". What stands between ``` lines shows code.
std::vector<std::string> linked_files(std::string_view text) {
  std::vector<std::string> links;
  bool is_code = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("```")) {
      is_code = !is_code;
      at += 2;
    }
    if (is_code || !text.substr(at).starts_with("](")) continue;
    const std::size_t begin = at + 2;
    const std::string link(text.substr(begin, text.find_first_of(")#", begin) - begin));
    if (!link.empty() && !link.contains(':')) links.push_back(link);
  }
  return links;
}

void check_bug(const BugFolder& folder, const FoundBug& bug, std::vector<Error>& errors) {
  const std::string file = fmt::format("{}/{}.md", folder.path.filename().string(), bug.name);
  check_file(folder, bug, "case", bug.case_file, errors);
  check_file(folder, bug, "control", bug.control, errors);
  check_file(folder, bug, "script", bug.script, errors);
  const auto cause = std::ranges::find(folder.bugs, bug.same_cause_as, &FoundBug::name);
  if (!bug.same_cause_as.empty() && (cause == folder.bugs.end() || !cause->counted)) {
    errors.push_back(
        with_file(file, fail("field 'same_cause_as': there is no counted bug '{}'", bug.same_cause_as).error()));
  }
  for (const std::string& link : linked_files(bug.text)) {
    if (!fs::exists(folder.path / link))
      errors.push_back(with_file(file, fail("the link {} leads nowhere", link).error()));
  }
}

void check_cases(const BugFolder& folder, std::vector<Error>& errors) {
  std::set<std::string> named;
  for (const FoundBug& bug : folder.bugs) named.insert({bug.case_file, bug.control});
  std::vector<std::string> files;
  std::error_code none;
  const fs::path root = folder.path.parent_path();
  for (const auto& entry : fs::directory_iterator(root / "corpus/cases/found", none)) {
    if (entry.path().extension() == ".json") files.push_back(fs::relative(entry.path(), root).string());
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    if (!named.contains(file)) errors.push_back(with_file(file, fail("no bug names this case or control").error()));
  }
}

// Generated pages of systems that have no bug any more.
std::vector<fs::path> left_over_pages(const BugFolder& folder) {
  std::vector<fs::path> files = pages_in(folder.path / "by-system");
  std::erase_if(files, [&](const fs::path& file) {
    return std::ranges::count(folder.pages, "by-system/" + file.filename().string(), &GeneratedPage::path) > 0;
  });
  return files;
}

void check_pages(const BugFolder& folder, std::vector<Error>& errors) {
  constexpr std::string_view advice = "run parallax bugs write";
  for (const GeneratedPage& page : folder.pages) {
    const Result<std::string> text = read_text_file(folder.path / page.path);
    if (text && *text == page.text) continue;
    const std::string_view what = text ? "the generated page is stale" : "the generated page is missing";
    errors.push_back(with_file(name_of(folder, folder.path / page.path), fail("{}; {}", what, advice).error()));
  }
  for (const fs::path& file : left_over_pages(folder)) {
    errors.push_back(with_file(name_of(folder, file), fail("no system has this page; {}", advice).error()));
  }
}

Result<void> remove_left_over_page(const fs::path& file) {
  TRY(const std::string text, read_text_file(file));
  if (!text.starts_with(generated_prefix)) return fail("{}: is no generated page; move it elsewhere", file.string());
  std::error_code code;
  fs::remove(file, code);
  if (code) return fail("{}: {}", file.string(), code.message());
  return {};
}

}  // namespace

Result<BugFolder> read_bug_folder(const fs::path& path) {
  BugFolder folder;
  folder.path = fs::absolute(path).lexically_normal();
  if (!folder.path.has_filename()) folder.path = folder.path.parent_path();  // a slash at its end
  if (!fs::is_directory(folder.path)) return fail("{}: there is no such folder", path.string());
  read_bugs(folder);
  folder.pages = bug_pages(folder.bugs);
  for (Result<GeneratedPage> page : {false_alarms_of(folder), measurements_of(folder)}) {
    if (page) {
      folder.pages.push_back(*std::move(page));
    } else {
      Error error = std::move(page).error();
      if (fs::path(error.file).is_relative()) error.file = (folder.path.filename() / error.file).string();
      folder.errors.push_back(std::move(error));
    }
  }
  return folder;
}

std::vector<Error> check_bug_folder(const BugFolder& folder) {
  std::vector<Error> errors = folder.errors;
  for (const FoundBug& bug : folder.bugs) check_bug(folder, bug, errors);
  // Files that cannot be read would have these complain of what is theirs.
  if (!folder.errors.empty()) return errors;
  check_cases(folder, errors);
  check_pages(folder, errors);
  return errors;
}

Result<void> write_bug_pages(const BugFolder& folder) {
  if (!folder.errors.empty()) return std::unexpected(folder.errors.front());
  std::error_code code;
  fs::create_directories(folder.path / "by-system", code);
  if (code) return fail("{}: {}", (folder.path / "by-system").string(), code.message());
  for (const GeneratedPage& page : folder.pages) TRY_VOID(write_text_file(folder.path / page.path, page.text));
  for (const fs::path& file : left_over_pages(folder)) TRY_VOID(remove_left_over_page(file));
  return {};
}

}  // namespace parallax
