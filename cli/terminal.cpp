#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace parallax {
namespace {

int descriptor(Stream stream) { return stream == Stream::Out ? STDOUT_FILENO : STDERR_FILENO; }

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// A byte of UTF-8 that goes on with a character.
bool goes_on(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

int code_of_colour(Colour colour) {
  switch (colour) {
    case Colour::Red:
      return 31;
    case Colour::Yellow:
      return 33;
    case Colour::Green:
      return 32;
    case Colour::Bold:
      return 1;
    case Colour::Dim:
      return 2;
  }
  return 0;
}

}  // namespace

bool is_terminal(Stream stream) { return isatty(descriptor(stream)) == 1; }

std::size_t terminal_width(Stream stream) {
  constexpr std::size_t usual = 80;
  winsize size{};
  if (ioctl(descriptor(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

bool takes_colour(Stream stream) {
  const char* kind = std::getenv("TERM");
  return is_terminal(stream) && !is_set("NO_COLOR") && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string paint(Stream stream, Colour colour, std::string_view text) {
  if (!takes_colour(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of_colour(colour), text);
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !goes_on(byte); }));
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (columns_of(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t left = width - 1; end < text.size(); ++end) {
    if (!goes_on(text[end]) && left-- == 0) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace parallax
