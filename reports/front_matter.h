// Front matter: the fields at the head of a text file, between two lines of three hyphens. It is a subset of YAML, read
// strictly, so that other programs can read the same files:
//   key: value              a plain value, to the end of the line
//   key: "va\"lue"          a quoted value; \" and \\ are its only escapes
//   key: [a, "b, c"]        a list of values
// A value must be quoted where it holds ": " or " #", ends with a colon, or begins with a character that means
// something in YAML. Nesting, comments, blank lines and a second field of the same name are errors.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"

namespace parallax {

using FrontValue = std::variant<std::string, std::vector<std::string>>;

struct FrontField {
  std::string key;
  FrontValue value;
  int line = 0;  // in the file, from 1
};

struct FrontMatter {
  std::vector<FrontField> fields;  // in the order of the file
  std::string body;                // what follows the closing line
};

// Reads the head of a text. The error's pointer is the line: "line 3".
Result<FrontMatter> parse_front_matter(std::string_view text);

}  // namespace parallax
