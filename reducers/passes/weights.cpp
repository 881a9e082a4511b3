// Small random numbers in the place of real weights: sooner than the graph is cut, so that what follows asks about a
// case of short numbers. What weights of a few bits show, nobody needs the real ones for.
#include <fmt/format.h>

#include "core/choices.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

constexpr int64_t few_weights = 16;           // smaller tensors are left to the pass over values
constexpr std::size_t few_to_try_alone = 32;  // of more, no tensor is tried alone
constexpr uint64_t seed_of_weights = 0x77656967687473;

// Multiples of 1/8 in [-1, 1], so that short sums of their products are exact in any dtype.
void make_small(Tensor& tensor) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const auto eighths = static_cast<int64_t>(mix(seed_of_weights, static_cast<uint64_t>(i)) % 17) - 8;
    tensor.set_double(i, static_cast<double>(eighths) / 8);
  }
}

bool is_weight(const Tensor& tensor) { return is_floating(tensor.dtype) && tensor.numel() > few_weights; }

}  // namespace

std::vector<Edit> weight_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  std::vector<std::size_t> weights;
  Sketch all = take_apart(test);
  const std::vector<Tensor*> tensors = tensors_of(all);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!is_weight(*tensors[t])) continue;
    weights.push_back(t);
    make_small(*tensors[t]);
  }
  if (weights.empty()) return {};
  candidates.offer("small random weights", all);
  if (weights.size() == 1 || weights.size() > few_to_try_alone) return candidates.take();
  for (const std::size_t t : weights) {
    Sketch one = take_apart(test);
    make_small(*tensors_of(one)[t]);
    candidates.offer(fmt::format("small random weights in tensor {}", t), one);
  }
  return candidates.take();
}

}  // namespace parallax
