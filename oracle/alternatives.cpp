#include "oracle/alternatives.h"

#include <algorithm>
#include <cmath>

#include "graph/written_operands.h"
#include "ops/ball_math.h"
#include "ops/dequantized_alternatives.h"
#include "ops/tied_indices.h"

namespace parallax {
namespace {

// Widens the alternatives by as much as a profile widened the element beyond their hull: what it lets happen to results
// is an error of each of them, and the largest at the ends. False where the element is something else.
bool fit(const BallView& view, int64_t element, std::vector<Ball>& alternatives) {
  if (!view.floating()) return true;  // it is undecided
  const Ball all = hull_of(alternatives);
  const Ball& held = view.ball(element);
  if (is_same(held, all)) return true;
  const bool finite = held.decided() && all.decided() && std::isfinite(held.mid) && std::isfinite(all.mid);
  if (!finite || held.low() > all.low() || held.high() < all.high()) return false;
  const double more = std::max(all.low() - held.low(), held.high() - all.high()) * (1 + 0x1p-50);
  for (Ball& ball : alternatives) {
    ball.radius += more;
    ball.may_nan = ball.may_nan || held.may_nan;
    if (held.may_inf && !ball.may_inf) ball.may_inf = true;
  }
  return true;
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

}  // namespace

void HeldAlternatives::note(const Node& node, std::span<const TensorMeta> metas, std::span<const BallView> views,
                            std::span<const BallView> results, const Profile& profile) {
  forget_what_it_wrote(node, views);
  const AlternativeRule* rule = rule_of(*node.op);
  const bool carries = !held_.empty() && carries_on(node, results);
  if (rule == nullptr && !carries) return;
  const Call call(*node.op, node.arguments, metas);
  const ReferenceCall reference(call, views, results, profile);
  const auto hold = [&](const BallView& output, Alternatives found) {
    for (auto entry = found.begin(); entry != found.end();) {
      entry = fit(output, entry->first, entry->second) ? std::next(entry) : found.erase(entry);
    }
    if (!found.empty()) held_[output.storage] = std::move(found);
  };
  if (rule != nullptr) return hold(results.back(), rule->alternatives(reference));
  std::vector<Alternatives> carried = carried_alternatives(reference, held_);
  for (std::size_t i = 0; i < carried.size(); ++i) hold(results[i], std::move(carried[i]));
}

// Whether the node copies elements into memory of its own. Of a view nothing has to be carried on.
bool HeldAlternatives::carries_on(const Node& node, std::span<const BallView> results) const {
  return !node.op->writes() && !results.empty() && !held_.contains(results.front().storage) &&
         copies_elements(*node.op);
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
