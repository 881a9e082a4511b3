#include "corpus/closing_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {
namespace {

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace

std::string closing_lines(const Finding& finding) {
  if (!finding.grade) return "";
  std::string text = fmt::format("{}{}\n", closing_words, name(*finding.grade));
  if (finding.evidence) text += indented(describe(*finding.evidence));
  if (finding.jury.empty()) return text;
  text += fmt::format("  jury: {}\n", name(confirmation_of(finding.jury)));
  for (const JurorAnswer& juror : finding.jury) {
    std::string said = juror.said;
    std::ranges::replace(said, '\n', ' ');
    text += fmt::format("    {}: {}{}{}\n", juror.juror, name(juror.answer), said.empty() ? "" : ", ", said);
  }
  return text;
}

}  // namespace parallax
