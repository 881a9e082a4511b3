#include "oracle/tensor_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "oracle/acceptance.h"
#include "oracle/bounds_by_node.h"
#include "oracle/judgement_text.h"
#include "oracle/visible_error.h"

namespace parallax {
namespace {

Divergence divergence_at(const BallTensor& expected, const RunId& run, const Place& place) {
  return {.run = run, .place = place, .dtype = expected.dtype, .sizes = expected.sizes, .total = expected.numel()};
}

Divergence of_type(const BallTensor& expected, const Tensor& got, const RunId& run, const Place& place) {
  Divergence divergence = divergence_at(expected, run, place);
  divergence.expected = type_text(expected.dtype, expected.sizes);
  divergence.got = type_text(got.dtype, got.sizes);
  divergence.kind = got.dtype != expected.dtype ? DivergenceKind::DType : DivergenceKind::Shape;
  return divergence;
}

Divergence of_values(const BallTensor& expected, const Tensor& got, int64_t element, const RunId& run,
                     const Place& place, int64_t outside) {
  const auto at = static_cast<std::size_t>(element);
  Divergence divergence = divergence_at(expected, run, place);
  divergence.element = element;
  if (const auto found = expected.alternatives.find(element); found != expected.alternatives.end()) {
    divergence.expected = alternatives_text(expected.dtype, found->second);
  } else {
    divergence.expected = is_floating(expected.dtype) ? ball_text(expected.dtype, expected.balls[at])
                                                      : integer_text(expected.integers[at]);
  }
  divergence.got = element_text(got, element);
  divergence.outside = outside;
  return divergence;
}

// What is to be said of one element.
struct ElementView {
  bool inside = true;                // of the proof
  Undecided reason = Undecided::No;  // as far as the proof goes
  bool weak = false;                 // the proof decides it, and would not show a visible error
  bool exact = true;
  bool suspect = false;
};

// Compares the elements of one tensor, and counts them.
class Elements {
 public:
  Elements(const BallTensor& expected, const Tensor& got, Judgement& judgement, OutputRadii* radii)
      : expected_(expected), got_(got), judgement_(judgement), radii_(radii), scale_(scale_of(expected)) {
    visible_ = scale_ * std::max(visible_error(expected.dtype), visible_error(expected.coarsest));
  }

  void compare() {
    counts_.total = expected_.numel();
    for (int64_t i = 0; i < counts_.total; ++i) count(i, element(i));
    judgement_.counts.add(counts_);
  }

  const ElementCounts& counts() const { return counts_; }
  int64_t first_outside() const { return first_outside_; }
  int64_t first_suspect() const { return first_suspect_; }
  double excess() const { return excess_; }
  // Of the element that is the most half-spreads off, where one is accused; otherwise -1.
  int64_t accused() const { return accused_; }
  double half_spreads() const { return half_spreads_; }
  int64_t accused_elements() const { return accused_elements_; }

 private:
  ElementView element(int64_t i) {
    if (const auto found = expected_.alternatives.find(i); found != expected_.alternatives.end()) {
      return one_of(found->second, i);
    }
    return is_floating(expected_.dtype) ? floating(i) : integer(i);
  }

  // One of a few balls, all of which are decided. It is as sharp as the widest.
  ElementView one_of(const std::vector<Ball>& balls, int64_t i) {
    ElementView seen;
    seen.inside = accepts(expected_, got_, i);
    const double widest = std::ranges::max(balls, {}, &Ball::radius).radius;
    if (!std::isfinite(widest)) seen.reason = Undecided::Unbounded;
    seen.exact = widest == 0;
    seen.weak = widest > visible_;
    if (is_floating(expected_.dtype)) judgement_.proof_bits.add(scale_, widest);
    return seen;
  }

  ElementView floating(int64_t i) {
    const Ball& ball = expected_.balls[static_cast<std::size_t>(i)];
    ElementView seen;
    seen.reason = ball.decided() && !std::isfinite(ball.radius) ? Undecided::Unbounded : ball.undecided;
    seen.exact = ball.radius == 0;
    judgement_.proof_bits.add(scale_, seen.reason == Undecided::No ? ball.radius : infinity);
    if (seen.reason != Undecided::No) return seen;
    const double value = got_.get_double(i);
    seen.inside = accepts(expected_.dtype, ball, value);
    seen.suspect = seen.inside && is_suspect(ball, value);
    if (seen.exact || !std::isfinite(ball.mid)) return seen;
    seen.weak = ball.radius > visible_;
    const auto dtype = static_cast<std::size_t>(expected_.dtype);
    counts_.inexact[dtype] += 1;
    counts_.sharp[dtype] += proved_bits(ball) >= std::min(10, info(expected_.dtype).precision - 3);
    if (radii_ != nullptr) radii_->ulps.push_back(static_cast<float>(radius_in_ulps(expected_.dtype, ball)));
    return seen;
  }

  ElementView integer(int64_t i) const {
    const IntegerBall& element = expected_.integers[static_cast<std::size_t>(i)];
    ElementView seen;
    seen.inside = accepts(expected_, got_, i);
    seen.exact = element.decided();
    // One step at a rounding boundary is what an implementation is free in; more may hide an error.
    const double low = static_cast<double>(element.lowest());
    const double high = static_cast<double>(element.highest());
    const double visible = std::max(std::fabs(low), std::fabs(high)) * visible_error(expected_.dtype);
    if (!element.is_interval() || high - low > std::max(1.0, visible)) seen.reason = element.undecided;
    return seen;
  }

  void count(int64_t i, const ElementView& seen) {
    if (!seen.inside) {
      if (first_outside_ < 0) first_outside_ = i;
      excess_ = std::max(excess_, excess_of(expected_, got_, i));
    }
    if (seen.suspect && first_suspect_ < 0) first_suspect_ = i;
    counts_.outside += !seen.inside;
    counts_.suspect += seen.suspect;
    const bool shown_by_ensemble = seen.inside && !expected_.spreads.empty() && ask_ensemble(i, seen.exact);
    const bool doubtful = seen.reason != Undecided::No || seen.weak;
    if (doubtful && shown_by_ensemble) {
      ++counts_.by_ensemble;
      counts_.by_reason[static_cast<std::size_t>(Undecided::No)] += 1;
      return;
    }
    counts_.undecided += doubtful;
    counts_.weak += seen.reason == Undecided::No && seen.weak;
    counts_.by_reason[static_cast<std::size_t>(seen.reason)] += 1;
    counts_.exact += seen.reason == Undecided::No && seen.exact;
  }

  // Notes an element that the ensemble excludes. True where the ensemble would show a visible error, and there is none.
  bool ask_ensemble(int64_t i, bool exact) {
    const Spread& spread = expected_.spreads[static_cast<std::size_t>(i)];
    if (!is_floating(expected_.dtype))
      return spread.half == 0 && static_cast<double>(got_.get_integer(i)) == spread.value;
    judgement_.ensemble_bits.add(scale_, spread.half);
    const double value = got_.get_double(i);
    if (!std::isfinite(spread.half)) return false;
    // NaN and infinities have no half-spread: they are confirmed, never refuted.
    if (!std::isfinite(spread.value)) return value == spread.value || (std::isnan(value) && std::isnan(spread.value));
    const double allowed = accused_half_spreads * spread.half;
    // What the members know of the element is less than what a tensor of such numbers shows.
    if (allowed > scale_) return false;
    const double distance = std::fabs(value - spread.value);
    if (distance <= allowed) return allowed <= visible_;
    if (exact) return true;
    ++accused_elements_;
    const double half_spreads = std::isnan(distance) ? infinity : distance / spread.half;
    if (accused_ < 0 || half_spreads > half_spreads_) {
      accused_ = i;
      half_spreads_ = half_spreads;
    }
    return true;
  }

  const BallTensor& expected_;
  const Tensor& got_;
  Judgement& judgement_;
  OutputRadii* radii_;
  double scale_;
  double visible_;
  ElementCounts counts_;
  int64_t first_outside_ = -1;
  int64_t first_suspect_ = -1;
  double excess_ = 0;
  int64_t accused_ = -1;
  int64_t accused_elements_ = 0;
  double half_spreads_ = 0;
};

}  // namespace

void TensorComparison::tensor(const BallTensor& expected, const Tensor& got, const RunId& run, const Place& place,
                              OutputRadii* radii) {
  if (got.dtype != expected.dtype || !(got.sizes == expected.sizes)) {
    return diverge(of_type(expected, got, run, place));
  }
  Elements elements(expected, got, judgement_, radii);
  elements.compare();
  if (elements.first_outside() >= 0) {
    Divergence divergence = of_values(expected, got, elements.first_outside(), run, place, elements.counts().outside);
    divergence.excess = elements.excess();
    diverge(std::move(divergence));
  } else if (elements.accused() >= 0) {
    Divergence divergence = of_values(expected, got, elements.accused(), run, place, elements.accused_elements());
    const Spread& spread = expected.spreads[static_cast<std::size_t>(elements.accused())];
    divergence.expected = spread_text(expected.dtype, spread);
    divergence.half_spreads = elements.half_spreads();
    divergence.legal_runs = spread.members;
    diverge(std::move(divergence));
  } else if (elements.first_suspect() >= 0 && judgement_.verdict == Verdict::Match) {
    judgement_.verdict = Verdict::Suspect;
    judgement_.divergence = of_values(expected, got, elements.first_suspect(), run, place, elements.counts().suspect);
  }
}

void TensorComparison::diverge(Divergence divergence) {
  if (judgement_.verdict == Verdict::Suspect) judgement_.divergence.reset();
  judgement_.verdict = Verdict::Mismatch;
  // A proof outranks what an ensemble says.
  if (judgement_.divergence && judgement_.divergence->statistical() && !divergence.statistical()) {
    judgement_.divergence.reset();
  }
  if (!judgement_.divergence) judgement_.divergence = std::move(divergence);
}

}  // namespace parallax
