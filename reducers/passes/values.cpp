// Plainer numbers: all zeros, all ones, small integers, few digits; every tensor, then each one, then single elements.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

#include "graph/convert.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

// Tensors of at most this many elements are simplified element by element too.
constexpr int64_t few_elements = 16;

double zero(double) { return 0; }
double one(double) { return 1; }
double small_integer(double x) { return std::isfinite(x) ? std::nearbyint(std::fmax(-9, std::fmin(9, x))) : x; }
double digits(double x, int count) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double scale = std::pow(10.0, count - 1 - std::floor(std::log10(std::fabs(x))));
  return std::nearbyint(x * scale) / scale;
}
double one_digit(double x) { return digits(x, 1); }
double two_digits(double x) { return digits(x, 2); }
double three_digits(double x) { return digits(x, 3); }

struct Simplify {
  std::string_view what;
  double (*of)(double);
};
constexpr std::array simplifications = {Simplify{"zeros", zero},
                                        Simplify{"ones", one},
                                        Simplify{"small integers", small_integer},
                                        Simplify{"one digit", one_digit},
                                        Simplify{"two digits", two_digits},
                                        Simplify{"three digits", three_digits}};

void simplify_element(Tensor& tensor, int64_t i, const Simplify& simplify) {
  if (is_floating(tensor.dtype)) {
    tensor.set_double(i, simplify.of(tensor.get_double(i)));
  } else {
    tensor.set_integer(i, static_cast<int64_t>(simplify.of(tensor.get_double(i))));
  }
}

void simplify_tensor(Tensor& tensor, const Simplify& simplify) {
  const int64_t count = tensor.numel();
  for (int64_t i = 0; i < count; ++i) simplify_element(tensor, i, simplify);
}

}  // namespace

std::vector<Edit> value_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const auto offer = [&](std::string what, const std::function<void(std::vector<Tensor*>&)>& edit) {
    Sketch sketch = take_apart(test);
    std::vector<Tensor*> tensors = tensors_of(sketch);
    edit(tensors);
    candidates.offer(std::move(what), sketch);
  };
  Sketch whole = take_apart(test);
  const std::vector<Tensor*> tensors = tensors_of(whole);
  for (const Simplify& simplify : simplifications) {
    offer(std::string(simplify.what), [&](std::vector<Tensor*>& edited) {
      for (Tensor* tensor : edited) simplify_tensor(*tensor, simplify);
    });
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    for (const Simplify& simplify : simplifications) {
      offer(fmt::format("{} in tensor {}", simplify.what, t),
            [&](std::vector<Tensor*>& edited) { simplify_tensor(*edited[t], simplify); });
    }
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t]->numel() > few_elements) continue;
    for (int64_t i = 0; i < tensors[t]->numel(); ++i) {
      for (const Simplify& simplify : simplifications) {
        offer(fmt::format("{} in element {} of tensor {}", simplify.what, i, t),
              [&](std::vector<Tensor*>& edited) { simplify_element(*edited[t], i, simplify); });
      }
    }
  }
  return candidates.take();
}

}  // namespace parallax
