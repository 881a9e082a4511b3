#include "oracle/tensor_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/acceptance.h"
#include "oracle/bounds_by_node.h"
#include "oracle/judgement_text.h"

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
  divergence.expected = is_floating(expected.dtype) ? ball_text(expected.dtype, expected.balls[at])
                                                    : fmt::format("{}", expected.integers[at].value);
  divergence.got = element_text(got, element);
  divergence.outside = outside;
  return divergence;
}

// Counts one element; whether it is inside.
bool count_element(const BallTensor& expected, const Tensor& got, int64_t i, ElementCounts& counts,
                   OutputRadii* radii) {
  const auto at = static_cast<std::size_t>(i);
  Undecided reason = Undecided::No;
  bool inside = true;
  bool exact = true;
  if (is_floating(expected.dtype)) {
    const Ball& ball = expected.balls[at];
    reason = ball.decided() && !std::isfinite(ball.radius) ? Undecided::Unbounded : ball.undecided;
    exact = ball.radius == 0;
    if (reason == Undecided::No) {
      inside = accepts(expected.dtype, ball, got.get_double(i));
      counts.suspect += inside && is_suspect(ball, got.get_double(i));
      if (!exact && std::isfinite(ball.mid)) {
        const auto dtype = static_cast<std::size_t>(expected.dtype);
        counts.inexact[dtype] += 1;
        counts.sharp[dtype] += proved_bits(ball) >= std::min(10, info(expected.dtype).precision - 3);
        if (radii != nullptr) radii->ulps.push_back(static_cast<float>(radius_in_ulps(expected.dtype, ball)));
      }
    }
  } else {
    reason = expected.integers[at].undecided;
    if (reason == Undecided::No) inside = got.get_integer(i) == expected.integers[at].value;
  }
  counts.undecided += reason != Undecided::No;
  counts.by_reason[static_cast<std::size_t>(reason)] += 1;
  counts.exact += reason == Undecided::No && exact;
  counts.outside += !inside;
  return inside;
}

}  // namespace

void TensorComparison::tensor(const BallTensor& expected, const Tensor& got, const RunId& run, const Place& place,
                              OutputRadii* radii) {
  if (got.dtype != expected.dtype || !(got.sizes == expected.sizes)) {
    return diverge(of_type(expected, got, run, place));
  }
  ElementCounts counts;
  counts.total = expected.numel();
  int64_t first = -1;
  int64_t first_suspect = -1;
  double excess = 0;
  for (int64_t i = 0; i < counts.total; ++i) {
    const int64_t suspects = counts.suspect;
    const bool inside = count_element(expected, got, i, counts, radii);
    if (!inside && first < 0) first = i;
    if (!inside) excess = std::max(excess, excess_of(expected, got, i));
    if (counts.suspect > suspects && first_suspect < 0) first_suspect = i;
  }
  judgement_.counts.add(counts);
  if (first >= 0) {
    Divergence divergence = of_values(expected, got, first, run, place, counts.outside);
    divergence.excess = excess;
    diverge(std::move(divergence));
  } else if (first_suspect >= 0 && judgement_.verdict == Verdict::Match) {
    judgement_.verdict = Verdict::Suspect;
    judgement_.divergence = of_values(expected, got, first_suspect, run, place, counts.suspect);
  }
}

void TensorComparison::diverge(Divergence divergence) {
  if (judgement_.verdict == Verdict::Suspect) judgement_.divergence.reset();
  judgement_.verdict = Verdict::Mismatch;
  if (!judgement_.divergence) judgement_.divergence = std::move(divergence);
}

}  // namespace parallax
