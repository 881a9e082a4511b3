#include "backends/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/sketch.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

// The step of the differences, relative to the element: their error is about the cube root of f64's roundings squared.
constexpr double step = 1e-5;
// How far the reference may be from them, relative to the largest element.
constexpr double agreement = 1e-4;
// How many roundings, relative to the largest element, make a mismatch.
constexpr double mismatch_roundings = 1024;

Tensor widened(const Tensor& tensor) {
  if (!is_floating(tensor.dtype)) return tensor;
  Tensor wide(DType::F64, tensor.sizes);
  for (int64_t i = 0; i < tensor.numel(); ++i) wide.set_double(i, tensor.get_double(i));
  return wide;
}

// The same computation with every float as f64, the casts of its nodes included.
std::optional<Case> widened(const Case& test) {
  Sketch sketch = take_apart(test);
  for (Sketch::DeclaredStorage& storage : sketch.storages) {
    if (is_floating(storage.dtype)) storage.dtype = DType::F64;
    storage.data = widened(storage.data);
  }
  for (Sketch::GivenValue& source : sketch.sources) {
    if (is_floating(source.dtype)) source.dtype = DType::F64;
    source.data = widened(source.data);
  }
  for (Sketch::CallSketch& call : sketch.nodes) {
    for (Argument& argument : call.arguments) {
      if (auto* dtype = std::get_if<DType>(&argument); dtype && is_floating(*dtype)) *dtype = DType::F64;
    }
  }
  for (auto& [of, cotangent] : sketch.cotangents) cotangent = widened(cotangent);
  return put_together(sketch, test);
}

// sum(cotangent · output); NaN where the interpreter cannot say.
double weighted_sum(const Case& test, std::span<const Tensor> feed) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Profile* profile = find_profile("eager");
  const Result<Expected> expected = Interpreter(test.graph, *profile).run(feed);
  if (!expected) return unknown;
  double sum = 0;
  for (std::size_t i = 0; i < expected->outputs.size(); ++i) {
    const std::optional<Tensor>& cotangent = test.gradient->cotangents[i];
    if (!cotangent) continue;
    const BallTensor& output = expected->outputs[i];
    for (int64_t k = 0; k < cotangent->numel(); ++k) {
      const double weight = cotangent->get_double(k);
      const Ball& ball = output.balls[static_cast<std::size_t>(k)];
      if (weight == 0) continue;
      if (!ball.decided() || ball.may_nan || ball.may_inf) return unknown;
      sum += weight * ball.mid;
    }
  }
  return sum;
}

double largest(const Tensor& tensor) {
  double most = 0;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (std::isfinite(tensor.get_double(i))) most = std::max(most, std::abs(tensor.get_double(i)));
  }
  return most;
}

// The unit roundoff of the coarsest dtype that the graph computes in.
double coarsest_roundoff(const Graph& graph) {
  double most = 0;
  for (const TensorMeta& meta : graph.metas) {
    if (is_floating(meta.dtype)) most = std::max(most, info(meta.dtype).unit_roundoff);
  }
  return most;
}

}  // namespace

std::optional<std::vector<Tensor>> central_differences(const Case& test) {
  const std::optional<Case> wide = widened(test);
  if (!wide || !wide->gradient || wide->gradient->wrt != test.gradient->wrt) return std::nullopt;
  const std::vector<FeedSlot> slots = feed_slots(wide->graph);
  std::vector<Tensor> gradients;
  for (const std::string& name : wide->gradient->wrt) {
    const auto slot = static_cast<std::size_t>(std::ranges::find(slots, name, &FeedSlot::name) - slots.begin());
    PARALLAX_CHECK(slot < slots.size());
    std::vector<Tensor> feed = wide->feed;
    Tensor& gradient = gradients.emplace_back(DType::F64, feed[slot].sizes);
    for (int64_t i = 0; i < gradient.numel(); ++i) {
      const double x = feed[slot].get_double(i);
      const double h = step * std::max(1.0, std::abs(x));
      feed[slot].set_double(i, x + h);
      const double above = weighted_sum(*wide, feed);
      feed[slot].set_double(i, x - h);
      const double below = weighted_sum(*wide, feed);
      feed[slot].set_double(i, x);
      gradient.set_double(i, (above - below) / (2 * h));
    }
  }
  return gradients;
}

void judge_gradients(const Case& test, const Outcome& outcome, Judgement& judgement) {
  const std::optional<std::vector<Tensor>> differences = central_differences(test);
  for (std::size_t g = 0; g < test.gradient->wrt.size(); ++g) {
    const Tensor& got = outcome.gradients[g];
    const Tensor& eager = outcome.eager_gradients[g];
    const Tensor& reference = outcome.reference_gradients[g];
    Divergence divergence{.place = {PlaceKind::Gradient, static_cast<int>(g), test.gradient->wrt[g]},
                          .dtype = got.dtype,
                          .sizes = got.sizes,
                          .total = got.numel()};
    if (!(got.sizes == reference.sizes)) {
      divergence.kind = DivergenceKind::Shape;
      divergence.expected = type_text(reference.dtype, reference.sizes);
      divergence.got = type_text(got.dtype, got.sizes);
      judgement.verdict = Verdict::Mismatch;
      judgement.divergence = divergence;
      return;
    }
    judgement.counts.total += got.numel();
    const double scale = std::max(1.0, largest(reference));
    const double allowed = mismatch_roundings * coarsest_roundoff(test.graph) * scale;
    for (int64_t i = 0; i < got.numel(); ++i) {
      const double wanted = reference.get_double(i);
      const bool believed = differences &&  // false for NaN
                            std::abs((*differences)[g].get_double(i) - wanted) <= agreement * scale &&
                            std::abs(eager.get_double(i) - wanted) <= allowed;
      if (!believed) {
        ++judgement.counts.undecided;
        continue;
      }
      if (std::abs(got.get_double(i) - wanted) <= allowed) continue;
      if (divergence.outside++ == 0) {
        divergence.element = i;
        divergence.expected = fmt::format("{:.9g} ± {:.2g}", wanted, allowed);
        divergence.got = fmt::format("{:.9g}", got.get_double(i));
      }
    }
    judgement.counts.outside += divergence.outside;
    if (divergence.outside > 0 && judgement.verdict != Verdict::Mismatch) {
      judgement.verdict = Verdict::Mismatch;
      judgement.reason = element_line(divergence);
      judgement.divergence = divergence;
    }
  }
  if (judgement.verdict == Verdict::Match && judgement.counts.undecided > 0) {
    judgement.verdict = Verdict::Undecided;
    judgement.reason =
        fmt::format("{} of {} elements cannot be decided", judgement.counts.undecided, judgement.counts.total);
  }
}

}  // namespace parallax
