#include "fuzz/findings/trigger_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace {

using Group = TriggerGroup;

Group group_of(Verdict verdict, Verdict of_the_case) {
  if (is_finding(verdict)) return verdict == of_the_case ? Group::Fails : Group::FailsOtherwise;
  switch (verdict) {
    case Verdict::Match:
    case Verdict::Audited:
      return Group::Passes;
    case Verdict::Rejected:
    case Verdict::Unsupported:
    case Verdict::ReferenceRefused:
      return Group::Refused;
    default:
      return Group::Unknown;
  }
}

std::string with_verdict(const JudgedNeighbour& one, Group group) {
  if (group != Group::FailsOtherwise) return one.neighbour.edit;
  return fmt::format("{} ({})", one.neighbour.edit, name(one.judgement.verdict));
}

}  // namespace

TriggerMap trigger_map(Target& target, const Case& test) {
  TriggerMap map{target.name(), examine_anew(target, test).judgement, {}};
  for (Neighbour& neighbour : neighbours_of(test)) {
    Judgement judgement = examine_anew(target, neighbour.test).judgement;
    map.neighbours.push_back({std::move(neighbour), std::move(judgement)});
  }
  return map;
}

std::vector<TriggerRow> rows_of(const TriggerMap& map) {
  std::vector<TriggerRow> rows;
  for (const JudgedNeighbour& one : map.neighbours) {
    if (rows.empty() || rows.back().about != one.neighbour.about) rows.push_back({one.neighbour.about, {}});
    const Group group = group_of(one.judgement.verdict, map.judgement.verdict);
    rows.back().edits[static_cast<std::size_t>(group)].push_back(with_verdict(one, group));
  }
  return rows;
}

std::string describe(const TriggerMap& map) {
  std::string text;
  for (const TriggerRow& row : rows_of(map)) {
    std::string line;
    for (std::size_t group = 0; group < trigger_group_count; ++group) {
      if (row.edits[group].empty()) continue;
      line += fmt::format("{} {} for {}", line.empty() ? ":" : ";", trigger_group_texts[group],
                          fmt::join(row.edits[group], ", "));
    }
    text += fmt::format("  {}{}\n", row.about, line);
  }
  return text;
}

}  // namespace parallax
