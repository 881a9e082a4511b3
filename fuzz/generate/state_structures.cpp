// Recurrent cells and running statistics: state that a program reads, writes and reads again.
#include <array>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

// A cell over a few steps: the state is a buffer that is written in each, or only at the end.
void recurrent_cell(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t steps = choices.between(1, 3);
  const int64_t width = choices.between(2, 4);
  const ValueId x = site.activations({steps, width});
  const ValueId gate = site.call("aten.sigmoid.default", {site.weights({width})});
  const ValueId held = site.state({width});
  const bool each_step = choices.chance(60);
  ValueId h = held;
  for (int64_t t = 0; t < steps; ++t) {
    const ValueId now = site.call("aten.select.int", {x, Scalar(int64_t{0}), Scalar(t)});
    ValueId next = site.sum(site.multiply(gate, h), now);
    if (choices.chance(40)) next = site.call("aten.tanh.default", {next});
    if (!next.valid()) return;
    h = each_step ? site.call("aten.copy_.default", {held, next}) : next;
    if (choices.chance(30)) site.multiply(h, now);
  }
  if (!each_step) site.call("aten.copy_.default", {held, h});
}

// A mean that forgets, with the number of calls it was made of.
void running_mean(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t width = choices.between(2, 4);
  const ValueId x = site.activations({choices.between(1, 3), width});
  const ValueId mean = site.state({width});
  const ValueId count = site.source(SourceKind::Buffer, DType::I64, {});
  const double forget = choices.chance(50) ? 0.5 : 0.9;
  const ValueId batch = site.call("aten.mean.dim", {x, IntList{0}});
  ValueId now = site.call("aten.mul_.Scalar", {mean, Scalar(forget)});
  now = site.call("aten.add_.Tensor", {now, site.scaled(batch, 1 - forget)});
  site.call("aten.add_.Scalar", {count, Scalar(int64_t{1})});
  const ValueId centred = site.call("aten.sub.Tensor", {x, now});
  if (choices.chance(50))
    site.call("aten.div.Tensor", {centred, site.call("aten._to_copy.default", {count}, {{"dtype", site.dtype()}})});
}

// Batch norm in training, which writes its running statistics, and reads them again in evaluation.
void batch_statistics(StructureSite& site) {
  const int64_t channels = site.choices().between(1, 3);
  const ValueId x = site.activations({site.choices().between(2, 3), channels, site.choices().between(1, 2)});
  const ValueId mean = site.state({channels});
  const ValueId variance = site.call("aten.abs_.default", {site.state({channels})});
  const ValueId weight = site.weights({channels});
  const ValueId bias = site.weights({channels});
  const ValueId trained = site.call("aten._native_batch_norm_legit.default",
                                    {x, weight, bias, mean, variance, Scalar(true), Scalar(0.1), Scalar(1e-3)});
  if (!site.choices().chance(50)) return;
  site.call("aten.batch_norm.default",
            {trained, weight, bias, mean, variance, Scalar(false), Scalar(0.1), Scalar(1e-3), Scalar(false)});
}

}  // namespace

std::span<const Structure> state_structures() {
  static constexpr std::array structures = {
      Structure{"recurrent cell", recurrent_cell},
      Structure{"running mean", running_mean},
      Structure{"batch statistics", batch_statistics},
  };
  return structures;
}

}  // namespace parallax
