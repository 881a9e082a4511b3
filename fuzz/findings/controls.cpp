#include "fuzz/findings/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/examine.h"
#include "fuzz/generate/alias_relation.h"
#include "graph/runs.h"
#include "graph/sketch.h"
#include "ops/profiles.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Changes a call of the sketch; false where it is not concerned.
using CallEdit = bool (*)(const Graph& graph, const Node& node, Sketch::CallSketch& call);

// A copy that a compiler may elide becomes an addition of 0, which it may not for all it knows.
bool make_copy_real(const Graph& graph, const Node& node, Sketch::CallSketch& call) {
  if (!is_elidable_copy(graph, node) || graph.meta(node.results[0]).dtype == DType::Bool) return false;
  const auto* source = std::get_if<ValueId>(&node.arguments.front());
  if (!source || !(graph.meta(*source).layout.sizes == graph.meta(node.results[0]).layout.sizes)) return false;
  call.op = &op_named("aten.add.Scalar");
  call.arguments = {*source, Scalar(int64_t{0}), Scalar(int64_t{1})};
  return true;
}

// aten.view.default becomes aten.view_copy.default.
bool make_view_copy(const Graph&, const Node& node, Sketch::CallSketch& call) {
  if (!node.op->is_view()) return false;
  const std::string_view name = node.op->name;
  const std::size_t dot = name.rfind('.');
  const Op* copy = find_op(fmt::format("{}_copy{}", name.substr(0, dot), name.substr(dot)));
  if (!copy || copy->schema.parameters.size() != node.op->schema.parameters.size()) return false;
  call.op = copy;
  return true;
}

struct CaseControl {
  std::string_view what;
  CallEdit edit;
};
constexpr std::array case_controls = {
    CaseControl{"copies made a real op, x + 0", make_copy_real},
    CaseControl{"views made copies", make_view_copy},
};

// The case with the edit made wherever it can be; nothing where it changes nothing or leaves no valid case.
std::optional<Case> edited(const Case& test, CallEdit edit) {
  Sketch sketch = take_apart(test);
  bool changed = false;
  for (std::size_t n = 0; n < test.graph.nodes.size(); ++n) {
    changed |= edit(test.graph, test.graph.nodes[n], sketch.nodes[n]);
  }
  return changed ? put_together(sketch, test) : std::nullopt;
}

// Whether two elements must come out alike, the sign of a zero included.
bool same_element(const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return a.undecided == b.undecided;
  if (std::isnan(a.mid) || std::isnan(b.mid)) return std::isnan(a.mid) && std::isnan(b.mid);
  return a.mid == b.mid && std::signbit(a.mid) == std::signbit(b.mid);
}

bool same_tensor(const BallTensor& a, const BallTensor& b) {
  const auto same_integer = [](const IntegerBall& x, const IntegerBall& y) {
    return x.undecided == y.undecided && (x.undecided != Undecided::No || x.value == y.value);
  };
  return a.dtype == b.dtype && a.sizes == b.sizes && std::ranges::equal(a.balls, b.balls, same_element) &&
         std::ranges::equal(a.integers, b.integers, same_integer);
}

// Whether eager gives the same for both cases: only then is the second one a control of the first.
bool same_result(const Case& a, const Case& b) {
  const Profile& eager = *find_profile("eager");
  const auto of_a = expected_runs(eager, a);
  const auto of_b = expected_runs(eager, b);
  return of_a && of_b && std::ranges::equal(of_a->a.outputs, of_b->a.outputs, same_tensor);
}

constexpr std::string_view neighbour_mark = "neighbour: ";

}  // namespace

bool is_neighbour(std::string_view control) { return control.starts_with(neighbour_mark); }

std::vector<Control> control_cases(const Case& test) {
  std::vector<Control> controls;
  for (const CaseControl& control : case_controls) {
    if (std::optional<Case> changed = edited(test, control.edit)) {
      const std::string_view mark = same_result(test, *changed) ? "" : neighbour_mark;
      controls.push_back({fmt::format("{}{}", mark, control.what), *std::move(changed)});
    }
  }
  return controls;
}

std::vector<Control> static_controls(const Case& test) {
  std::vector<Control> controls;
  if (test.symbols.empty()) return controls;
  std::vector<SymbolSizes> seen;
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    const SymbolSizes sizes = sizes_of_run(test, run);
    if (std::ranges::find(seen, sizes) != seen.end()) continue;
    seen.push_back(sizes);
    if (Result<Case> alone = case_of_run(test, run)) controls.push_back({static_mark(test.symbols, sizes), *alone});
  }
  return controls;
}

std::string static_mark(const Symbols& symbols, const SymbolSizes& sizes) {
  return fmt::format("static at {}", text(symbols, sizes));
}

std::optional<Control> passing_control(const Case& test, const std::vector<std::pair<std::string, Verdict>>& verdicts) {
  for (Control& control : control_cases(test)) {
    if (is_neighbour(control.what)) continue;
    if (std::ranges::find(verdicts, std::pair(control.what, Verdict::Match)) != verdicts.end())
      return std::move(control);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, Verdict>> run_controls(Target& target, const Case& test,
                                                          const TargetOptions& options) {
  std::vector<std::pair<std::string, Verdict>> controls;
  for (const Control& control : control_cases(test)) {
    controls.emplace_back(control.what, examine_anew(target, control.test).judgement.verdict);
  }
  for (Control& control : static_controls(test)) {
    controls.emplace_back(std::move(control.what), examine_anew(target, control.test).judgement.verdict);
  }
  for (const std::string& name : {control_target(target.name()), newest_target(target.name())}) {
    if (name.empty()) continue;
    // A control that is not installed is none; the finding stands without it.
    if (const auto other = open_target(name, options)) {
      controls.emplace_back("on " + name, examine(**other, test).judgement.verdict);
    }
  }
  return controls;
}

}  // namespace parallax
