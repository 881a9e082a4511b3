// Trigger row: what became of the variants of a case in which one thing was edited.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

enum class TriggerGroup { Fails, FailsOtherwise, Passes, Refused, Unknown };
inline constexpr std::size_t trigger_group_count = 5;
inline constexpr std::array<std::string_view, trigger_group_count> trigger_group_texts = {
    "fails", "fails in another way", "passes", "refused", "not decided"};

struct TriggerRow {
  std::string about;                                                // "n1 = clone(n0)"
  std::array<std::vector<std::string>, trigger_group_count> edits;  // by group: "alias_copy"
};

}  // namespace parallax
