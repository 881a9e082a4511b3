#include "export/emit_pytest.h"

#include <fmt/format.h>

#include "export/python_harness.h"
#include "export/python_text.h"

namespace parallax {
namespace {

constexpr std::string_view test_text = R"py(@pytest.mark.parametrize(("make_module", "feeds"), VARIANTS)
def test_agrees_with_eager(make_module, feeds):
    expected = run(eager, make_module, feeds)
    lines, diverges = compare(expected, run(target, make_module, feeds))
    assert not diverges, "\n".join(lines)
)py";

}  // namespace

Result<std::string> emit_pytest(const std::vector<Control>& cases, const ScriptTarget& target) {
  if (target.definition.empty()) return fail("{}: a pytest holds a target against eager", target.title);
  constexpr std::string_view blank = "\n\n";
  std::string text = "#!/usr/bin/env python3\n" + python_comment(target.title + ", for each variant of a case.");
  text += "import pytest\nimport torch\n";
  if (!cases.empty()) text += library_imports(cases.front().test.graph);
  text += target.imports;
  std::string variants;
  std::size_t number = 0;
  for (const auto& [what, test] : cases) {
    const auto runs = script_runs(test);
    if (!runs || !check_module(test.graph)) continue;
    const PythonModule module(test, target.call, target.takes);
    const FeedFunctions feeds = feed_functions(module, *runs, fmt::format("inputs_{}", number));
    text += fmt::format("{}{}{}", blank, module.class_text(fmt::format("Variant{}", number)), feeds.text);
    variants += fmt::format("    pytest.param(Variant{}, ({}), id={}),\n", number, feeds.names, python_string(what));
    ++number;
  }
  text += fmt::format("{0}{1}{0}VARIANTS = [\n{2}]\ntorch.set_grad_enabled(False)\n{0}{3}{0}{4}", blank,
                      target.definition, variants, python_harness(/*gradients=*/false, target.identity), test_text);
  return text;
}

}  // namespace parallax
