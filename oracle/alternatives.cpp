#include "oracle/alternatives.h"

#include <algorithm>

#include "graph/written_operands.h"
#include "ops/ball_math.h"
#include "ops/dequantized_alternatives.h"
#include "ops/tied_indices.h"

namespace parallax {
namespace {

// Whether the element still holds what the alternatives make together. What a profile lets happen to results may have
// widened it, to more than they are.
bool is_hull(const BallView& view, int64_t element, const std::vector<Ball>& alternatives) {
  if (!view.floating()) return true;  // it is undecided
  const Ball all = hull_of(alternatives);
  const Ball& held = view.ball(element);
  return held.mid == all.mid && held.radius == all.radius && held.may_nan == all.may_nan &&
         held.may_inf == all.may_inf && held.undecided == all.undecided;
}

// An op whose last result may have alternatives.
struct AlternativeRule {
  bool (*gives)(const Op& op);
  Alternatives (*alternatives)(const ReferenceCall& call);
};

const AlternativeRule* rule_of(const Op& op) {
  static constexpr AlternativeRule rules[] = {
      {gives_alternatives, nearest_alternatives},
      {gives_tied_indices, tied_indices},
      {gives_dequantized_alternatives, dequantized_alternatives},
  };
  const auto* found = std::ranges::find_if(rules, [&](const AlternativeRule& rule) { return rule.gives(op); });
  return found == std::end(rules) ? nullptr : found;
}

bool copies_into_memory_of_its_own(const Node& node) {
  bool writes = false;
  for_each_written(node, [&](ValueId) { writes = true; });
  return !writes && !node.op->is_view() && copies_elements(*node.op);
}

}  // namespace

void HeldAlternatives::note(const Node& node, std::span<const TensorMeta> metas, std::span<const BallView> views,
                            std::span<const BallView> results, const Profile& profile) {
  forget_what_it_wrote(node, views);
  const AlternativeRule* rule = rule_of(*node.op);
  const bool carries = !held_.empty() && copies_into_memory_of_its_own(node);
  if (rule == nullptr && !carries) return;
  const Call call(*node.op, node.arguments, metas);
  const ReferenceCall reference(call, views, results, profile);
  const auto hold = [&](const BallView& output, Alternatives found) {
    std::erase_if(found, [&](const auto& entry) { return !is_hull(output, entry.first, entry.second); });
    if (!found.empty()) held_[output.storage] = std::move(found);
  };
  if (rule != nullptr) return hold(results.back(), rule->alternatives(reference));
  std::vector<Alternatives> carried = carried_alternatives(reference, held_);
  for (std::size_t i = 0; i < carried.size(); ++i) hold(results[i], std::move(carried[i]));
}

void HeldAlternatives::forget_what_it_wrote(const Node& node, std::span<const BallView> views) {
  if (held_.empty() || node.op->is_view()) return;
  const auto drop = [&](ValueId value) { held_.erase(views[value.index].storage); };
  std::ranges::for_each(node.results, drop);
  for_each_written(node, drop);
}

Alternatives HeldAlternatives::of(const BallView& view) const {
  const auto held = held_.find(view.storage);
  if (held == held_.end() || view.dtype != view.storage->dtype) return {};
  Alternatives result;
  int64_t place = 0;
  for_each_element(view.layout, [&](int64_t element) {
    if (const auto found = held->second.find(element); found != held->second.end()) result[place] = found->second;
    ++place;
  });
  return result;
}

}  // namespace parallax
