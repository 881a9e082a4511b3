// A case as a Python script that a maintainer can paste: Bug and Control as modules, eager held against a target, what
// was expected and what came out. It needs the system alone, nothing of this project; its exit code is 1 where the
// divergence shows, 0 where it does not, 2 where eager itself raises.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/python_module.h"
#include "graph/control.h"

namespace parallax {

struct ScriptOptions {
  std::string comment;  // on top, each of its lines behind "# "
  std::string target;   // what to hold against eager, as a user names targets
  std::optional<Control> control;
  std::optional<double> tolerance = {};  // absolute, where the default ones of assert_close do not see what differs
};

// What the scripts for one system differ in.
struct ScriptTarget {
  std::string title;                       // what is held against what, for a person
  std::string imports = {};                // lines behind the standard library's and torch's
  std::string definition = {};             // def target(module, example): the callable, and what reads its buffers
  std::vector<std::string_view> packages;  // whose versions are printed
  PythonCall call = aten_call;
  TakesInput takes = {};
  bool identity = false;   // whether it promises that tensors share memory as in eager
  bool stateless = false;  // whether its programs neither write to their inputs nor keep buffers
};

// The script. Without a definition, eager's values are held against what the case records. An error names what a module
// cannot say.
Result<std::string> python_script(const Case& test, const ScriptOptions& options, const ScriptTarget& target);

// What a module with inputs cannot say of a graph: a memory that its caller and its buffers share.
Result<void> check_module(const Graph& graph);

// The runs of a script, one after the other on one module: the case's own where it has several; else its feed and,
// where a buffer is written and so the next run can show what is left in it, the second feed.
Result<std::vector<Case>> script_runs(const Case& test);
// Functions that make the inputs of each run, with two blank lines before each, and their names with commas.
struct FeedFunctions {
  std::string text;
  std::string names;
};
FeedFunctions feed_functions(const PythonModule& module, const std::vector<Case>& runs, const std::string& stem);

}  // namespace parallax
