#include "fuzz/op_groups.h"

#include <vector>

#include "core/check.h"
#include "ops/families.h"
#include "ops/registry.h"

namespace parallax {
namespace {

struct FamilyGroup {
  std::vector<OpDef> (*family)();
  OpGroup group;
};

// The families whose pure ops are not plain pointwise ones.
constexpr std::array family_groups = {
    FamilyGroup{copy_family, OpGroup::Copy},         FamilyGroup{view_copy_family, OpGroup::Copy},
    FamilyGroup{rearrange_family, OpGroup::Scatter}, FamilyGroup{comparison_family, OpGroup::Comparison},
    FamilyGroup{fill_family, OpGroup::Fill},         FamilyGroup{reduction_family, OpGroup::Reduction},
    FamilyGroup{scan_family, OpGroup::Reduction},    FamilyGroup{join_family, OpGroup::Join},
    FamilyGroup{scatter_family, OpGroup::Scatter},   FamilyGroup{index_family, OpGroup::Scatter},
};

OpGroup group_of_family(std::vector<OpDef> (*family)()) {
  for (const FamilyGroup& entry : family_groups) {
    if (entry.family == family) return entry.group;
  }
  return OpGroup::Pointwise;
}

struct GroupTable {
  std::vector<OpGroup> groups;  // by position in the registry
  std::array<std::vector<const Op*>, op_group_count> sampled;

  GroupTable() {
    // The registry lists the families one after the other, so counting tells which op came from which.
    for (auto family : op_families) groups.insert(groups.end(), family().size(), group_of_family(family));
    const std::span<const Op> ops = all_ops();
    PARALLAX_CHECK(groups.size() == ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].is_view()) {
        groups[i] = OpGroup::View;
      } else if (ops[i].writes()) {
        groups[i] = OpGroup::Write;
      }
      if (ops[i].sample) sampled[static_cast<std::size_t>(groups[i])].push_back(&ops[i]);
    }
  }
};

const GroupTable& table() {
  static const GroupTable instance;
  return instance;
}

}  // namespace

OpGroup group_of(const Op& op) { return table().groups[static_cast<std::size_t>(&op - all_ops().data())]; }

std::span<const Op* const> sampled_ops(OpGroup group) { return table().sampled[static_cast<std::size_t>(group)]; }

}  // namespace parallax
