// Terminal: how wide it is, whether to colour what goes there, and lines cut to its width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parallax {

// Standard output and standard error are asked one by one: either may go to a file.
enum class Stream { Out, Err };

bool is_terminal(Stream stream);

// Columns of the terminal that a stream goes to; 80 where that cannot be told.
std::size_t terminal_width(Stream stream);

// On a terminal, unless NO_COLOR is set (https://no-color.org) or TERM is dumb.
bool takes_colour(Stream stream);

enum class Colour { Red, Yellow, Green, Bold, Dim };

// The text between the codes of a colour where the stream takes colour, else as it is.
std::string paint(Stream stream, Colour colour, std::string_view text);

// How many columns UTF-8 text of single-width characters takes.
std::size_t columns_of(std::string_view text);

// The text, or its beginning and "…", in at most `width` columns.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace parallax
