#include "fuzz/findings/adjudicate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/sketch.h"

namespace parallax {
namespace {

// Changes every float that a case is fed, holds as a constant or starts a buffer with.
void change_floats(Sketch& sketch, const std::function<double(double x, int64_t index)>& change) {
  const auto apply = [&](Tensor& tensor) {
    if (!is_floating(tensor.dtype)) return;
    for (int64_t i = 0; i < tensor.numel(); ++i) tensor.set_double(i, change(tensor.get_double(i), i));
  };
  for (Sketch::DeclaredStorage& storage : sketch.storages) apply(storage.data);
  for (Sketch::GivenValue& source : sketch.sources) apply(source.data);
}

// A multiple of a quarter up to 4: products have four fractional bits, and thousands of them add up exactly in f32.
double few_bits(double x) {
  if (!std::isfinite(x) || x == 0) return x;
  const double rounded = std::clamp(std::nearbyint(x * 4) / 4, -4.0, 4.0);
  return rounded == 0 ? std::copysign(0.25, x) : rounded;
}

class Adjudicator {
 public:
  Adjudicator(Target& target, const Case& suspect) : target_(target), suspect_(suspect), whole_(take_apart(suspect)) {}

  Adjudication run() {
    const bool proved = on_few_bits() || on_few_elements() || cut_short() || re_anchored();
    if (!proved) result_.proof.reset();
    return std::move(result_);
  }

 private:
  bool proves(const std::optional<Case>& test, std::string_view by) {
    if (!test) return false;
    ++result_.checks;
    Examination examination = examine_anew(target_, *test);
    if (examination.judgement.verdict != Verdict::Mismatch) return false;
    result_.proof = Adjudication::Proof{*test, std::move(examination), by};
    return true;
  }

  bool on_few_bits() {
    Sketch sketch = whole_;
    change_floats(sketch, [](double x, int64_t) { return few_bits(x); });
    return proves(put_together(sketch, suspect_), "on values of few bits");
  }

  bool on_few_elements() {
    constexpr int64_t kept_of = 8;
    Sketch sketch = whole_;
    change_floats(sketch, [](double x, int64_t index) { return index % kept_of == 0 ? x : 0; });
    return proves(put_together(sketch, suspect_), "with most elements 0");
  }

  bool cut_short() {
    return std::ranges::any_of(whole_.nodes, [&](const Sketch::CallSketch& node) {
      Sketch sketch = whole_;
      sketch.outputs = node.results;
      const std::optional<Case> cut = put_together(sketch, suspect_);
      return cut && proves(without_dead_nodes(*cut), "cut at an earlier node");
    });
  }

  bool re_anchored() {
    return std::ranges::any_of(whole_.nodes, [&](const Sketch::CallSketch& node) {
      return proves(alone(node), "one node alone, on what the target computed for it");
    });
  }

  // The node on its operands as the target itself has them; nothing where it writes one, or the target does not tell.
  std::optional<Case> alone(const Sketch::CallSketch& node) {
    if (node.op->writes() || node.op->is_view()) return std::nullopt;
    std::vector<ValueId> operands;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) {
        if (std::ranges::find(operands, value) == operands.end()) operands.push_back(value);
      });
    }
    if (operands.empty()) return std::nullopt;
    Sketch before = whole_;
    before.outputs = operands;
    const std::optional<Case> asked = put_together(before, suspect_);
    if (!asked) return std::nullopt;
    ++result_.checks;
    target_.forget_program();
    const Outcome outcome = target_.run(without_dead_nodes(*asked), nullptr);
    if (outcome.status != Status::Ok || !outcome.a || outcome.a->outputs.size() != operands.size()) return std::nullopt;
    Sketch sketch;
    sketch.stand_ins = whole_.stand_ins;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Tensor& held = outcome.a->outputs[i];
      sketch.sources.push_back({.kind = SourceKind::Input,
                                .value = operands[i],
                                .name = "x" + std::to_string(i),
                                .dtype = held.dtype,
                                .layout = contiguous_layout(held.sizes),
                                .data = held,
                                .storage = std::nullopt});
    }
    sketch.nodes.push_back(node);
    sketch.outputs = node.results;
    return put_together(sketch, suspect_);
  }

  Target& target_;
  const Case& suspect_;
  Sketch whole_;
  Adjudication result_;
};

}  // namespace

Adjudication adjudicate(Target& target, const Case& suspect) { return Adjudicator(target, suspect).run(); }

}  // namespace parallax
