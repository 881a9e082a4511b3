#include "oracle/alternatives.h"

#include <algorithm>

#include "graph/written_operands.h"
#include "ops/ball_math.h"
#include "ops/tied_indices.h"

namespace parallax {
namespace {

// Whether the element still holds what the alternatives make together. What a profile lets happen to results may have
// widened it, to more than they are.
bool is_hull(const BallView& view, int64_t element, const std::vector<Ball>& alternatives) {
  if (!view.floating()) return true;  // it is undecided
  Ball all = alternatives.front();
  for (const Ball& ball : alternatives) all = hull(all, ball);
  const Ball& held = view.ball(element);
  return held.mid == all.mid && held.radius == all.radius && held.may_nan == all.may_nan &&
         held.may_inf == all.may_inf && held.undecided == all.undecided;
}

}  // namespace

void HeldAlternatives::note(const Node& node, std::span<const TensorMeta> metas, std::span<const BallView> views,
                            std::span<const BallView> results, const Profile& profile) {
  forget_what_it_wrote(node, views);
  const bool reads_texels = gives_alternatives(*node.op);
  if (!reads_texels && !gives_tied_indices(*node.op)) return;
  const Call call(*node.op, node.arguments, metas);
  const ReferenceCall reference(call, views, results, profile);
  Alternatives found = reads_texels ? nearest_alternatives(reference) : tied_indices(reference);
  const BallView& output = reads_texels ? results.front() : results.back();
  std::erase_if(found, [&](const auto& entry) { return !is_hull(output, entry.first, entry.second); });
  if (!found.empty()) held_[output.storage] = std::move(found);
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
