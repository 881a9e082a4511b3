// Batch normalisation. In training it writes the running statistics, which become copies into them: functionalize,
// which takes one write a node, has to come after this.
#include <array>

#include "compiler/decomposition.h"
#include "compiler/decompositions/moments.h"

namespace parallax {
namespace {

// Where the overloads have their parameters; -1 for one that is not there.
struct Form {
  int mean = -1;
  int variance = -1;
  int training = -1;
  int momentum = -1;
  int eps = -1;
};
constexpr Form with_statistics = {3, 4, 5, 6, 7};
constexpr Form without_statistics = {-1, -1, 3, 4, 5};
constexpr Form inference = {3, 4, -1, 5, 6};

constexpr int weight = 1;
constexpr int bias = 2;

// The running statistic becomes momentum new + (1 - momentum) old.
void update(Composer& c, int parameter, double momentum, Term fresh) {
  const Term old = c.raw(parameter);
  const Term mixed = viewed(fresh, c.sizes(old)) * momentum + c.cast(old, c.computed_in()) * (1 - momentum);
  c.call("aten.copy_.default", {old.value, mixed.value});
}

Terms trained(Composer& c, const Form& form, const Dims& channel) {
  const Term x = c.operand(0);
  IntList dims = dims_from(2, c.sizes(x).size());
  dims.insert(dims.begin(), 0);
  const Moments moments = moments_of(x, dims);
  const auto count = static_cast<double>(moments.count);
  const Term inverse = inverse_deviation(moments.squares / count, c.real(form.eps));
  Terms results = {scaled_and_shifted(moments.deviation * inverse, weight, bias, channel)};
  for (std::size_t k = 1; k < c.result_count(); ++k) {
    results.push_back(viewed(k == 1 ? moments.mean : inverse, c.result(k).layout.sizes));
  }
  if (form.mean >= 0 && c.has(form.mean)) {
    update(c, form.mean, c.real(form.momentum), moments.mean);
    // What is kept of the variance is the unbiased one.
    update(c, form.variance, c.real(form.momentum), moments.squares / (count - 1));
  }
  return results;
}

Terms inferred(Composer& c, const Form& form, const Dims& channel) {
  const Term x = c.operand(0);
  const auto statistic = [&](int i) { return viewed(c.cast(c.raw(i), c.computed_in()), channel); };
  const Term deviation = x - statistic(form.mean);
  const Term inverse = inverse_deviation(statistic(form.variance), c.real(form.eps));
  Terms results = {scaled_and_shifted(deviation * inverse, weight, bias, channel)};
  for (std::size_t k = 1; k < c.result_count(); ++k) results.push_back(c.full({0}, 0, c.result(k).dtype));
  return results;
}

template <const Form& form>
Terms batch_norm(Composer& c) {
  const Dims& sizes = c.meta(c.raw(0)).layout.sizes;
  // One number a channel, seen beside the dims that follow the channels.
  Dims channel = Dims::filled(sizes.size() - 1, 1);
  channel[0] = sizes[1];
  const bool training = form.training >= 0 && c.boolean(form.training);
  return training ? trained(c, form, channel) : inferred(c, form, channel);
}

constexpr std::array rows = {
    Decomposition{"aten.native_batch_norm.default", batch_norm<with_statistics>},
    Decomposition{"aten._native_batch_norm_legit.default", batch_norm<with_statistics>},
    Decomposition{"aten._native_batch_norm_legit.no_stats", batch_norm<without_statistics>},
    Decomposition{"aten._native_batch_norm_legit_no_training.default", batch_norm<inference>},
    Decomposition{"aten.batch_norm.default", batch_norm<with_statistics>},
};

}  // namespace

DecompositionTable::Rows batch_norm_decompositions() { return rows; }

}  // namespace parallax
