// Batch normalisation. In training it writes the running statistics, which become copies into them: functionalize,
// which takes one write a node, has to come after this.
#include <array>

#include "compiler/decomposition.h"
#include "compiler/decompositions/moments.h"

namespace parallax {
namespace {

// The running statistic becomes momentum new + (1 - momentum) old.
void update(Composer& c, arg statistic, Term fresh) {
  const Term old = c.raw(statistic);
  const double momentum = c.real(arg::momentum);
  const Term mixed = viewed(fresh, c.sizes(old)) * momentum + c.cast(old, c.computed_in()) * (1 - momentum);
  c.call("aten.copy_.default", {old.value, mixed.value});
}

Terms trained(Composer& c, const Dims& channel) {
  const Term x = c.operand(arg::input);
  IntList dims = dims_from(2, c.sizes(x).size());
  dims.insert(dims.begin(), 0);
  const Moments moments = moments_of(x, dims);
  const auto count = static_cast<double>(moments.count);
  const Term inverse = inverse_deviation(moments.squares / count, c.real(arg::eps));
  Terms results = {scaled_and_shifted(moments.deviation * inverse, channel)};
  for (std::size_t k = 1; k < c.result_count(); ++k) {
    results.push_back(viewed(k == 1 ? moments.mean : inverse, c.result(k).layout.sizes));
  }
  if (c.has(arg::running_mean)) {
    update(c, arg::running_mean, moments.mean);
    // What is kept of the variance is the unbiased one.
    update(c, arg::running_var, moments.squares / (count - 1));
  }
  return results;
}

Terms inferred(Composer& c, const Dims& channel) {
  const Term x = c.operand(arg::input);
  const auto statistic = [&](arg name) { return viewed(c.cast(c.raw(name), c.computed_in()), channel); };
  const Term deviation = x - statistic(arg::running_mean);
  const Term inverse = inverse_deviation(statistic(arg::running_var), c.real(arg::eps));
  Terms results = {scaled_and_shifted(deviation * inverse, channel)};
  for (std::size_t k = 1; k < c.result_count(); ++k) results.push_back(c.full({0}, 0, c.result(k).dtype));
  return results;
}

Terms batch_norm(Composer& c) {
  const Dims sizes = c.meta(c.raw(arg::input)).layout.sizes;
  // One number a channel, seen beside the dims that follow the channels.
  Dims channel = Dims::filled(sizes.size() - 1, 1);
  channel[0] = sizes[1];
  const bool training = c.takes(arg::training) && c.boolean(arg::training);
  return training ? trained(c, channel) : inferred(c, channel);
}

constexpr std::array batch_norm_rows = {
    Decomposition{"aten.native_batch_norm.default", batch_norm},
    Decomposition{"aten._native_batch_norm_legit.default", batch_norm},
    Decomposition{"aten._native_batch_norm_legit.no_stats", batch_norm},
    Decomposition{"aten._native_batch_norm_legit_no_training.default", batch_norm},
    Decomposition{"aten.batch_norm.default", batch_norm},
};

}  // namespace

DecompositionTable::Rows batch_norm_decompositions() { return batch_norm_rows; }

}  // namespace parallax
