#include "reports/stack_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace parallax {
namespace {

constexpr std::size_t most_frames = 6;
constexpr std::size_t most_lines_without_frames = 12;

// What frames of a run time, an interpreter or our own worker hold.
constexpr std::array<std::string_view, 27> outer = {
    "_start",       "start_thread",      "clone3",          "__libc_",      "libc.so",
    "libpthread",   "rust_begin_unwind", "core::panicking", "core::result", "core::ops::",
    "core::option", "std::panicking",    "std::panic",      "std::rt",      "std::sys",
    "__rust",       "_PyEval_",          "PyEval_",         "PyObject_",    "_PyObject",
    "_PyFunction",  "Py_RunMain",        "Py_BytesMain",    "PyRun_",       "pymain_",
    "/adapters/",   "<frozen "};

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool is_python_frame(std::string_view line) { return trimmed(line).starts_with("File \""); }

// "  12: tract_core::…", "#3 0x… in f", "frame #3: …".
bool is_native_frame(std::string_view line) {
  std::string_view text = trimmed(line);
  const bool numbered = text.starts_with("frame #") || text.starts_with('#');
  if (numbered) text.remove_prefix(text.find('#') + 1);
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) ++digits;
  if (digits == 0 || digits == text.size()) return false;
  return numbered || text.substr(digits).starts_with(": ");
}

bool is_frame(std::string_view line) { return is_python_frame(line) || is_native_frame(line); }

// Whether a line holds a name, and not the end of a longer one: tract_core::ops is not core::ops.
bool holds_name(std::string_view line, std::string_view name) {
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    if (at == 0 || !is_of_name(line[at - 1]) || !is_of_name(name.front())) return true;
  }
  return false;
}

bool is_outer(std::string_view line) {
  return std::ranges::any_of(outer, [&](std::string_view name) { return holds_name(line, name); });
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  return lines;
}

// Places of the frames that matter. Python tells the innermost last, others first.
std::vector<std::size_t> frames_of(const std::vector<std::string_view>& lines) {
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_frame(lines[i]) && !is_outer(lines[i])) frames.push_back(i);
  }
  if (frames.size() <= most_frames) return frames;
  if (is_python_frame(lines[frames.back()])) {
    frames.erase(frames.begin(), frames.end() - most_frames);
  } else {
    frames.resize(most_frames);
  }
  return frames;
}

}  // namespace

std::string stack_lines(std::string_view written) {
  const std::vector<std::string_view> lines = lines_of(written);
  std::vector<bool> kept(lines.size(), false);
  const std::vector<std::size_t> frames = frames_of(lines);
  for (const std::size_t frame : frames) {
    kept[frame] = true;
    // The frame's place, or its line of code.
    const std::size_t next = frame + 1;
    if (next < lines.size() && !is_frame(lines[next]) && lines[next].starts_with("    ")) kept[next] = true;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].contains(" panicked at ")) kept[i] = kept[std::min(i + 1, lines.size() - 1)] = true;
    // Why it ended stands last.
    if (i + 1 == lines.size() && !is_frame(lines[i])) kept[i] = true;
    if (frames.empty() && i + most_lines_without_frames >= lines.size()) kept[i] = true;
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (kept[i]) text.append(lines[i]).append("\n");
  }
  return text;
}

}  // namespace parallax
