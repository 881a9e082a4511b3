#include "oracle/lost_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/written_operands.h"

namespace parallax {
namespace {

// Whether a node computes numbers, in place or not; others move them as they are.
bool computes(const Node& node) {
  if (node.op->is_view()) return false;
  switch (node.op->functional ? node.op->functional->group : node.op->group) {
    case OpGroup::View:
    case OpGroup::Copy:
    case OpGroup::Join:
    case OpGroup::Scatter:
    case OpGroup::Fill:
      return false;
    default:
      return true;
  }
}

// What may be NaN, or an infinity of either sign in its place.
Ball or_infinite(Ball ball) {
  if (std::isnan(ball.mid)) return {std::numeric_limits<double>::infinity(), 0, true, true, Undecided::No, -1};
  ball.may_inf = true;
  return ball;
}

}  // namespace

Ball kept_of(double x, DType dtype, const Profile& profile) {
  // A bfloat16 that becomes an operand of f32 is the same subnormal there; a half is none.
  const bool is_operand = dtype == DType::F32 || dtype == DType::BF16;
  const bool is_subnormal = x != 0 && std::fabs(x) < info(DType::F32).smallest_normal;
  if (!is_operand || !profile.flushes_operands || !is_subnormal) return Ball::exact(x);
  return {x / 2, std::fabs(x / 2), false, false, Undecided::No, -1};
}

void widen_lost(const Node& node, const Profile& profile, std::span<const BallView> views) {
  const FormSet anywhere = profile.allowed.anywhere();
  if ((!anywhere.has(Form::LostNan) && !anywhere.has(Form::InfiniteNan)) || !computes(node)) return;
  const auto widen = [&](ValueId value) {
    const BallView& view = views[value.index];
    if (!is_floating(view.dtype)) return;
    const bool lost = allows(profile, Form::LostNan, *node.op, view.dtype);
    if (!lost && !allows(profile, Form::InfiniteNan, *node.op, view.dtype)) return;
    for_each_element(view.layout, [&](int64_t element) {
      Ball& ball = view.storage->balls[static_cast<std::size_t>(element)];
      if (!ball.decided() || (!ball.may_nan && !std::isnan(ball.mid))) return;
      ball = lost ? Ball::unknown(Undecided::Unbounded) : or_infinite(ball);
    });
  };
  std::ranges::for_each(node.results, widen);
  for_each_written(node, widen);
}

}  // namespace parallax
