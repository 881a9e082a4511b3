#include "backends/runtime/device_slip.h"

#include <algorithm>
#include <iterator>

#include "graph/removal.h"
#include "graph/sketch.h"
#include "oracle/record.h"

namespace parallax::runtime {
namespace {

template <class Call>
bool reduces(const Call& call) {
  return call.op->group == OpGroup::Reduction;
}

// `given` by value.
std::optional<Case> reductions_alone(const Case& test, std::span<const Tensor> given) {
  Sketch whole = take_apart(test);
  Sketch sketch;
  sketch.stand_ins = std::move(whole.stand_ins);
  std::ranges::copy_if(whole.nodes, std::back_inserter(sketch.nodes), reduces<Sketch::CallSketch>);
  if (sketch.nodes.empty()) return std::nullopt;
  std::vector<ValueId> read;
  for (const Sketch::CallSketch& node : sketch.nodes) {
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { read.push_back(value); });
    }
  }
  std::ranges::sort(read);
  read.erase(std::ranges::unique(read).begin(), read.end());
  for (ValueId value : read)
    stand_in_source(sketch, SourceKind::Input, value, test.graph.name(value) + "_", given[value.index]);
  for (const Sketch::CallSketch& node : sketch.nodes)
    sketch.outputs.insert(sketch.outputs.end(), node.results.begin(), node.results.end());
  return put_together(sketch, test);
}

// Numbers of one sign and no zeros: what lies beside them and is taken for one of them shows in any reduction.
void fill(Tensor& tensor, int sign) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (is_floating(tensor.dtype)) {
      tensor.set_double(i, static_cast<double>(sign * (i % 7 + 1)));
    } else {
      tensor.set_integer(i, tensor.dtype == DType::Bool ? 1 : sign * (i % 7 + 1));
    }
  }
}

bool reductions_are_wrong(const Case& test, const std::function<bool(const Case&)>& is_wrong) {
  std::optional<std::vector<Tensor>> given = record_values(test);
  if (!given) return false;
  for (const int sign : {0, -1, 1}) {
    if (sign != 0) std::ranges::for_each(*given, [&](Tensor& tensor) { fill(tensor, sign); });
    const std::optional<Case> reductions = reductions_alone(test, *given);
    if (reductions && is_wrong(*reductions)) return true;
  }
  return false;
}

}  // namespace

std::string_view device_slip(std::span<const Case> runs, const std::function<bool(const Case&)>& is_wrong) {
  const auto wrong_alone = [&](const Case& test) { return reductions_are_wrong(test, is_wrong); };
  const auto any_gap = [](const Case& test) {
    return std::ranges::any_of(test.graph.metas, [](const TensorMeta& meta) { return !is_dense(meta.layout); });
  };
  const auto any_reduction = [](const Case& test) { return std::ranges::any_of(test.graph.nodes, reduces<Node>); };
  if (std::ranges::any_of(runs, wrong_alone)) return "reduction";
  if (std::ranges::any_of(runs, any_gap)) return "tensor with gaps";
  // What lies behind a tensor may happen to be harmless in the control.
  return std::ranges::any_of(runs, any_reduction) ? "reduction" : "";
}

}  // namespace parallax::runtime
