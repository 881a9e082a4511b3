// The names of a graph in a case file, gathered before anything is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/json_field.h"

namespace parallax {

// The sections of sources, in the order they stand in.
inline constexpr std::string_view source_sections[] = {"inputs", "constants", "buffers"};  // by SourceKind

// Knowing all names beforehand tells "used before its definition" from "unknown", keeps made-up names clear of later
// ones, and lets a list's elements take the names that later getitems give them.
struct GraphNames {
  std::unordered_set<std::string> all;
  // By list: element index → the first name that a getitem gives it.
  std::unordered_map<std::string, std::unordered_map<int64_t, std::string>> elements;

  // A name for element k of a list that no getitem names; it is added to `all`.
  std::string element_name(const std::string& list, int64_t k);
};

// Checks the graph's outer shape (sections are objects, nodes are objects with "out" and "op") and that names are
// identifiers used once.
Result<GraphNames> gather_names(const Field& graph);

}  // namespace parallax
