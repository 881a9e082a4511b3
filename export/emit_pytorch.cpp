#include "export/emit_pytorch.h"

#include <fmt/format.h>

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

constexpr std::string_view torchax_imports =
    "import jax\nimport torchax\nfrom torchax.export import exported_program_to_jax\n";

constexpr std::string_view torchax_export = R"py(def target(module, example):
    jax.config.update("jax_enable_x64", True)
    env = torchax.default_env()
    weights, lowered = exported_program_to_jax(torch.export.export(module, example, strict=False))
    compiled = jax.jit(lowered)
    return lambda *given: env.j2t_copy(list(compiled(weights, env.t2j_copy(given)))), dict
)py";

// A jitted function has no side effects: what the module writes to its inputs and buffers is returned.
constexpr std::string_view torchax_jit = R"py(def target(module, example):
    jax.config.update("jax_enable_x64", True)
    env = torchax.default_env()
    state = env.t2j_copy(dict(module.named_buffers()))
    for name, value in list(vars(module).items()):
        if isinstance(value, torch.Tensor):
            setattr(module, name, env.j2t_iso(env.t2j_copy(value)))

    def traced(state, arrays):
        with env:
            buffers, given = env.j2t_iso((state, arrays))
            results = torch.func.functional_call(module, buffers, given)
            return env.t2j_iso((list(results), list(given), buffers))

    compiled = jax.jit(traced)

    def call(*given):
        results, after, written = compiled(state, env.t2j_copy(given))
        state.update(written)
        for before, now in zip(given, env.j2t_copy(after)):
            before.set_(now.clone())
        return env.j2t_copy(results)

    return call, lambda: env.j2t_copy(state)
)py";

constexpr std::string_view litert_imports =
    "import litert_torch\nfrom ai_edge_litert.interpreter import Interpreter, OpResolverType\n";

constexpr std::string_view litert = R"py(def target(module, example):
    model = litert_torch.convert(module.eval(), example, enable_x64=True).model_content()
    kernels = OpResolverType.{}
    interpreter = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=kernels)
    run = interpreter.get_signature_runner()
    names = list(run.get_input_details())

    def call(*given):
        found = run(**{{name: given[int(name.rpartition("_")[2])].numpy() for name in names}})
        return [torch.as_tensor(found[f"output_{{i}}"]) for i in range(len(found))]

    return call, dict  # a flatbuffer has no state
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
  if (family == "torchax") {
    const bool jit = target.contains("way=jit");
    return {.title = "torchax against eager",
            .imports = std::string(torchax_imports),
            .definition = std::string(jit ? torchax_jit : torchax_export),
            .packages = {"torch", "jax", "torchax"},
            .stateless = !jit};
  }
  if (family == "litert-torch" || family == "litert-torch-xnnpack") {
    const bool delegate = family == "litert-torch-xnnpack";
    return {.title = delegate ? "litert-torch with XNNPACK against eager" : "litert-torch against eager",
            .imports = std::string(litert_imports),
            .definition = fmt::format(litert, delegate ? "BUILTIN" : "BUILTIN_WITHOUT_DEFAULT_DELEGATES"),
            .packages = {"torch", "litert_torch", "ai_edge_litert"},
            .stateless = true};
  }
  return {.title = "eager against what is recorded", .packages = {"torch"}};
}

Result<std::string> emit_pytorch(const Case& test, const ScriptOptions& options) {
  return python_script(test, options, pytorch_script_target(options.target));
}

}  // namespace parallax
