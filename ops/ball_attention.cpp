#include "ops/ball_attention.h"

#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "ops/ball_softmax.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"

namespace parallax {
namespace {

// Eager's kernel rescales after so many keys (kvSplitSize of aten/src/ATen/native/cpu/FlashAttentionKernel.cpp).
constexpr std::size_t keys_of_block = 512;

bool is_taken_out(const Ball& score) { return is_definite_infinity(score) && score.mid < 0 && score.is_exact(); }

bool are_taken_out(std::span<const Ball> scores) { return std::ranges::all_of(scores, is_taken_out); }

// Whether the keys that are not taken out may all have no number for a score. Eager's kernel compares with the largest
// score by <, which passes over NaN, and takes such a row for one without keys.
bool may_lack_numbers(std::span<const Ball> scores) {
  const auto can_lack = [](const Ball& score) { return is_taken_out(score) || (score.decided() && can_be_nan(score)); };
  return std::ranges::all_of(scores, can_lack);
}

// The ball of what a row without keys gives, or of NaN.
Ball or_nothing(const Ball& ball) {
  Ball result = is_definite_nan(ball) ? Ball::exact(0) : hull(ball, Ball::exact(0));
  result.may_nan = true;
  return result;
}

bool is_exact_zero(const Ball& ball) { return ball.is_exact() && ball.mid == 0; }

// Whether a factor of the root rounds: of 1 / 4, a power of two, it does not.
bool root_rounds(double scale) {
  const double root = std::sqrt(std::fabs(scale));
  int exponent = 0;
  return scale != 0 && (root * root != std::fabs(scale) || std::frexp(root, &exponent) != 0.5);
}

Ball widened(Ball ball, double by) {
  if (!ball.decided() || !std::isfinite(ball.mid)) return ball;
  if (ball.deviation >= 0) ball.deviation += static_cast<float>(by);
  ball.radius += by;
  return ball;
}

}  // namespace

BallAttention::BallAttention(DType dtype, const CallProfile& profile, double scale)
    : dtype_(dtype),
      profile_(profile),
      math_(accumulator_of(BallMath(dtype, profile)), profile),
      stored_(dtype, profile),
      scale_(scale),
      splits_scale_(root_rounds(scale)) {}

Ball BallAttention::score(std::span<const Factor> query, std::span<const Factor> key) const {
  BallDot dot(math_);
  double magnitude = 0;
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    dot.add(query[i], key[i]);
    const double a = reach(query[i].ball);
    const double b = reach(key[i].ball);
    magnitude += a * b;
    sum += a + b;
    largest = std::max({largest, a, b});
  }
  const Ball score = dot.result(scale_, Ball::exact(0));
  if (!splits_scale_ || !std::isfinite(magnitude)) return score;
  // The root of the scale goes on both factors: it rounds, and so do its products with each.
  const double root = std::sqrt(std::fabs(scale_));
  if (root * largest >= info(math_.dtype()).max_finite) return Ball::unknown(Undecided::Unbounded);
  const double unit = profile_.unit_roundoff(math_.dtype());
  const double underflow = profile_.underflow(math_.dtype()) * (sum * std::max(root, 1.0) + 1);
  return widened(score, relative_error(5, unit) * std::fabs(scale_) * magnitude * (1 + 0x1p-40) + underflow);
}

// Of a key that is taken out, a score that is no number is seen where the mask is added, and not where the score is
// replaced or the key is left out.
Ball BallAttention::masked(const Ball& score, const Ball& mask) const {
  if (is_taken_out(mask)) return is_plain(score) ? mask : Ball::unknown(Undecided::Unbounded);
  return is_exact_zero(mask) ? score : math_.add(score, mask);
}

std::vector<Ball> BallAttention::weights(std::span<const Ball> scores) const {
  if (are_taken_out(scores)) return std::vector<Ball>(scores.size(), Ball::exact(0));
  const BallSoftmax softmax(math_, scores, math_.dtype());
  std::vector<Ball> weights;
  const bool lacks_numbers = may_lack_numbers(scores);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const Ball weight = softmax.probability(k);
    weights.push_back(lacks_numbers ? or_nothing(weight) : weight);
  }
  return weights;
}

Ball BallAttention::log_sum(std::span<const Ball> scores) const {
  if (are_taken_out(scores)) return Ball::exact(0);
  for (const Ball& score : scores) {
    if (!score.decided() || !can_be_plus_infinity(score)) continue;
    return score.is_exact() ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
  }
  const Ball log = widened(BallSoftmax(math_, scores, math_.dtype()).log_sum(), rescaling(scores));
  return may_lack_numbers(scores) ? or_nothing(log) : log;
}

// In units of at most 2 u each; beyond 104 an exponential is 0.
double BallAttention::exponential_error(double farthest) const {
  const double ulp = math_.as(FunctionKind::Exp, std::min(farthest, 104.0)).function().ulp;
  return 2 * ulp * info(math_.dtype()).unit_roundoff;
}

// Each time, a sum is multiplied by an exponential. The differences of maxima that these are of add up to the range of
// the scores, and round by as much.
double BallAttention::rescaling(std::span<const Ball> scores) const {
  if (scores.empty()) return 0;
  const std::size_t times =
      profile_.allows(Form::OnlineSoftmax) ? scores.size() - 1 : (scores.size() - 1) / keys_of_block;
  if (times == 0) return 0;
  double low = infinity;
  double high = -infinity;
  for (const Ball& score : scores) {
    if (!score.decided() || !std::isfinite(score.mid)) continue;
    low = std::min(low, score.low());
    high = std::max(high, score.high());
  }
  const double range = high > low ? std::min(high - low, 104.0 * static_cast<double>(times)) : 0;
  const double unit = profile_.unit_roundoff(math_.dtype());
  return std::expm1(static_cast<double>(times) * (exponential_error(range) + 2 * unit) + unit * range);
}

// The values' hull, where each weight is a number: the same exponentials make up both sums.
std::optional<Ball> BallAttention::hull_of(std::span<const Ball> weights, std::span<const Factor> values,
                                           double relative) const {
  double low = infinity;
  double high = -infinity;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!weights[k].decided() || can_be_nan(weights[k])) return std::nullopt;
    if (!values[k].plain) return std::nullopt;
    if (is_exact_zero(weights[k])) continue;
    low = std::min(low, values[k].ball.low());
    high = std::max(high, values[k].ball.high());
  }
  if (!(low <= high)) return std::nullopt;
  const double most = std::max(std::fabs(low), std::fabs(high));
  const double count = static_cast<double>(weights.size());
  const double unit = profile_.unit_roundoff(math_.dtype());
  const double of_exponentials = 2 * exponential_error(104);
  const double slack = most * std::expm1(relative + of_exponentials + relative_error(2 * count + 4, unit)) +
                       (count + 1) * 4 * info(math_.dtype()).smallest_normal * std::max(most, 1.0) +
                       stored_.rounding(most * 1.01);
  return ball_of_interval(low - slack, high + slack);
}

Ball BallAttention::average(std::span<const Ball> scores, std::span<const Ball> weights,
                            std::span<const Factor> values) const {
  BallDot dot(stored_);
  double magnitude = 0;
  double largest = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    // Values without a weight may be left out.
    if (is_exact_zero(weights[k])) {
      dot.add_padding(values[k]);
      continue;
    }
    // Halves are multiplied as halves: the weights are stored, before or after they are divided by their sum.
    const Ball weight = cast_ball(weights[k], math_.dtype(), dtype_, profile_);
    dot.add(Factor(weight), values[k]);
    if (!values[k].plain) continue;
    magnitude += reach(weight) * reach(values[k].ball);
    largest = std::max(largest, reach(values[k].ball));
  }
  // Sums before the division are at most so large.
  const double count = static_cast<double>(weights.size());
  const DTypeInfo& carried = info(math_.dtype());
  if (count * largest >= carried.max_finite) return Ball::unknown(Undecided::Unbounded);
  const double unit = profile_.unit_roundoff(math_.dtype());
  const double stored = math_.dtype() == dtype_ ? 0 : profile_.unit_roundoff(dtype_);
  const double relative = 2 * rescaling(scores) + 2 * stored;
  const double error =
      magnitude * (relative + relative_error(3, unit)) + 4 * count * carried.smallest_normal * std::max(largest, 1.0);
  Ball ball = magnitude == 0 ? dot.result() : widened(dot.result(), error * (1 + 0x1p-40));
  const std::optional<Ball> hull = hull_of(weights, values, relative);
  if (!hull || !hull->decided()) return ball;
  if (!ball.decided() || ball.may_inf) return *hull;
  const double low = std::max(ball.low(), hull->low());
  const double high = std::min(ball.high(), hull->high());
  if (!std::isfinite(ball.mid) || low > high) return ball;
  ball.mid = std::clamp(ball.mid, low, high);
  ball.radius = std::max(high - ball.mid, ball.mid - low);
  return ball;
}

}  // namespace parallax
