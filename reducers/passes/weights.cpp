// Small random numbers in the place of real weights: sooner than the graph is cut, so that what follows asks about a
// case of short numbers. What weights of a few bits show, nobody needs the real ones for.
#include <fmt/format.h>

#include <cmath>

#include "core/choices.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

constexpr int64_t few_weights = 16;           // smaller tensors are left to the pass over values
constexpr std::size_t few_to_try_alone = 32;  // of more, no tensor is tried alone
constexpr uint64_t seed_of_weights = 0x77656967687473;

bool all_elements(const Tensor& tensor, bool (*holds)(double x)) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (!holds(tensor.get_double(i))) return false;
  }
  return true;
}

bool is_small(double x) { return std::fabs(x) <= 1 && x * 8 == std::nearbyint(x * 8); }

// Multiples of 1/8 in [-1, 1], so that short sums of their products are exact in any dtype. They are as positive as
// what they replace: a variance stays one. Each tensor gets its own numbers.
void make_small(Tensor& tensor, std::size_t index) {
  const int64_t least = all_elements(tensor, [](double x) { return x > 0; })    ? 1
                        : all_elements(tensor, [](double x) { return x >= 0; }) ? 0
                                                                                : -8;
  const uint64_t seed = mix(seed_of_weights, index);
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const uint64_t drawn = mix(seed, static_cast<uint64_t>(i)) % static_cast<uint64_t>(9 - least);
    tensor.set_double(i, static_cast<double>(least + static_cast<int64_t>(drawn)) / 8);
  }
}

// Numbers that are small already stay, as after a cut of the graph a tensor has another index.
bool is_weight(const Tensor& tensor) {
  return is_floating(tensor.dtype) && tensor.numel() > few_weights && !all_elements(tensor, is_small);
}

}  // namespace

std::vector<Edit> weight_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  std::vector<std::size_t> weights;
  Sketch all = take_apart(test);
  const std::vector<Tensor*> tensors = tensors_of(all);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!is_weight(*tensors[t])) continue;
    weights.push_back(t);
    make_small(*tensors[t], t);
  }
  if (weights.empty()) return {};
  candidates.offer("small random weights", all);
  if (weights.size() == 1 || weights.size() > few_to_try_alone) return candidates.take();
  for (const std::size_t t : weights) {
    Sketch one = take_apart(test);
    make_small(*tensors_of(one)[t], t);
    candidates.offer(fmt::format("small random weights in tensor {}", t), one);
  }
  return candidates.take();
}

}  // namespace parallax
