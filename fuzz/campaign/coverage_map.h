// Coverage map: which ops a campaign drew with results of which dtype, and which alias relations such nodes brought
// about (fuzz/generate/alias_relation.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/result.h"
#include "fuzz/generate/alias_relation.h"

namespace parallax {

class CoverageMap {
 public:
  struct Cell {
    int64_t nodes = 0;
    int64_t undecided = 0;  // of these, in graphs that ended undecided
    AliasRelations relations;

    friend bool operator==(const Cell&, const Cell&) = default;
  };
  using Row = std::array<Cell, dtype_count>;  // by the dtype of a node's first result

  // `by_node`: of the graph's alias relations, those that each node brings about.
  void add(const Graph& graph, std::span<const AliasRelations> by_node, bool is_undecided = false);
  void add(const CoverageMap& other);
  const std::map<std::string, Row>& ops() const { return ops_; }

  // {"aten.neg.default": {"f32": [12, ["view-of-input", …], 3]}, …}. Relations are by name, so that a later version
  // reads what it knows.
  nlohmann::json to_json() const;
  // Throws what the JSON library throws where a part is missing.
  static CoverageMap from_json(const nlohmann::json& json);

  friend bool operator==(const CoverageMap&, const CoverageMap&) = default;

 private:
  std::map<std::string, Row> ops_;
};

}  // namespace parallax
