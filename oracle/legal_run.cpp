#include "oracle/legal_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "core/choices.h"
#include "graph/written_operands.h"
#include "ops/nearest_alternatives.h"
#include "ops/quantized_ops.h"

namespace parallax {
namespace {

// The nearest multiple of a power of two, which is no farther than `most`. Numbers that may be equal mostly are there.
double on_grid(double x, double most) {
  if (most <= 0) return x;
  const double step = std::exp2(std::floor(std::log2(2 * most)));
  return step > 0 ? std::round(x / step) * step : x;
}

// `x`, so many times as far from `value`, within its dtype.
int64_t exaggerated(int64_t value, int64_t x, double exaggeration, DType dtype) {
  const DTypeInfo& limits = info(dtype);
  const double most = static_cast<double>(value) + exaggeration * static_cast<double>(x - value);
  return static_cast<int64_t>(
      std::clamp(most, static_cast<double>(limits.min_integer), static_cast<double>(limits.max_integer)));
}

// The operation's name; an in-place one computes what its functional twin does.
std::string_view kernel_name(const Op& op) { return op.functional ? op.functional->name : op.name; }

}  // namespace

// A copysign is its operand's magnitude with either sign, and no number in between. An angle of two zeros is half a
// turn to either side, or none.
LegalRun::Zeros LegalRun::zeros_of(const Op& op) {
  const std::string_view name = kernel_name(op);
  if (name == "aten.copysign.Tensor" || name == "aten.copysign.Scalar") return Zeros::Sign;
  return name == "aten.atan2.default" ? Zeros::Turn : Zeros::Vary;
}

double LegalRun::draw() { return std::ldexp(static_cast<double>(mix(style_.seed, ++drawn_) >> 11), -52) - 1; }

void LegalRun::begin_operation(const Op& op) {
  if (style_.alike) kernels_place_ = std::hash<std::string_view>()(kernel_name(op));
}

void LegalRun::decide(Ball& ball, DType dtype, Zeros zeros) {
  // Minus and plus infinity are two programs from here on, and no run of either tells of the other.
  if (ball.decided() && ball.may_inf && !ball.may_inf.is_of_one_sign()) {
    ball = Ball::unknown(Undecided::SignedZero);
    return;
  }
  // A definite NaN or infinity is a number already; what has no end stays undecided.
  if (!ball.decided() || !std::isfinite(ball.mid) || !std::isfinite(ball.radius)) return;
  double x = ball.mid;
  const bool may_be_zero = std::fabs(ball.mid) <= ball.radius;
  if (ball.radius > 0) {
    if (zeros == Zeros::Vary || ball.mid != 0) {
      x = off(x, drawn_error(ball), may_be_zero);
    } else if (zeros == Zeros::Sign || !stays()) {
      x = signed_anew(ball.radius);
    }
  }
  if (style_.rounds) x = round_to(dtype, x);
  ball = {flushed(x, dtype), 0, ball.may_nan, ball.may_inf, Undecided::No, -1};
}

double LegalRun::off(double x, double amplitude, bool may_be_zero) {
  switch (style_.errors) {
    case Errors::None:
      break;
    case Errors::Random: {
      const double moved = x + draw() * style_.exaggeration * amplitude;
      const bool vanishes = may_be_zero && (style_.cancels || style_.coincides || draw() < -0.5);
      if (style_.coincides && !vanishes) return on_grid(x, amplitude);
      return vanishes ? zero() : moved;
    }
    case Errors::Up:
      return x + amplitude;
    case Errors::Down:
      return x - amplitude;
  }
  return x;
}

// A kernel that rounds a small number to 0 keeps its sign, and a root or a reciprocal of the zero shows it.
double LegalRun::zero() {
  const bool alike = style_.cancels || style_.coincides;
  return alike ? (style_.seed % 16 < 8 ? -0.0 : 0.0) : std::copysign(0.0, draw());
}

// Where zeros mostly have one sign, all angles of them are the same.
bool LegalRun::stays() {
  if (style_.errors == Errors::None) return true;
  return style_.errors == Errors::Random && !style_.coincides && (style_.cancels || draw() < -1.0 / 3);
}

double LegalRun::signed_anew(double magnitude) {
  switch (style_.errors) {
    case Errors::Random:
      if (style_.coincides) return style_.seed % 16 < 8 ? -magnitude : magnitude;
      return draw() < 0 ? -magnitude : magnitude;
    case Errors::Down:
      return -magnitude;
    case Errors::None:
    case Errors::Up:
      break;
  }
  return magnitude;
}

double LegalRun::flushed(double x, DType dtype) {
  if (!style_.flushes || style_.errors != Errors::Random || x == 0) return x;
  return std::fabs(x) < info(dtype).smallest_normal && draw() < -0.5 ? std::copysign(0.0, x) : x;
}

// Of what lies at the boundary of two texels a run reads the one or the other. Drawn between them, where one is far
// from the other, all runs would meet the one alone.
bool LegalRun::read_texels(const ReferenceCall& call) {
  const BallView& output = call.output();
  if (!gives_alternatives(call.op()) || !output.floating() || !call.op().reference(call)) return false;
  for (const auto& [element, texels] : nearest_alternatives(call)) {
    const auto last = static_cast<double>(texels.size() - 1);
    double place = style_.errors == Errors::Up ? last : 0;
    if (style_.errors == Errors::Random) place = std::floor((draw() + 1) / 2 * (last + 1));
    output.ball(element) = texels[static_cast<std::size_t>(std::min(place, last))];
  }
  return true;
}

bool LegalRun::compute(const ReferenceCall& call) {
  if (notes_ == nullptr) return read_texels(call);
  const std::size_t visit = visits_++;
  if (read_texels(call)) return true;
  const auto* errors = notes_->of(visit, call);
  if (!errors || !call.op().plain(call)) return false;
  const bool is_signed = zeros_of(call.op()) == Zeros::Sign;
  begin_operation(call.op());
  for (std::size_t k = 0; k < errors->size(); ++k) {
    const BallView& output = call.output(static_cast<int>(k));
    const bool is_f32 = output.dtype == DType::F32;
    auto error = (*errors)[k].begin();
    const std::span<const float> reaches = vanishing_->reaches(visit, call.op());
    std::size_t at = 0;
    for_each_element(output.layout, [&](int64_t element) {
      begin_number();
      double x = output.ball(element).mid;
      const double reach = at < reaches.size() ? static_cast<double>(reaches[at++]) : 0;
      // A factor that became 0 here makes the product 0, however far off the program's own number may be.
      const bool vanished = x == 0 && !error->may_be_zero();
      // Here, where a step before came out otherwise, numbers may cancel that do not in the program.
      const bool may_be_zero = error->may_be_zero() || std::fabs(x) <= std::max(error->amplitude(), reach);
      // From the one sign to the other it is twice as far as to 0, which a number that is flushed may become.
      const bool has_either_sign = is_signed && error->amplitude() > 1.5 * std::fabs(x);
      if ((error->amplitude() > 0 || reach > 0) && !vanished)
        x = has_either_sign ? signed_anew(std::fabs(x)) : off(x, error->amplitude(), may_be_zero);
      if (style_.rounds) x = is_f32 ? static_cast<double>(static_cast<float>(x)) : round_to(output.dtype, x);
      output.ball(element).mid = flushed(x, output.dtype);
      ++error;
    });
  }
  computed_ = true;
  return true;
}

void LegalRun::decide(IntegerBall& integer, DType dtype, double exaggeration) {
  if (!integer.is_interval()) return;
  int64_t x = integer.value;
  switch (style_.errors) {
    case Errors::None:
      break;
    case Errors::Random: {
      const double width = static_cast<double>(integer.high) - static_cast<double>(integer.low) + 1;
      const double step = std::floor((draw() + 1) / 2 * width);
      x = integer.low + static_cast<int64_t>(std::clamp(step, 0.0, width - 1));
      if (exaggeration > 1) x = exaggerated(integer.value, x, exaggeration, dtype);
      break;
    }
    case Errors::Up:
      x = integer.high;
      break;
    case Errors::Down:
      x = integer.low;
      break;
  }
  integer = {x, Undecided::No};
}

void LegalRun::decide(const Node& node, std::span<const BallView> values) {
  if (node.op->is_view() || std::exchange(computed_, false)) return;
  // Integers that no index and no size is made of.
  const double exaggeration = quantizes(*node.op) ? style_.exaggeration : 1;
  const Zeros zeros = zeros_of(*node.op);
  begin_operation(*node.op);
  const auto decide_all = [&](ValueId value) {
    const BallView& view = values[value.index];
    for_each_element(view.layout, [&](int64_t element) {
      begin_number();
      if (view.floating()) {
        decide(view.ball(element), view.dtype, zeros);
      } else {
        decide(view.integer(element), view.dtype, exaggeration);
      }
    });
  };
  std::ranges::for_each(node.results, decide_all);
  for_each_written(node, decide_all);
}

}  // namespace parallax
