#include "reports/found_bug.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <span>

#include "corpus/known.h"
#include "reports/front_matter.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, 4> aliasing_words = {"views", "in-place", "state", "shared-memory"};
constexpr std::array<std::string_view, 2> differences = {"sizes", "dtypes"};
constexpr std::array<std::string_view, 3> discoveries = {"campaign", "by hand", "conformance"};
constexpr std::array<std::string_view, 3> answers = {"yes", "no", "unknown"};
constexpr std::string_view github = "https://github.com/";

Result<void> read_text(const FrontValue& value, std::string& out) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return fail("a text is expected, not a list");
  if (text->empty()) return fail("the text is empty");
  out = *text;
  return {};
}

Result<void> read_word(const FrontValue& value, std::span<const std::string_view> words, std::string& out) {
  TRY_VOID(read_text(value, out));
  if (std::ranges::count(words, out) == 0) return fail("'{}' is none of {}", out, fmt::join(words, ", "));
  return {};
}

Result<void> read_bool(const FrontValue& value, bool& out) {
  constexpr std::array<std::string_view, 2> words = {"false", "true"};
  std::string word;
  TRY_VOID(read_word(value, words, word));
  out = word == "true";
  return {};
}

Result<int64_t> read_count(const FrontValue& value) {
  std::string text;
  TRY_VOID(read_text(value, text));
  int64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc() || end != text.data() + text.size() || count < 0) return fail("'{}' is no count", text);
  return count;
}

Result<void> read_verdict(const FrontValue& value, FoundBug& bug) {
  std::string word;
  TRY_VOID(read_text(value, word));
  const std::optional<Verdict> verdict = parse_verdict(word);
  if (!verdict || !is_finding(*verdict)) return fail("'{}' is no verdict that is a finding", word);
  bug.verdict = *verdict;
  return {};
}

Result<void> read_grade(const FrontValue& value, FoundBug& bug) {
  std::string word;
  TRY_VOID(read_text(value, word));
  const std::optional<Grade> grade = parse_grade(word);
  if (!grade) return fail("'{}' is no grade", word);
  bug.grade = *grade;
  return {};
}

Result<void> read_packages(const FrontValue& value, FoundBug& bug) {
  const auto* packages = std::get_if<std::vector<std::string>>(&value);
  if (packages == nullptr || packages->empty()) return fail("a list of packages is expected: [torch==2.13.0]");
  bug.packages = *packages;
  return {};
}

Result<void> read_aliasing(const FrontValue& value, FoundBug& bug) {
  const auto* words = std::get_if<std::vector<std::string>>(&value);
  if (words == nullptr) return fail("a list is expected: [], [views]");
  for (const std::string& word : *words) TRY_VOID(read_word(word, aliasing_words, bug.aliasing.emplace_back()));
  return {};
}

// "URL" or "URL (REMARK)".
Result<UpstreamThread> parse_thread(std::string_view text) {
  const std::size_t blank = text.find(' ');
  UpstreamThread thread{std::string(text.substr(0, blank)), ""};
  if (!thread.url.starts_with("https://")) return fail("'{}' begins with no https:// link", text);
  if (blank == std::string_view::npos) return thread;
  const std::string_view rest = text.substr(blank + 1);
  if (!rest.starts_with('(') || !rest.ends_with(')')) return fail("what follows a link is a remark in parentheses");
  thread.remark = rest.substr(1, rest.size() - 2);
  return thread;
}

Result<void> read_upstream(const FrontValue& value, FoundBug& bug) {
  if (value == FrontValue("none known")) return {};
  const auto* threads = std::get_if<std::vector<std::string>>(&value);
  if (threads == nullptr || threads->empty()) return fail("'none known' or a list of links is expected");
  for (const std::string& text : *threads) {
    TRY(bug.upstream.emplace_back(), parse_thread(text));
  }
  return {};
}

// "1.17.0 match".
Result<VersionVerdict> parse_release(const std::string& text) {
  const std::size_t blank = text.find(' ');
  const std::string word = blank == std::string::npos ? "" : text.substr(blank + 1);
  const std::optional<Verdict> verdict = parse_verdict(word);
  if (!verdict || (*verdict != Verdict::Match && !is_finding(*verdict)))
    return fail("'{}' is no release with a verdict that decides: '1.17.0 match'", text);
  return VersionVerdict{text.substr(0, blank), word, is_finding(*verdict)};
}

Result<void> read_releases(const FrontValue& value, FoundBug& bug) {
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  if (texts == nullptr || texts->empty()) return fail("a list is expected: [1.17.0 match, 1.20.1 mismatch]");
  std::vector<VersionVerdict> judged;
  for (const std::string& text : *texts) {
    TRY(judged.emplace_back(), parse_release(text));
  }
  if (!std::ranges::is_sorted(judged, is_older_version, &VersionVerdict::version))
    return fail("releases go from old to new");
  bug.releases = history_of("", std::move(judged));
  return {};
}

struct FieldRule {
  std::string_view key;
  bool required;
  Result<void> (*read)(const FrontValue& value, FoundBug& bug);
};

// A field that is any text, and one that is of a few words.
template <std::string FoundBug::* member>
Result<void> as_text(const FrontValue& value, FoundBug& bug) {
  return read_text(value, bug.*member);
}
template <std::string FoundBug::* member, const auto& words>
Result<void> as_word(const FrontValue& value, FoundBug& bug) {
  return read_word(value, words, bug.*member);
}
template <bool FoundBug::* member>
Result<void> as_bool(const FrontValue& value, FoundBug& bug) {
  return read_bool(value, bug.*member);
}
template <auto member>
Result<void> as_count(const FrontValue& value, FoundBug& bug) {
  TRY(bug.*member, read_count(value));
  return {};
}

constexpr std::array rules = {
    FieldRule{"title", true, as_text<&FoundBug::title>},
    FieldRule{"system", true, as_text<&FoundBug::system>},
    FieldRule{"version", true, as_text<&FoundBug::version>},
    FieldRule{"fixed_in", false, as_text<&FoundBug::fixed_in>},
    FieldRule{"releases", false, read_releases},
    FieldRule{"verdict", true, read_verdict},
    FieldRule{"differs_in", false, as_word<&FoundBug::differs_in, differences>},
    FieldRule{"executed", false, as_text<&FoundBug::executed>},
    FieldRule{"grade", true, read_grade},
    FieldRule{"silent", true, as_bool<&FoundBug::silent>},
    FieldRule{"aliasing", true, read_aliasing},
    FieldRule{"counted", true, as_bool<&FoundBug::counted>},
    FieldRule{"same_cause_as", false, as_text<&FoundBug::same_cause_as>},
    FieldRule{"calls", true, as_count<&FoundBug::calls>},
    FieldRule{"found_how", true, as_word<&FoundBug::found_how, discoveries>},
    FieldRule{"found_by", false, as_text<&FoundBug::found_by>},
    FieldRule{"found_after", false, as_count<&FoundBug::found_after>},
    FieldRule{"found_note", false, as_text<&FoundBug::found_note>},
    FieldRule{"upstream", true, read_upstream},
    FieldRule{"searched", true, as_word<&FoundBug::searched, answers>},
    FieldRule{"case", true, as_text<&FoundBug::case_file>},
    FieldRule{"control", true, as_text<&FoundBug::control>},
    FieldRule{"script", true, as_text<&FoundBug::script>},
    FieldRule{"packages", true, read_packages},
};

// What two fields say of each other.
Result<void> check_together(const FoundBug& bug) {
  const bool is_mismatch = bug.verdict == Verdict::Mismatch;
  if (bug.silent && !is_mismatch) return fail("field 'silent': only a mismatch is silent");
  const bool is_of_numbers = bug.grade == Grade::Gross || bug.grade == Grade::InsideTolerances;
  if (bug.silent && (bug.grade == Grade::Refusal || bug.grade == Grade::Crash))
    return fail("field 'grade': what is silent is neither refused nor a crash");
  if (is_of_numbers && (bug.verdict == Verdict::Crash || bug.verdict == Verdict::Hang))
    return fail("field 'grade': a crash has no wrong result");
  if (!bug.differs_in.empty() && !is_mismatch)
    return fail("field 'differs_in': only a mismatch differs in {}", bug.differs_in);
  if (bug.counted && !bug.same_cause_as.empty()) {
    return fail("field 'same_cause_as': a bug that is counted has a cause of its own");
  }
  if (!bug.counted && bug.same_cause_as.empty() && bug.fixed_in.empty()) {
    return fail("field 'counted': false needs 'same_cause_as' or 'fixed_in'");
  }
  if (bug.releases) {
    const auto own = std::ranges::find(bug.releases->judged, bug.version, &VersionVerdict::version);
    if (own == bug.releases->judged.end() || !own->bad)
      return fail("field 'releases': {} is to be among them, with a verdict that is a finding", bug.version);
  }
  return {};
}

}  // namespace

std::string UpstreamThread::label() const {
  if (!url.starts_with(github)) return url;
  std::vector<std::string> steps;  // owner, repository, issues or pull, number
  for (std::size_t begin = github.size(); begin <= url.size();) {
    const std::size_t end = std::min(url.find('/', begin), url.size());
    steps.push_back(url.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps.size() == 4 ? fmt::format("{}/{}#{}", steps[0], steps[1], steps[3]) : url;
}

std::string FoundBug::since() const {
  if (!releases || releases->judged.size() < 2) return "";
  if (!releases->first_bad.empty()) return releases->first_bad;
  const auto oldest = std::ranges::find(releases->judged, true, &VersionVerdict::bad);
  return oldest->version + " or before";
}

std::string FoundBug::verdict_text() const {
  std::string text(parallax::name(verdict));
  std::ranges::replace(text, '_', ' ');
  if (!differs_in.empty()) text += " of " + differs_in;
  return silent ? text + ", silent" : text;
}

Result<FoundBug> parse_bug(std::string_view name, std::string_view text) {
  TRY(FrontMatter matter, parse_front_matter(text));
  FoundBug bug;
  bug.name = name;
  bug.text = std::move(matter.body);
  for (const FrontField& field : matter.fields) {
    const std::string place = fmt::format("line {}", field.line);
    const auto rule = std::ranges::find(rules, field.key, &FieldRule::key);
    if (rule == rules.end()) return at(place, fail("field '{}' is unknown", field.key).error());
    if (auto read = rule->read(field.value, bug); !read) {
      return at(place, fail("field '{}': {}", field.key, read.error().reason).error());
    }
  }
  for (const FieldRule& rule : rules) {
    if (rule.required && std::ranges::count(matter.fields, rule.key, &FrontField::key) == 0) {
      return fail("field '{}' is missing", rule.key);
    }
  }
  TRY_VOID(check_together(bug));
  return bug;
}

Json bug_json(const FoundBug& bug) {
  Json upstream = Json::array();
  for (const UpstreamThread& thread : bug.upstream)
    upstream.push_back({{"url", thread.url}, {"remark", thread.remark}});
  Json json = {{"name", bug.name},
               {"title", bug.title},
               {"system", bug.system},
               {"version", bug.version},
               {"fixed_in", bug.fixed_in},
               {"since", bug.since()},
               {"verdict", parallax::name(bug.verdict)},
               {"differs_in", bug.differs_in},
               {"executed", bug.executed},
               {"grade", parallax::name(bug.grade)},
               {"silent", bug.silent},
               {"aliasing", bug.aliasing},
               {"counted", bug.counted},
               {"same_cause_as", bug.same_cause_as},
               {"calls", bug.calls},
               {"found_how", bug.found_how},
               {"found_by", bug.found_by},
               {"found_after", nullptr},
               {"found_note", bug.found_note},
               {"upstream", upstream},
               {"searched", bug.searched},
               {"case", bug.case_file},
               {"control", bug.control},
               {"script", bug.script},
               {"packages", bug.packages}};
  if (bug.found_after) json["found_after"] = *bug.found_after;
  return json;
}

std::string system_slug(std::string_view system) {
  std::string slug;
  for (const char c : system) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

}  // namespace parallax
