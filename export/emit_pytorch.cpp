#include "export/emit_pytorch.h"

#include "graph/origin.h"

namespace parallax {
namespace {

// As the targets compile: a graph break would leave a part of the case to eager, sizes are what they are, and no graph
// comes out of a cache, where it may be that of another case.
constexpr std::string_view aot_eager = R"py(def target(module, example):
    torch.compiler.config.force_disable_caches = True
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True, dynamic=False)
    return compiled, lambda: dict(module.named_buffers())
)py";

constexpr std::string_view inductor = R"py(def target(module, example):
    torch.compiler.config.force_disable_caches = True
    compiled = torch.compile(module, fullgraph=True, dynamic=False)
    return compiled, lambda: dict(module.named_buffers())
)py";

constexpr std::string_view exported = R"py(def target(module, example):
    program = torch.export.export(module, example, strict=False).run_decompositions().module()
    return program, lambda: dict(program.named_buffers())
)py";

}  // namespace

ScriptTarget pytorch_script_target(std::string_view target) {
  const std::string_view family = family_of_target(target);
  if (family == "torch-aot-eager") {
    return {.title = "torch.compile(backend=\"aot_eager\") against eager",
            .definition = std::string(aot_eager),
            .packages = {"torch"},
            .identity = true};
  }
  if (family == "torch-inductor") {
    return {.title = "torch.compile against eager",
            .definition = std::string(inductor),
            .packages = {"torch"},
            .identity = true};
  }
  if (family == "torch-export") {
    return {.title = "torch.export against eager", .definition = std::string(exported), .packages = {"torch"}};
  }
  return {.title = "eager against what is recorded", .packages = {"torch"}};
}

Result<std::string> emit_pytorch(const Case& test, const ScriptOptions& options) {
  return python_script(test, options, pytorch_script_target(options.target));
}

}  // namespace parallax
