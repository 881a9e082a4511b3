#include "corpus/check_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace parallax {
namespace {

// As one word of a shell's command line.
std::string shell_quoted(std::string_view word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/._-+=:@,").contains(c);
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string check_command(const Finding& finding, std::string_view case_file,
                          const std::optional<std::string>& earlier_file) {
  std::string text = fmt::format("parallax check {}", shell_quoted(case_file));
  if (earlier_file) text += fmt::format(" --after {}", shell_quoted(*earlier_file));
  text += fmt::format(" --target '{}'", finding.target);
  for (const std::string& fault : finding.planted) text += " --plant " + fault;
  return text;
}

}  // namespace parallax
