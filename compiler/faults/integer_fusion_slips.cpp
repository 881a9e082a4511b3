// F71 to F80: slips of the pass that fuses quantized calls. Each changes a fused call that is right, or what is fused.
#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/faults.h"
#include "compiler/passes/fuse_integers.h"
#include "compiler/rewriter.h"

namespace parallax {
namespace {

constexpr std::string_view pass = "compiler/passes/fuse_integers.cpp";

using EditFn = void (*)(FusedCall& call, std::span<const TensorMeta> metas);

template <EditFn edit>
void plant_edit(CompilerParts& parts) {
  parts.replace_pass("fuse_integers", [](const Graph& graph, const PassOptions&) {
    return fuse_integers_with(graph, IntegerFusion{edit});
  });
}

bool is(const FusedPart& part, std::string_view op) { return part.op->schema.name == op; }
bool takes(const FusedPart& part, arg parameter) { return part.op->schema.index_of(parameter) >= 0; }

// The number that a parameter is; nothing for a tensor.
std::optional<double> number(FusedCall& call, std::size_t part, arg parameter) {
  if (!takes(call.parts[part], parameter)) return std::nullopt;
  const auto* scalar = std::get_if<Scalar>(&call.argument(part, parameter));
  return scalar ? std::optional(as_double(*scalar)) : std::nullopt;
}

bool holds(const FusedCall& call, std::string_view op) {
  return std::ranges::any_of(call.parts, [&](const FusedPart& part) { return is(part, op); });
}

bool ends_with_numbers(FusedCall& call) {
  const std::size_t last = call.parts.size() - 1;
  return number(call, last, arg::scale) && number(call, last, arg::quant_min);
}

// The parameters of the quantize at the end.
void give_parameters_of_last(FusedCall& call, std::size_t part) {
  const std::size_t last = call.parts.size() - 1;
  for (const arg parameter : {arg::scale, arg::zero_point}) {
    if (number(call, part, parameter)) call.argument(part, parameter) = call.argument(last, parameter);
  }
}

// Where the dim next to the channels has as many elements, nothing else shows it.
void move_channel_axis(FusedCall& call, std::span<const TensorMeta> metas) {
  for (std::size_t k = 0; k < call.parts.size(); ++k) {
    if (!takes(call.parts[k], arg::axis) || !takes(call.parts[k], arg::scales)) continue;
    const Layout& x = metas[std::get<ValueId>(call.argument(k, arg::input)).index].layout;
    const int64_t axis = as_integer(std::get<Scalar>(call.argument(k, arg::axis)));
    const auto own = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
    const int next = (own + 1) % x.rank();
    if (x.sizes[next] == x.sizes[own]) call.argument(k, arg::axis) = Scalar(int64_t{next});
  }
}

void drop_zero_points_of_weights(FusedCall& call, std::span<const TensorMeta>) {
  for (std::size_t k = 1; k < call.parts.size() && call.parts[k].op->schema.name.starts_with("dequantize"); ++k) {
    if (takes(call.parts[k], arg::zero_points) && takes(call.parts[k], arg::axis)) {
      call.argument(k, arg::zero_points) = Argument();
    } else if (number(call, k, arg::zero_point) && (holds(call, "linear") || holds(call, "conv2d"))) {
      call.argument(k, arg::zero_point) = Scalar(int64_t{0});
    }
  }
}

void cancel_whatever_the_parameters(FusedCall& call, std::span<const TensorMeta>) {
  if (call.parts.size() != 2 || !ends_with_numbers(call) || !number(call, 0, arg::scale)) return;
  give_parameters_of_last(call, 0);
}

void concatenate_integers(FusedCall& call, std::span<const TensorMeta>) {
  if (!holds(call, "cat") || !ends_with_numbers(call)) return;
  for (std::size_t k = 0; is(call.parts[k], "dequantize_per_tensor"); ++k) give_parameters_of_last(call, k);
}

void swap_scales_of_a_sum(FusedCall& call, std::span<const TensorMeta>) {
  if (!holds(call, "add") || !number(call, 0, arg::scale) || !number(call, 1, arg::scale)) return;
  std::swap(call.argument(0, arg::scale), call.argument(1, arg::scale));
}

// The bounds become limits of what is stored, and nobody adds the zero point.
void clamp_without_the_zero_point(FusedCall& call, std::span<const TensorMeta>) {
  if (!ends_with_numbers(call) || call.parts.size() < 3) return;
  const std::size_t last = call.parts.size() - 1;
  const std::size_t clamp = last - 1;
  if (!is(call.parts[clamp], "clamp") && !is(call.parts[clamp], "hardtanh")) return;
  const bool tanh = is(call.parts[clamp], "hardtanh");
  const double scale = *number(call, last, arg::scale);
  const auto narrow = [&](arg bound, arg limit, bool upper) {
    const std::optional<double> real = number(call, clamp, bound);
    if (!real || !(scale > 0)) return;
    const double stored = std::nearbyint(*real / scale);
    const double own = *number(call, last, limit);
    const double kept = upper ? std::min(own, stored) : std::max(own, stored);
    if (!(std::fabs(kept) < 1e9)) return;
    call.argument(last, limit) = Scalar(static_cast<int64_t>(kept));
  };
  narrow(tanh ? arg::min_val : arg::min, arg::quant_min, false);
  narrow(tanh ? arg::max_val : arg::max, arg::quant_max, true);
}

void lose_narrow_limits(FusedCall& call, std::span<const TensorMeta>) {
  if (!ends_with_numbers(call)) return;
  const std::size_t last = call.parts.size() - 1;
  const DTypeInfo& limits = info(std::get<DType>(call.argument(last, arg::dtype)));
  call.argument(last, arg::quant_min) = Scalar(limits.min_integer);
  call.argument(last, arg::quant_max) = Scalar(limits.max_integer);
}

void count_pads(FusedCall& call, std::span<const TensorMeta>) {
  for (std::size_t k = 0; k < call.parts.size(); ++k) {
    if (is(call.parts[k], "avg_pool2d")) call.argument(k, arg::count_include_pad) = Scalar(true);
  }
}

// A dequantize of what another one read before takes that one's result, whatever its own parameters.
Result<Graph> fuse_with_the_first_reader(const Graph& graph, const PassOptions&) {
  Rewriter rewriter(graph);
  std::vector<ValueId> first(graph.metas.size());
  for (const Node& node : graph.nodes) {
    if (node.op->name != "quantized_decomposed.dequantize_per_tensor.default") {
      TRY_VOID(rewriter.copy(node));
      continue;
    }
    ValueId& known = first[std::get<ValueId>(node.arguments.front()).index];
    const bool alike = known.valid() && graph.meta(known).layout == graph.meta(node.results.front()).layout &&
                       graph.meta(known).dtype == graph.meta(node.results.front()).dtype;
    if (alike) {
      rewriter.map(node.results.front(), rewriter[known]);
    } else {
      TRY_VOID(rewriter.copy(node));
      known = node.results.front();
    }
  }
  const Graph made = rewriter.finish();
  return fuse_integers(made);
}

// What a program chooses from one tensor holds for every later one of the same call.
Result<Graph> fuse_with_stale_parameters(const Graph& graph, const PassOptions&) {
  Rewriter rewriter(graph);
  const Node* first = nullptr;
  for (const Node& node : graph.nodes) {
    const bool chooses = node.op->name == "quantized_decomposed.choose_qparams.tensor";
    if (chooses && first &&
        std::equal(node.arguments.begin() + 1, node.arguments.end(), first->arguments.begin() + 1)) {
      for (std::size_t k = 0; k < node.results.size(); ++k) rewriter.map(node.results[k], rewriter[first->results[k]]);
      continue;
    }
    if (chooses && !first) first = &node;
    TRY_VOID(rewriter.copy(node));
  }
  const Graph made = rewriter.finish();
  return fuse_integers(made);
}

}  // namespace

const Fault channel_axis_off_by_one = {
    "F71",
    "channel axis off by one",
    pass,
    "the scales of channels are laid along the dim behind them",
    "coreai-torch#24, onnxruntime#19694",
    plant_edit<move_channel_axis>,
};
const Fault zero_points_of_weights_dropped = {
    "F72",
    "zero points of weights dropped",
    pass,
    "weights are taken for symmetric, whatever their zero points",
    "executorch#21900",
    plant_edit<drop_zero_points_of_weights>,
};
const Fault pair_of_other_parameters_cancelled = {
    "F73",
    "pair of other parameters cancelled",
    pass,
    "a dequantize and the quantize behind it cancel, whatever their parameters",
    "executorch#19364, onnxruntime#14024",
    plant_edit<cancel_whatever_the_parameters>,
};
const Fault integers_concatenated = {
    "F74",
    "integers concatenated",
    pass,
    "a concatenation copies integers of other scales than its own",
    "executorch#18999, pytorch#46604",
    plant_edit<concatenate_integers>,
};
const Fault scales_of_a_sum_swapped = {
    "F75",
    "scales of a sum swapped",
    pass,
    "the operands of a quantized sum have each other's scales",
    "CMSIS-NN#66, pytorch#37343",
    plant_edit<swap_scales_of_a_sum>,
};
const Fault clamp_without_zero_point = {
    "F76",
    "clamp without the zero point",
    pass,
    "the bounds of a clamp become limits of what is stored, less the zero point",
    "executorch#21974, FBGEMM#1150",
    plant_edit<clamp_without_the_zero_point>,
};
const Fault narrow_limits_lost = {
    "F77",      "narrow limits lost",
    pass,       "a fused call saturates where its dtype ends, not at quant_min and quant_max",
    "tvm#2351", plant_edit<lose_narrow_limits>,
};
const Fault parameters_of_the_first_reader = {
    "F78",         "parameters of the first reader",
    pass,          "a second dequantize of a tensor has the parameters of the first",
    "mxnet#20323", [](CompilerParts& parts) { parts.replace_pass("fuse_integers", fuse_with_the_first_reader); },
};
const Fault stale_dynamic_parameters = {
    "F79",
    "stale dynamic parameters",
    pass,
    "what is chosen at run time for one tensor serves every later one",
    "pytorch#52797",
    [](CompilerParts& parts) { parts.replace_pass("fuse_integers", fuse_with_stale_parameters); },
};
const Fault pads_counted_in_a_mean = {
    "F80",
    "pads counted in a mean",
    pass,
    "a quantized average pool divides by the whole window where pads do not count",
    "pytorch#28260",
    plant_edit<count_pads>,
};

}  // namespace parallax
