#include "compiler/faults.h"

#include <algorithm>

namespace parallax {

std::vector<std::string_view> broken_parts(const Fault& fault) {
  const CompilerParts sound;
  CompilerParts parts;
  fault.plant(parts);
  std::vector<std::string_view> broken;
  // A fault may leave passes out, which by itself breaks nothing.
  for (const Pass& pass : parts.passes) {
    const auto same = std::ranges::find(sound.passes, pass.name, &Pass::name);
    if (same == sound.passes.end() || same->run != pass.run) broken.push_back(pass.name);
  }
  if (parts.partition != sound.partition) broken.push_back("partition");
  if (parts.fusion != sound.fusion) broken.push_back("fusion");
  if (parts.resize.refreshes != sound.resize.refreshes) broken.push_back("resize");
  const bool planner =
      parts.resize.keeps_plan == sound.resize.keeps_plan && parts.lifetimes == sound.lifetimes &&
      parts.sizes == sound.sizes && parts.shared_size == sound.shared_size && parts.packer == sound.packer &&
      std::ranges::equal(parts.in_place, sound.in_place, {}, &InPlaceCondition::holds, &InPlaceCondition::holds);
  if (!planner) broken.push_back("planner");
  return broken;
}

Result<FaultSet> FaultSet::of(std::span<const std::string> ids) {
  FaultSet set;
  for (const std::string& id : ids) {
    const auto found = std::ranges::find(all_faults, id, [](const Fault* fault) { return fault->id; });
    if (found == all_faults.end()) return fail("no fault is called '{}'", id);
    if (std::ranges::find(set.faults_, *found) == set.faults_.end()) set.faults_.push_back(*found);
  }
  return set;
}

std::string FaultSet::names() const {
  std::string names;
  for (const Fault* fault : faults_) {
    if (!names.empty()) names += ", ";
    names += fault->id;
  }
  return names;
}

CompilerParts FaultSet::parts() const {
  CompilerParts parts;
  for (const Fault* fault : faults_) fault->plant(parts);
  return parts;
}

}  // namespace parallax
