// JSON text in and out: a strict reader that says where an input is broken, and a writer that a person can read.
//
// The JSON type is only forward-declared here, so that including this header stays cheap.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parallax {

// Objects keep the order of their members: the order of inputs is part of a case's meaning.
using Json = nlohmann::ordered_json;

// Larger documents are refused: a parsed element takes 16 bytes, so this already stands for gigabytes.
inline constexpr std::size_t max_json_bytes = std::size_t{1} << 28;
// No part of the format nests deeper than ten; deeper text is refused before it costs anything.
inline constexpr int max_json_depth = 64;

// Parses one document. Refuses what JSON leaves open or other readers take silently: two members of one name, numbers
// over the range of a double. Syntax errors carry line and column; the others the JSON pointer.
Result<Json> parse_json(std::string_view text);

// The text of a document. `indent` < 0: one line without spaces. Otherwise lists of scalars and short objects stay on
// one line, and longer ones are broken with `indent` spaces a level.
std::string write_json(const Json& json, int indent = -1);

// "key" as one step of a JSON pointer: "/a~1b".
std::string pointer_step(std::string_view key);
std::string pointer_step(std::size_t index);

}  // namespace parallax
