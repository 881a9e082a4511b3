#include "export/emit_thunder.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {
namespace {

// thunder lists these methods at import.
constexpr std::string_view imports = R"py(
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None  # noqa: E731
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)

import thunder  # noqa: E402
)py";

constexpr std::string_view jit = R"py(def target(module, example):
    compiled = thunder.jit(module)
    return compiled, lambda: {name: compiled.get_buffer(name) for name, _ in module.named_buffers()}
)py";

// Where PyTorch 2.13 puts the function that it generates from a schema: where not in torch, and, of those that write
// in place, not among the methods.
constexpr std::string_view methods[] = {"as_strided", "as_strided_scatter", "contiguous", "expand", "new_full",
                                        "new_ones",   "new_zeros",          "repeat",     "unfold", "view"};
constexpr std::string_view in_place_functions[] = {"celu_", "selu_", "threshold_"};
constexpr std::string_view nn_functions[] = {"_upsample_nearest_exact1d",
                                             "_upsample_nearest_exact2d",
                                             "adaptive_max_pool2d",
                                             "avg_pool2d",
                                             "avg_pool3d",
                                             "elu",
                                             "elu_",
                                             "gelu",
                                             "gelu_",
                                             "glu",
                                             "hardsigmoid",
                                             "hardsigmoid_",
                                             "hardswish",
                                             "hardswish_",
                                             "hardtanh",
                                             "hardtanh_",
                                             "leaky_relu",
                                             "leaky_relu_",
                                             "linear",
                                             "log_sigmoid",
                                             "max_pool2d_with_indices",
                                             "max_pool3d_with_indices",
                                             "mish",
                                             "mish_",
                                             "reflection_pad1d",
                                             "reflection_pad2d",
                                             "reflection_pad3d",
                                             "relu6",
                                             "relu6_",
                                             "replication_pad1d",
                                             "replication_pad2d",
                                             "replication_pad3d",
                                             "silu",
                                             "silu_",
                                             "softplus",
                                             "softshrink",
                                             "upsample_bicubic2d",
                                             "upsample_bilinear2d",
                                             "upsample_linear1d",
                                             "upsample_nearest1d",
                                             "upsample_nearest2d",
                                             "upsample_nearest3d",
                                             "upsample_trilinear3d"};
constexpr std::string_view no_function[] = {"_cdist_forward",
                                            "_pdist_forward",
                                            "_to_copy",
                                            "alias",
                                            "copy",
                                            "index",
                                            "lift_fresh_copy",
                                            "log_sigmoid_forward",
                                            "max_pool2d_with_indices_backward",
                                            "norm",
                                            "zero"};

template <std::size_t N>
bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// aten.slice as Python spells it, of the dim that counts from either end.
std::string slice_call(const Node& node, const Spelling& spelling) {
  const auto argument = [&](std::size_t i) { return spell(node.arguments[i], spelling); };
  return fmt::format("{0}[(slice(None),) * ({1} % {0}.dim()) + (slice({2}, {3}, {4}),)]", argument(0), argument(1),
                     argument(2), argument(3), argument(4));
}

// aten.to.dtype: thunder takes the method's flags by name only, and refuses those that are not set.
std::string to_call(const Node& node, const Spelling& spelling) {
  std::string call = fmt::format("{}.to({}", spell(node.arguments[0], spelling), spell(node.arguments[1], spelling));
  for (std::size_t i = 2; i < node.arguments.size(); ++i) {
    const std::string flag = spell(node.arguments[i], spelling);
    if (flag == spelling.no || flag == spelling.none) continue;
    call += fmt::format(", {}={}", node.op->schema.parameters[i].name, flag);
  }
  return call + ")";
}

// The legacy overloads of variances, as the correction that is documented.
std::string variance_call(const Node& node, const Spelling& spelling) {
  const auto argument = [&](std::size_t i) { return spell(node.arguments[i], spelling); };
  const std::string_view name = node.op->schema.name;
  if (node.op->schema.overload != "dim") {
    return fmt::format("torch.{}({}, correction=int({}))", name, argument(0), argument(1));
  }
  return fmt::format("torch.{}({}, {}, correction=int({}), keepdim={})", name, argument(0), argument(1), argument(2),
                     argument(3));
}

bool is_legacy_variance(const Schema& schema) {
  return (schema.name == "std" || schema.name == "var" || schema.name == "var_mean") &&
         (schema.overload.empty() || schema.overload == "default" || schema.overload == "dim");
}

std::string public_call(const Node& node, const Spelling& spelling) {
  const std::string_view name = node.op->schema.name;
  if (name == "slice") return slice_call(node, spelling);
  if (name == "to") return to_call(node, spelling);
  if (is_legacy_variance(node.op->schema)) return variance_call(node, spelling);
  const std::string arguments = spell_arguments(node, spelling);
  const bool in_place = name.ends_with('_') && !among(in_place_functions, name) && !among(nn_functions, name);
  if (in_place || among(methods, name)) {
    // The first argument is the object.
    const std::string object = spell(node.arguments[0], spelling);
    std::string_view others = std::string_view(arguments).substr(object.size());
    if (others.starts_with(", ")) others.remove_prefix(2);
    return fmt::format("{}.{}({})", object, name, others);
  }
  if (among(nn_functions, name)) return fmt::format("torch._C._nn.{}({})", name, arguments);
  for (const std::string_view space : {"special", "linalg"}) {
    if (name.starts_with(fmt::format("{}_", space))) {
      return fmt::format("torch.{}.{}({})", space, name.substr(space.size() + 1), arguments);
    }
  }
  return fmt::format("torch.{}({})", name, arguments);
}

}  // namespace

Result<std::string> emit_thunder(const Case& test, const ScriptOptions& options) {
  for (const Node& node : test.graph.nodes) {
    if (among(no_function, node.op->schema.name)) {
      return fail("PyTorch has no public function for {}, and thunder traces no ATen overloads", node.op->name);
    }
  }
  ScriptOptions without_control = options;
  if (options.control && std::ranges::any_of(options.control->test.graph.nodes, [](const Node& node) {
        return among(no_function, node.op->schema.name);
      })) {
    without_control.control.reset();
  }
  const ScriptTarget target{.title = "thunder.jit against eager",
                            .imports = std::string(imports),
                            .definition = std::string(jit),
                            .packages = {"lightning-thunder", "torch"},
                            .call = public_call};
  return python_script(test, without_control, target);
}

}  // namespace parallax
