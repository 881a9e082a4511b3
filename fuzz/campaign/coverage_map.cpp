#include "fuzz/campaign/coverage_map.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace parallax {
namespace {

std::optional<AliasRelation> parse_relation(std::string_view text) {
  for (std::size_t r = 0; r < alias_relation_count; ++r) {
    if (name(static_cast<AliasRelation>(r)) == text) return static_cast<AliasRelation>(r);
  }
  return std::nullopt;
}

}  // namespace

void CoverageMap::add(const Graph& graph, std::span<const AliasRelations> by_node, bool is_undecided) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (node.results.empty()) continue;
    Cell& cell = ops_[node.op->name][static_cast<std::size_t>(graph.meta(node.results.front()).dtype)];
    ++cell.nodes;
    cell.undecided += is_undecided;
    cell.relations |= by_node[n];
  }
}

void CoverageMap::add(const CoverageMap& other) {
  for (const auto& [op, row] : other.ops_) {
    Row& mine = ops_[op];
    for (std::size_t d = 0; d < dtype_count; ++d) {
      mine[d].nodes += row[d].nodes;
      mine[d].undecided += row[d].undecided;
      mine[d].relations |= row[d].relations;
    }
  }
}

nlohmann::json CoverageMap::to_json() const {
  auto json = nlohmann::json::object();
  for (const auto& [op, row] : ops_) {
    for (std::size_t d = 0; d < dtype_count; ++d) {
      if (row[d].nodes == 0) continue;
      auto relations = nlohmann::json::array();
      for (std::size_t r = 0; r < alias_relation_count; ++r) {
        if (row[d].relations[r]) relations.push_back(name(static_cast<AliasRelation>(r)));
      }
      json[op][std::string(name(static_cast<DType>(d)))] = {row[d].nodes, std::move(relations), row[d].undecided};
    }
  }
  return json;
}

CoverageMap CoverageMap::from_json(const nlohmann::json& json) {
  CoverageMap map;
  for (const auto& [op, dtypes] : json.items()) {
    for (const auto& [text, cell] : dtypes.items()) {
      const std::optional<DType> dtype = parse_dtype(text);
      if (!dtype) continue;
      Cell& read = map.ops_[op][static_cast<std::size_t>(*dtype)];
      cell.at(0).get_to(read.nodes);
      // Campaigns of earlier versions did not count it.
      if (cell.size() > 2) cell.at(2).get_to(read.undecided);
      for (const auto& relation : cell.at(1)) {
        if (const auto known = parse_relation(relation.get<std::string>())) {
          read.relations.set(static_cast<std::size_t>(*known));
        }
      }
    }
  }
  return map;
}

}  // namespace parallax
