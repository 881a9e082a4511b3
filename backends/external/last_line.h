// What a program that failed said last.
#pragma once

#include <string>

namespace parallax {

// The last line that says something, without its line break; empty where nothing was said.
inline std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\n");
  if (end == std::string::npos) return "";
  const std::size_t newline = text.find_last_of('\n', end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(begin, end - begin + 1);
}

}  // namespace parallax
