#include "compiler/faults.h"

#include <algorithm>

namespace parallax {

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
