#include "export/python_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/python_control.h"
#include "export/python_dynamic.h"
#include "export/python_harness.h"
#include "export/python_text.h"
#include "graph/counts.h"
#include "graph/origin.h"
#include "graph/runs.h"
#include "graph/second_feed.h"

namespace parallax {
namespace {

constexpr std::string_view blank = "\n\n";

// The first two lines are ours: there Python would take the word "coding" in a comment for the encoding of the file.
constexpr std::string_view head = R"py(#!/usr/bin/env python3
# Exit code: 1 where the divergence shows, 0 where it does not, 2 where eager itself raises. With a traceback it did
# not run.
)py";

// A class is named on the command line to run it alone.
constexpr std::string_view main_text = R"py(def show(name):
    """Prints what Bug or Control gives; returns whether it diverges."""
    print(f"{name}: {TARGET}")
    make_module = globals()[name]
    try:
        eagerly = run(eager, make_module, FEEDS)
    except Exception as error:
        print(f"  eager itself raises {type(error).__name__}: {error}")
        sys.exit(2)
    try:
        expected, actual = sides(make_module, eagerly)
    except Exception as error:
        print(f"  raises {type(error).__name__}: {error}")
        return True
    lines, diverges = compare(expected, actual)
    print("\n".join(lines))
    return diverges


if __name__ == "__main__":
    for package in PACKAGES:
        print(package, version(package))
    diverged = [show(name) for name in sys.argv[1:] or NAMES]
    sys.exit(1 if diverged[0] else 0)
)py";

constexpr std::string_view against_target = R"py(def sides(make_module, eagerly):
    return eagerly, run(target, make_module, FEEDS)
)py";

constexpr std::string_view against_record = R"py(def sides(make_module, eagerly):
    return EXPECTED, eagerly
)py";

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string list;
  for (std::string_view name : names) list += (list.empty() ? "" : " ") + python_string(name) + ",";
  return list;
}

// The case's name, and what its origin says of the divergence.
std::string about(const Case& test) {
  const Origin origin = origin_of(test);
  std::string text = test.name;
  for (const std::string* part : {&origin.target, &origin.version, &origin.signature, &origin.issue}) {
    if (!part->empty()) text += (text.empty() ? "" : "\n") + *part;
  }
  return text;
}

// Whether a run can leave something for the next: what buffers hold.
bool keeps_state(const Graph& graph) {
  const std::vector<bool> written = written_storages(graph);
  return std::ranges::any_of(graph.sources, [&](const Source& source) {
    return source.kind == SourceKind::Buffer && written[graph.meta(source.value).storage.index];
  });
}

}  // namespace

Result<std::vector<Case>> script_runs(const Case& test) {
  std::vector<Case> runs;
  if (has_several_instances(test)) return fail("its runs are on several instances of the program: no script says that");
  if (!test.methods.empty()) return fail("its runs call several methods of one program: no script says that");
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    TRY(runs.emplace_back(), case_of_run(test, run));
  }
  if (!has_several_runs(test) && !test.gradient && keeps_state(test.graph)) {
    runs.push_back(test);
    runs.back().feed = second_feed(test);
  }
  return runs;
}

FeedFunctions feed_functions(const PythonModule& module, const std::vector<Case>& runs, const std::string& stem) {
  FeedFunctions functions;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::string name = run == 0 ? stem : fmt::format("{}_of_run_{}", stem, run + 1);
    functions.text += fmt::format("{}{}", blank, module.inputs_text(name, runs[run]));
    functions.names += (run == 0 ? "" : " ") + name + ",";
  }
  return functions;
}

Result<void> check_module(const Graph& graph) {
  for (const Source& buffer : graph.sources) {
    if (buffer.kind != SourceKind::Buffer || !buffer.window) continue;
    const StorageId storage = graph.meta(buffer.value).storage;
    if (!graph.storage(storage).data) {
      return fail("buffer '{}' lies in the storage '{}', which is fed: no module says that", graph.name(buffer.value),
                  graph.storage(storage).name);
    }
    for (const Source& input : graph.sources) {
      if (input.kind != SourceKind::Input || graph.meta(input.value).storage != storage) continue;
      return fail("input '{}' and buffer '{}' share memory: no module says that", graph.name(input.value),
                  graph.name(buffer.value));
    }
  }
  return {};
}

Result<std::string> python_script(const Case& test, const ScriptOptions& options, const ScriptTarget& of_system) {
  TRY_VOID(check_module(test.graph));
  if (writes_in_slices(test.graph))
    return std::unexpected(
        Error{ErrorKind::Unsupported, "", "", "PyTorch runs no scan and no map that writes an operand"});
  ScriptTarget target = of_system;
  if (!test.symbols.empty() && !target.definition.empty()) {
    TRY(target, dynamic_target(of_system, options.target.contains("dynamism=automatic")));
  }
  // A size that data decide would break torch.compile's graph.
  const std::size_t compiling = target.definition.find("    compiled = torch.compile(");
  if (holds_counts(test.graph) && compiling != std::string::npos)
    target.definition.insert(compiling, "    torch._dynamo.config.capture_dynamic_output_shape_ops = True\n");
  const PythonModule module(test, target.call, target.takes);
  const std::string comment = options.comment.empty() ? about(test) : options.comment;
  std::string text(head);
  if (!comment.empty()) text += "#\n" + python_comment(comment);
  text += fmt::format("import sys\nfrom importlib.metadata import version\n\nimport torch\n{}{}",
                      library_imports(test.graph), target.imports);
  text += blank;
  text += module.class_text("Bug");
  // What is recorded is of the case, and not of its control.
  const bool has_control = options.control && !target.definition.empty();
  if (has_control) {
    text += blank;
    text += PythonModule(options.control->test, target.call, target.takes).class_text("Control", options.control->what);
  }
  const bool recorded = target.definition.empty();
  TRY(std::vector<Case> runs, script_runs(test));
  if (recorded) runs.resize(test.later.size() + 1);  // nothing is recorded of the second feed
  const FeedFunctions feeds = feed_functions(module, runs, "inputs");
  text += feeds.text;
  text += blank;
  if (!target.definition.empty()) {
    if (const std::string dynamic = module.dynamic_text(); !dynamic.empty())
      text += fmt::format("{}{}", dynamic, blank);
    text += target.definition;
    text += blank;
  }
  text += fmt::format("TARGET = {}\nPACKAGES = ({})\nNAMES = ({})\nFEEDS = ({})\n", python_string(target.title),
                      quoted_list(target.packages), has_control ? "\"Bug\", \"Control\"" : "\"Bug\",", feeds.names);
  text += module.gradient_text();
  if (recorded) {
    const std::string expected = module.expected_text();
    text += expected.empty() ? "EXPECTED = {}\n" : expected;
  }
  // Branches may write without gradients alone.
  if (!test.gradient) text += "torch.set_grad_enabled(False)\n";
  text += blank;
  text += python_harness(test.gradient.has_value(), target.identity, options.tolerance);
  text += blank;
  text += recorded ? against_record : against_target;
  text += blank;
  text += main_text;
  return text;
}

}  // namespace parallax
