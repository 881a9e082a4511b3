#include "export/python_dynamic.h"

#include <fmt/format.h>

#include <array>

namespace parallax {
namespace {

constexpr std::string_view at_bound = R"py(def at_bound(example):
    """Inputs to compile with: those of the first run, repeated until they have the sizes of the bound."""
    bound = []
    for tensor, sizes in zip(example, BOUND):
        if sizes and tensor.numel() == 0:
            tensor = torch.zeros(sizes, dtype=tensor.dtype)
        elif sizes:
            tensor = tensor.repeat([-(-size // had) for size, had in zip(sizes, tensor.shape)])
            tensor = tensor[tuple(slice(size) for size in sizes)].clone(memory_format=torch.contiguous_format)
        bound.append(tensor)
    return tuple(bound)


)py";

// It also runs, which is to leave nothing behind in the buffers.
constexpr std::string_view marked = R"py(fullgraph=True)
    torch._dynamo.config.recompile_limit = 64
    state = {name: buffer.clone() for name, buffer in module.named_buffers()}
    bound = at_bound(example)
    for tensor, dims in zip(bound, DYNAMIC):
        for dim in dims or ():
            torch._dynamo.mark_dynamic(tensor, dim)
    compiled(*bound)
    for name, buffer in module.named_buffers():
        buffer.copy_(state[name])
)py";

constexpr std::string_view found_out = R"py(fullgraph=True)
    torch._dynamo.config.recompile_limit = 64
)py";

struct Replacement {
  std::string_view from, to;
};
constexpr std::array replacements = {
    Replacement{"torch.export.export(module, example, strict=False)",
                "torch.export.export(module, at_bound(example), dynamic_shapes=DYNAMIC, strict=False)"},
    Replacement{"fullgraph=True, dynamic=False)\n", marked},
    Replacement{"ExecutorchBackendConfig(passes=passes",
                "ExecutorchBackendConfig(passes=passes, sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass()"},
};

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return false;
  const std::string_view whole = text;
  text = fmt::format("{}{}{}", whole.substr(0, at), to, whole.substr(at + from.size()));
  return true;
}

}  // namespace

Result<ScriptTarget> dynamic_target(const ScriptTarget& target, bool automatic) {
  ScriptTarget dynamic = target;
  bool compiles = false;
  for (const auto& [from, to] : replacements) {
    const bool replaced = replace(dynamic.definition, from, automatic && to == marked ? found_out : to);
    compiles = compiles || replaced;
  }
  if (!compiles) return fail("no script of ours says to this system that sizes change");
  if (dynamic.definition.contains("ConstraintBasedSymShapeEvalPass")) {
    dynamic.imports += "from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass\n";
  }
  dynamic.definition = fmt::format("{}{}", at_bound, dynamic.definition);
  return dynamic;
}

}  // namespace parallax
