#include "reports/front_matter.h"

#include <algorithm>
#include <cctype>

namespace parallax {
namespace {

constexpr std::string_view fence = "---";
// What begins something else than a plain value in YAML.
constexpr std::string_view indicators = "[]{}\"'&*!|>%@`#,?:-";

// The next line, without its end, taken off the front.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool is_key(std::string_view key) {
  return !key.empty() &&
         std::ranges::all_of(key, [](char c) { return c == '_' || std::islower(static_cast<unsigned char>(c)) != 0; });
}

// A quoted value, taken off the front together with its quotes.
Result<std::string> take_quoted(std::string_view& text) {
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] == '\\' && (++i == text.size() || (text[i] != '"' && text[i] != '\\'))) {
      return fail("a backslash must be followed by a quote or a backslash");
    }
    value += text[i];
  }
  return fail("a closing quote is missing");
}

Result<std::string> plain_value(std::string_view text) {
  if (text.empty()) return fail("a value is missing");
  if (text.front() == ' ' || text.back() == ' ') return fail("there is one space too many beside the value");
  const bool is_special = indicators.contains(text.front()) || text.ends_with(':') || text.contains(": ") ||
                          text.contains(" #") || text.contains('\t');
  if (is_special) return fail("the value '{}' must be quoted", text);
  return std::string(text);
}

// One element of a list, taken off the front up to its comma or the closing bracket.
Result<std::string> take_element(std::string_view& text) {
  if (text.starts_with('"')) return take_quoted(text);
  const std::size_t end = std::min(text.find_first_of(",]"), text.size());
  const std::string_view element = text.substr(0, end);
  if (element.find_first_of("[{}") != std::string_view::npos) return fail("the value '{}' must be quoted", element);
  text.remove_prefix(end);
  return plain_value(element);
}

Result<std::vector<std::string>> parse_list(std::string_view text) {
  std::vector<std::string> list;
  text.remove_prefix(1);
  if (text == "]") return list;
  while (true) {
    TRY(list.emplace_back(), take_element(text));
    if (text == "]") return list;
    if (!text.starts_with(", ")) return fail("', ' or a closing bracket is expected after '{}'", list.back());
    text.remove_prefix(2);
  }
}

Result<FrontValue> parse_value(std::string_view text) {
  if (text.starts_with('[')) return parse_list(text);
  if (!text.starts_with('"')) return plain_value(text);
  TRY(std::string value, take_quoted(text));
  if (!text.empty()) return fail("'{}' follows the closing quote", text);
  return value;
}

Result<FrontField> parse_field(std::string_view line, int number) {
  const std::size_t colon = line.find(':');
  const std::string_view key = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_key(key)) return fail("'key: value' is expected, not '{}'", line);
  if (!line.substr(colon).starts_with(": ")) return fail("field '{}': a space and a value must follow", key);
  Result<FrontValue> value = parse_value(line.substr(colon + 2));
  if (!value) return fail("field '{}': {}", key, value.error().reason);
  return FrontField{std::string(key), *std::move(value), number};
}

}  // namespace

Result<FrontMatter> parse_front_matter(std::string_view text) {
  if (take_line(text) != fence) return at("line 1", fail("front matter is missing: '{}' is expected", fence).error());
  FrontMatter matter;
  for (int number = 2; !text.empty(); ++number) {
    const std::string place = fmt::format("line {}", number);
    const std::string_view line = take_line(text);
    if (line == fence) {
      matter.body = text;
      return matter;
    }
    Result<FrontField> field = parse_field(line, number);
    if (!field) return at(place, std::move(field).error());
    if (std::ranges::count(matter.fields, field->key, &FrontField::key) > 0) {
      return at(place, fail("field '{}' is there twice", field->key).error());
    }
    matter.fields.push_back(*std::move(field));
  }
  return fail("front matter has no end: a second line '{}' is missing", fence);
}

}  // namespace parallax
