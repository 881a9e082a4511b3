#include "fuzz/findings/trigger_map.h"

#include <fmt/format.h>

#include <array>

namespace parallax {
namespace {

enum class Group { Fails, FailsOtherwise, Passes, Refused, Unknown };
constexpr std::array group_texts = {"fails for", "fails in another way for", "passes for", "refused for",
                                    "not decided for"};

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

std::string describe(const TriggerMap& map) {
  std::string text;
  for (std::size_t i = 0; i < map.neighbours.size();) {
    const std::string& about = map.neighbours[i].neighbour.about;
    std::array<std::string, group_texts.size()> lists;
    for (; i < map.neighbours.size() && map.neighbours[i].neighbour.about == about; ++i) {
      const Group group = group_of(map.neighbours[i].judgement.verdict, map.judgement.verdict);
      std::string& list = lists[static_cast<std::size_t>(group)];
      list += (list.empty() ? "" : ", ") + with_verdict(map.neighbours[i], group);
    }
    std::string line;
    for (std::size_t group = 0; group < lists.size(); ++group) {
      if (!lists[group].empty())
        line += fmt::format("{} {} {}", line.empty() ? ":" : ";", group_texts[group], lists[group]);
    }
    text += fmt::format("  {}{}\n", about, line);
  }
  return text;
}

}  // namespace parallax
