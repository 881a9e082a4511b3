#include "corpus/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>

#include "core/json_field.h"
#include "corpus/signature.h"
#include "graph/text_file.h"
#include "ops/registry.h"

namespace parallax {
namespace {

bool is_day(std::string_view text) {
  constexpr std::string_view form = "0000-00-00";
  return std::ranges::equal(text, form, [](char c, char f) { return f == '0' ? std::isdigit(c) != 0 : c == f; });
}

// The next run of digits, or of other characters up to a dot, taken off the front.
std::string_view take_part(std::string_view& version) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t length = 0;
  while (length < version.size() && version[length] != '.' && digit(version[length]) == digit(version[0])) ++length;
  const std::string_view part = version.substr(0, length);
  version.remove_prefix(length);
  if (!version.empty() && version.front() == '.') version.remove_prefix(1);
  return part;
}

bool within(std::string_view version, std::string_view range) {
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) return version == range;
  const std::string_view first = range.substr(0, dots);
  const std::string_view last = range.substr(dots + 2);
  return (first.empty() || !is_older_version(version, first)) && (last.empty() || !is_older_version(last, version));
}

Result<void> read_avoided(const Field& calls, std::map<std::string, std::vector<DType>>& avoid) {
  TRY_VOID(calls.expect_object());
  return for_each_member(calls, [&](const std::string& op, const Field& dtypes) -> Result<void> {
    if (find_op(op) == nullptr) return dtypes.fail("there is no op '{}'", op);
    TRY_VOID(dtypes.expect_array());
    for (std::size_t i = 0; i < dtypes.json().size(); ++i) {
      TRY(const std::string text, dtypes.element(i).text());
      const std::optional<DType> dtype = parse_dtype(text);
      if (!dtype) return dtypes.element(i).fail("there is no dtype '{}'", text);
      avoid[op].push_back(*dtype);
    }
    return {};
  });
}

// Whether two ops compute the same, into a result or in place, with a tensor or a number.
bool same_function(const Op& a, const Op& b) {
  const auto stem = [](std::string_view name) { return name.ends_with('_') ? name.substr(0, name.size() - 1) : name; };
  return stem(a.schema.name) == stem(b.schema.name);
}

bool holds(const KnownFinding& entry, std::string_view target, const KnownFindings::Versions& versions) {
  if (!entry.is_of(target)) return false;
  return std::ranges::all_of(entry.versions, [&](const auto& wanted) {
    const auto found = std::ranges::find(versions, wanted.first, &std::pair<std::string, std::string>::first);
    return found != versions.end() && within(found->second, wanted.second);
  });
}

// "?a=1&b=2" of "name@version?a=1&b=2".
std::string_view options_of(std::string_view target) {
  return target.substr(std::min(target.find('?'), target.size()));
}

// A signature that was written when in-place and functional twins were told apart.
std::string plain_of_graph(const std::string& signature) {
  constexpr std::string_view mark = " | values | ";
  const std::size_t at = signature.find(mark);
  if (at == std::string::npos) return signature;
  const std::size_t begin = at + mark.size();
  return signature.substr(0, begin) + without_twins(signature.substr(begin));
}

Result<KnownFinding> parse_entry(const Json& json) {
  const Field object(json, "");
  TRY_VOID(object.expect_object());
  KnownFinding entry;
  const auto read_member = [&](const std::string& key, const Field& value) -> Result<void> {
    std::string* text = key == "signature" ? &entry.signature
                        : key == "target"  ? &entry.target
                        : key == "url"     ? &entry.url
                        : key == "expires" ? &entry.expires
                                           : nullptr;
    if (text != nullptr) {
      TRY(*text, value.text());
    } else if (key == "versions") {
      if (auto is_object = value.expect_object(); !is_object) return is_object;
      return for_each_member(value, [&](const std::string& package, const Field& range) -> Result<void> {
        TRY(entry.versions[package], range.text());
        return {};
      });
    } else if (key == "avoid") {
      return read_avoided(value, entry.avoid);
    } else {
      return value.fail("'{}' is no member of a known finding", key);
    }
    if (key == "expires" && !is_day(entry.expires)) return value.fail("'{}' is no day: YYYY-MM-DD is wanted", *text);
    return {};
  };
  TRY_VOID(object.need("signature"));
  TRY_VOID(for_each_member(object, read_member));
  return entry;
}

}  // namespace

std::string_view plain_target(std::string_view target) { return target.substr(0, target.find_first_of("@?")); }

std::string without_version(std::string_view target) {
  return fmt::format("{}{}", plain_target(target), options_of(target));
}

std::string plain_signature(std::string_view signature, std::string_view target) {
  std::string plain(signature);
  const std::size_t at = plain.find(target);
  if (at != std::string::npos) plain.replace(at, target.size(), plain_target(target));
  return plain;
}

bool KnownFinding::is_of(std::string_view other) const {
  if (target.empty()) return true;
  if (plain_target(target) != plain_target(other)) return false;
  const auto listed = [](std::string_view of) { return options_of(of) | std::views::drop(1) | std::views::split('&'); };
  return std::ranges::all_of(listed(target), [&](const auto& option) {
    return std::ranges::any_of(listed(other), [&](const auto& given) { return std::ranges::equal(option, given); });
  });
}

bool is_older_version(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view x = take_part(a);
    const std::string_view y = take_part(b);
    if (x == y) continue;
    const bool numbers = !x.empty() && !y.empty() && std::isdigit(static_cast<unsigned char>(x[0])) != 0 &&
                         std::isdigit(static_cast<unsigned char>(y[0])) != 0;
    // Of two numbers without leading zeros, the longer one is the larger.
    if (numbers && x.size() != y.size()) return x.size() < y.size();
    return x < y;
  }
  return a.empty() && !b.empty();
}

Result<KnownFindings> KnownFindings::read(const std::filesystem::path& path, std::string_view today) {
  TRY(const std::string text, read_text_file(path));
  KnownFindings known;
  known.text_ = text;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<Json> json = parse_json(line);
    Result<KnownFinding> entry = json ? parse_entry(*json) : std::unexpected(std::move(json).error());
    if (!entry) {
      Error error = std::move(entry).error();
      error.file = fmt::format("{}:{}", path.string(), number);
      known.broken_.push_back(std::move(error));
      continue;
    }
    const bool over = !entry->expires.empty() && entry->expires < today;
    (over ? known.expired_ : known.entries_).push_back(*std::move(entry));
  }
  return known;
}

const KnownFinding* KnownFindings::find(std::string_view signature, std::string_view target,
                                        const Versions& versions) const {
  const std::string plain = plain_signature(signature, target);
  const auto found = std::ranges::find_if(entries_, [&](const KnownFinding& entry) {
    const std::string known = plain_signature(entry.signature, entry.target);
    return (known == plain || plain_of_graph(known) == plain) && holds(entry, target, versions);
  });
  return found == entries_.end() ? nullptr : &*found;
}

bool KnownFindings::avoids(const Op& op, DType dtype, std::string_view target, const Versions& versions) const {
  return std::ranges::any_of(entries_, [&](const KnownFinding& entry) {
    const auto is_said = [&](const auto& call) {
      return std::ranges::count(call.second, dtype) > 0 && same_function(op_named(call.first), op);
    };
    return std::ranges::any_of(entry.avoid, is_said) && holds(entry, target, versions);
  });
}

std::string known_line(const Finding& finding) {
  Json json = {{"signature", plain_signature(finding.signature, finding.target)},
               {"target", without_version(finding.target)}};
  for (const auto& [package, version] : finding.versions) json["versions"][package] = version;
  const Graph& graph = finding.reduced.graph;
  if (graph.nodes.size() == 1) {
    const Node& call = graph.nodes.front();
    const std::optional<DType> dtype = first_dtype(call.arguments, graph);
    const bool moves = call.op->group == OpGroup::View || call.op->group == OpGroup::Copy;
    if (dtype && !moves) json["avoid"][std::string(call.op->name)] = {name(*dtype)};
  }
  return write_json(json);
}

}  // namespace parallax
