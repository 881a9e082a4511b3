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

bool may_be_nan(const Ball& ball) { return !ball.decided() || ball.may_nan || std::isnan(ball.mid); }

// What may be NaN, or an infinity of either sign in its place.
Ball or_infinite(Ball ball) {
  if (std::isnan(ball.mid)) return {std::numeric_limits<double>::infinity(), 0, true, true, Undecided::No, -1};
  ball.may_inf = true;
  return ball;
}

}  // namespace

Ball kept_of(double x, DType dtype, const Profile& profile) {
  // A bfloat16 that becomes an operand of f32 is the same subnormal there; a half is none.
  const double least = info(dtype == DType::F16 ? DType::F32 : dtype).smallest_normal;
  if (!profile.flushes_operands || x == 0 || std::fabs(x) >= least) return Ball::exact(x);
  const double half = x / 2;  // which f64 may not hold
  return {half, std::max(std::fabs(half), std::fabs(x - half)), false, false, Undecided::No, -1};
}

LostNan::LostNan(const Node& node, const Profile& profile, std::span<const BallView> views)
    : node_(node), profile_(profile), views_(views) {
  const FormSet anywhere = profile.allowed.anywhere();
  const bool some = anywhere.has(Form::LostNan) || anywhere.has(Form::InfiniteNan);
  computes_ = (some || anywhere.has(Form::LostOperandNan)) && computes(node);
  if (!computes_ || !anywhere.has(Form::LostOperandNan)) return;
  bool operands_count = false;
  const auto ask = [&](ValueId value) {
    operands_count = operands_count || allows(profile, Form::LostOperandNan, *node.op, views[value.index].dtype);
  };
  std::ranges::for_each(node.results, ask);
  for_each_written(node, ask);
  if (!operands_count) return;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      const BallView& view = views_[value.index];
      if (!is_floating(view.dtype)) return;
      for_each_element(view.layout, [&](int64_t element) {
        operand_nan_ = operand_nan_ || may_be_nan(view.storage->balls[static_cast<std::size_t>(element)]);
      });
    });
  }
}

void LostNan::widen() const {
  if (!computes_) return;
  const auto widen_value = [&](ValueId value) {
    const BallView& view = views_[value.index];
    if (!is_floating(view.dtype)) return;
    const auto allowed = [&](Form form) { return allows(profile_, form, *node_.op, view.dtype); };
    const bool lost = allowed(Form::LostNan) || (operand_nan_ && allowed(Form::LostOperandNan));
    if (!lost && !allowed(Form::InfiniteNan)) return;
    for_each_element(view.layout, [&](int64_t element) {
      Ball& ball = view.storage->balls[static_cast<std::size_t>(element)];
      if (!ball.decided() || !may_be_nan(ball)) return;
      ball = lost ? Ball::unknown(Undecided::Unbounded) : or_infinite(ball);
    });
  };
  std::ranges::for_each(node_.results, widen_value);
  for_each_written(node_, widen_value);
}

}  // namespace parallax
