// What a program that failed said last.
#pragma once

#include <string>
#include <string_view>

namespace parallax {

// The last line that says something, without its line break; empty where nothing was said.
inline std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\n");
  if (end == std::string::npos) return "";
  const std::size_t newline = text.find_last_of('\n', end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(begin, end - begin + 1);
}

// Why a process aborted: its last line. Rust says why first ("thread … panicked at FILE:LINE:", then the message), and
// a panic that must not unwind brings a second one, which says just that, and a backtrace: place and message of the
// first.
inline std::string abort_reason(const std::string& text) {
  constexpr std::string_view mark = " panicked at ";
  constexpr std::string_view second = "panic in a function that cannot unwind";
  std::string reason;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string::npos) break;
    const std::string message = text.substr(newline + 1, text.find('\n', newline + 1) - newline - 1);
    if (!message.empty() && message != second) reason = text.substr(at, newline - at) + " " + message;
  }
  return reason.empty() ? last_line(text) : reason;
}

}  // namespace parallax
