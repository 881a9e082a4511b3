#include "compiler/faults.h"

#include <algorithm>

#include "planner/mutants_list.h"

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
  if (parts.device != sound.device) broken.push_back("device");
  if (parts.control != sound.control) broken.push_back("control");
  if (parts.integers != sound.integers) broken.push_back("integer kernels");
  const bool resizes = parts.resize.refreshes == sound.resize.refreshes && parts.resize.number == sound.resize.number &&
                       parts.resize.settle == sound.resize.settle;
  if (!resizes) broken.push_back("resize");
  const bool planner =
      parts.resize.keeps_plan == sound.resize.keeps_plan && parts.lifetimes == sound.lifetimes &&
      parts.sizes == sound.sizes && parts.shared_size == sound.shared_size && parts.packer == sound.packer &&
      parts.life_with_part == sound.life_with_part &&
      std::ranges::equal(parts.in_place, sound.in_place, {}, &InPlaceCondition::holds, &InPlaceCondition::holds);
  if (!planner) broken.push_back("planner");
  return broken;
}

Result<FaultSet> FaultSet::of(std::span<const std::string> ids) {
  FaultSet set;
  for (const std::string& id : ids) {
    if (const Mutant* mutant = find_mutant(id)) {
      if (set.mutant_ && set.mutant_ != mutant) return fail("{} and {}: one mutant at a time", set.mutant_->id, id);
      set.mutant_ = mutant;
      continue;
    }
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
  if (mutant_) names += names.empty() ? mutant_->id : fmt::format(", {}", mutant_->id);
  return names;
}

std::vector<std::string_view> FaultSet::broken_parts() const {
  std::vector<std::string_view> broken;
  for (const Fault* fault : faults_) {
    const std::vector<std::string_view> parts = parallax::broken_parts(*fault);
    broken.insert(broken.end(), parts.begin(), parts.end());
  }
  if (mutant_) broken.push_back(mutant_->file.part);
  return broken;
}

CompilerParts FaultSet::parts() const {
  CompilerParts parts;
  for (const Fault* fault : faults_) fault->plant(parts);
  return parts;
}

}  // namespace parallax
