#include "export/brief_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "export/emit_executorch.h"
#include "export/python_module.h"
#include "export/python_script.h"
#include "graph/origin.h"
#include "graph/written_sources.h"

namespace parallax {
namespace {

// How a system is called, in its own idiom. `given` is a tuple of fresh inputs.
struct Idiom {
  std::string_view family;
  std::string_view imports;
  std::string_view actual;
  bool leaves_inputs = false;  // what the program writes to them does not come back
};

constexpr std::string_view executorch_imports =
    "from executorch.exir import to_edge_transform_and_lower\n"
    "from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer\n";

constexpr std::array idioms = {
    Idiom{"torch-inductor", "", "actual = torch.compile(M(), fullgraph=True)(*given)\n"},
    Idiom{"torch-aot-eager", "", "actual = torch.compile(M(), backend=\"aot_eager\", fullgraph=True)(*given)\n"},
    Idiom{"torch-export", "",
          "actual = torch.export.export(M(), given, strict=False).run_decompositions().module()(*given)\n"},
    Idiom{"executorch-portable", executorch_imports,
          "edge = to_edge_transform_and_lower(torch.export.export(M(), given, strict=False))\n"
          "program = edge.to_executorch().buffer\n"
          "actual = _load_for_executorch_from_buffer(program).run_method(\"forward\", given)\n",
          true},
    Idiom{"executorch-xnnpack",
          "from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner\n"
          "from executorch.exir import to_edge_transform_and_lower\n"
          "from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer\n",
          "exported = torch.export.export(M(), given, strict=False)\n"
          "edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])\n"
          "program = edge.to_executorch().buffer\n"
          "actual = _load_for_executorch_from_buffer(program).run_method(\"forward\", given)\n",
          true},
};

}  // namespace

std::optional<std::string> brief_script(const Case& test, std::string_view target) {
  const auto* idiom = std::ranges::find(idioms, family_of_target(target), &Idiom::family);
  if (idiom == idioms.end() || test.gradient || !check_module(test.graph)) return std::nullopt;
  const auto runs = script_runs(test);
  if (!runs || runs->size() != 1) return std::nullopt;
  const bool written = writes_source(test.graph, SourceKind::Input);
  if (written && idiom->leaves_inputs) return std::nullopt;
  const bool is_executorch = drives_executorch(idiom->family);
  if (is_executorch && has_state(test)) return std::nullopt;  // it takes a pass, and a method that reads the state
  const TakesInput takes = is_executorch ? executorch_script_target(target, false)->takes : TakesInput();
  const PythonModule module(test, aten_call, takes);
  std::string text = fmt::format("import torch\n{}\n\n{}\n\n{}\n\n", idiom->imports, module.class_text("M"),
                                 module.inputs_text("inputs", test));
  text += "torch.set_grad_enabled(False)\n";
  if (written) {
    text += "wanted, given = tuple(inputs().values()), tuple(inputs().values())\nexpected = M()(*wanted)\n";
  } else {
    text += "given = tuple(inputs().values())\nexpected = M()(*inputs().values())\n";
  }
  text += idiom->actual;
  text += "print(\"expected\", expected)\nprint(\"actual  \", actual)\n";
  text += "torch.testing.assert_close(tuple(actual), tuple(expected), equal_nan=True)\n";
  // A write to an input is part of the result.
  if (written) text += "torch.testing.assert_close(given, wanted, equal_nan=True)\n";
  return text;
}

}  // namespace parallax
