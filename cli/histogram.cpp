#include "cli/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <vector>

#include "fuzz/generate/alias_relation.h"

namespace parallax {
namespace {

constexpr std::size_t bar_width = 30;
constexpr std::size_t most_rows = 24;

// "name  count  ████", the most frequent first.
std::string bars(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : rows | std::views::take(most_rows)) {
    const auto length =
        static_cast<std::size_t>(static_cast<double>(count) / static_cast<double>(rows.front().second) * bar_width);
    std::string bar;
    for (std::size_t i = 0; i < length; ++i) bar += "▇";
    text += fmt::format("  {:34} {:>9}  {}\n", name, count, bar);
  }
  if (rows.size() > most_rows) text += fmt::format("  … and {} more\n", rows.size() - most_rows);
  return text;
}

}  // namespace

void Histogram::add(const Graph& graph, int reused_slots, bool is_undecided) {
  ++graphs_;
  planned_ += reused_slots >= 0;
  const auto [relations, by_node] = alias_relations_by_node(graph);
  coverage_.add(graph, by_node, is_undecided);
  bool alias = false;
  for (std::size_t i = 0; i < alias_relation_count; ++i) {
    if (!relations[i]) continue;
    ++relations_[std::string(name(static_cast<AliasRelation>(i)))];
  }
  bool write = false;
  for (const Node& node : graph.nodes) {
    ++ops_[node.op->name];
    write |= node.op->writes() && !node.op->writes_metadata_only();
    for (ValueId result : node.results) {
      for (const Argument& argument : node.arguments) {
        for_each_value(argument, [&](ValueId value) {
          alias |= graph.meta(value).storage == graph.meta(result).storage &&
                   graph.objects[value.index] != graph.objects[result.index];
        });
      }
    }
  }
  write_alias_reuse_ += write && alias && reused_slots > 0;
}

int64_t Histogram::graphs_with(AliasRelation relation) const {
  const auto found = relations_.find(std::string(name(relation)));
  return found == relations_.end() ? 0 : found->second;
}

std::string Histogram::text() const {
  if (graphs_ == 0) return "";
  std::string text = fmt::format("ops\n{}alias relations (graphs that hold them)\n{}", bars(ops_), bars(relations_));
  if (planned_ > 0) {
    text += fmt::format("{:.1f} % of {} graphs hold a write, an alias and a reused slot\n",
                        100.0 * static_cast<double>(write_alias_reuse_) / static_cast<double>(planned_), planned_);
  }
  return text;
}

std::string Histogram::to_json() const {
  return nlohmann::json{{"graphs", graphs_}, {"planned", planned_},     {"write_alias_reuse", write_alias_reuse_},
                        {"ops", ops_},       {"relations", relations_}, {"coverage", coverage_.to_json()}}
      .dump();
}

Result<Histogram> Histogram::from_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    Histogram histogram;
    json.at("graphs").get_to(histogram.graphs_);
    json.at("planned").get_to(histogram.planned_);
    json.at("write_alias_reuse").get_to(histogram.write_alias_reuse_);
    json.at("ops").get_to(histogram.ops_);
    json.at("relations").get_to(histogram.relations_);
    // Campaigns of earlier versions did not count it.
    if (json.contains("coverage")) histogram.coverage_ = CoverageMap::from_json(json.at("coverage"));
    return histogram;
  } catch (const nlohmann::json::exception& error) {
    return fail("a histogram cannot be read: {}", error.what());
  }
}

}  // namespace parallax
