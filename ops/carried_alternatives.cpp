#include "ops/carried_alternatives.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace parallax {
namespace {

// A view is a copy where its memory has no such view: reshape's.
constexpr std::array<std::string_view, 8> copying_families = {"view",      "window", "split",     "copy",
                                                              "view copy", "join",   "rearrange", "pad"};

// The operands with each of their alternatives in turn.
class Operands {
 public:
  Operands(const ReferenceCall& call, const AlternativesByStorage& held)
      : call_views_(call.views()), views_(call_views_.begin(), call_views_.end()) {
    for (const Argument& argument : call.arguments()) {
      for_each_value(argument, [&](ValueId value) { replace(value, held); });
    }
  }

  // How many alternatives an element has, at most.
  std::size_t most() const { return most_; }
  std::span<const BallView> views() const { return views_; }

  void take(std::size_t turn) {
    for (auto& [original, copy] : copies_) {
      for (const auto& [element, balls] : *copy.alternatives) {
        const Ball& ball = balls[std::min(turn, balls.size() - 1)];
        const auto at = static_cast<std::size_t>(element);
        if (is_floating(copy.storage.dtype)) {
          copy.storage.balls[at] = ball;
        } else {
          copy.storage.integers[at] = {static_cast<int64_t>(ball.mid)};
        }
      }
    }
  }

 private:
  struct Copy {
    BallStorage storage;
    const Alternatives* alternatives;
  };

  void replace(ValueId value, const AlternativesByStorage& held) {
    const auto found = held.find(call_views_[value.index].storage);
    if (found == held.end()) return;
    const auto [copy, is_new] = copies_.try_emplace(found->first, Copy{*found->first, &found->second});
    views_[value.index].storage = &copy->second.storage;
    for (const auto& [element, balls] : found->second) most_ = std::max(most_, balls.size());
  }

  std::span<const BallView> call_views_;
  std::vector<BallView> views_;
  std::map<const BallStorage*, Copy> copies_;
  std::size_t most_ = 0;
};

}  // namespace

bool copies_elements(const Op& op) { return std::ranges::find(copying_families, op.family) != copying_families.end(); }

std::vector<Alternatives> carried_alternatives(const ReferenceCall& call, const AlternativesByStorage& held) {
  Operands operands(call, held);
  std::vector<Alternatives> carried(call.outputs().size());
  if (operands.most() == 0) return carried;
  std::vector<BallStorage> storages;
  for (const BallView& output : call.outputs()) storages.push_back(*output.storage);
  std::vector<BallView> results(call.outputs().begin(), call.outputs().end());
  for (std::size_t i = 0; i < results.size(); ++i) results[i].storage = &storages[i];
  const ReferenceCall of_one(call, operands.views(), results, call.profile());
  std::vector<BallStorage> first;
  for (std::size_t turn = 0; turn < operands.most(); ++turn) {
    operands.take(turn);
    if (!call.op().reference(of_one)) return std::vector<Alternatives>(results.size());
    if (turn == 0) {
      first = storages;
      continue;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const BallView before{&first[i], results[i].dtype, results[i].layout};
      for_each_element(results[i].layout, [&](int64_t element) {
        const Ball ball = results[i].as_ball(element);
        if (is_same(ball, before.as_ball(element))) return;
        std::vector<Ball>& balls = carried[i].try_emplace(element, 1, before.as_ball(element)).first->second;
        if (std::ranges::none_of(balls, [&](const Ball& other) { return is_same(ball, other); })) balls.push_back(ball);
      });
    }
  }
  return carried;
}

}  // namespace parallax
