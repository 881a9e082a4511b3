#include "reports/html.h"

#include <cstdint>

namespace parallax {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The code point at the front of `text` and its length in bytes; a length of 0 where it is broken.
struct CodePoint {
  uint32_t value = 0;
  std::size_t length = 0;
};

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  constexpr uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return value < smallest[length] || value > 0x10FFFF ? CodePoint{} : CodePoint{value, length};
}

bool is_kept(uint32_t c) {
  if (c < 0x20) return c == '\n' || c == '\t';
  const bool control = c >= 0x7F && c < 0xA0;
  const bool surrogate = c >= 0xD800 && c < 0xE000;
  const bool turns = c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return !control && !surrogate && !turns && (c & 0xFFFE) != 0xFFFE;
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (point.length == 0 || !is_kept(point.value)) {
      result += replacement;
    } else if (point.value == '&') {
      result += "&amp;";
    } else if (point.value == '<') {
      result += "&lt;";
    } else if (point.value == '>') {
      result += "&gt;";
    } else if (point.value == '"') {
      result += "&quot;";
    } else if (point.value == '\'') {
      result += "&#39;";
    } else {
      result += text.substr(0, point.length);
    }
    text.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  return result;
}

void Html::open(std::string_view tag, Attributes attributes, std::string_view end) {
  out_.append("<").append(tag);
  for (const auto& [name, value] : attributes) {
    if (value.data() == nullptr) continue;
    out_.append(" ").append(name).append("=\"").append(escaped_markup(value)).append("\"");
  }
  out_ += end;
}

void Html::close(std::string_view tag) { out_.append("</").append(tag).append(">"); }

Html::Scope Html::in(std::string_view tag, Attributes attributes) {
  open(tag, attributes, ">");
  return {*this, tag};
}

void Html::element(std::string_view tag, std::string_view content, Attributes attributes) {
  open(tag, attributes, ">");
  text(content);
  close(tag);
}

void Html::empty(std::string_view tag, Attributes attributes) { open(tag, attributes, "/>"); }

void Html::text(std::string_view content) { out_ += escaped_markup(content); }

}  // namespace parallax
