#include "graph/refit.h"

#include <numeric>

namespace parallax {
namespace {

int64_t product(const IntList& list) {
  return std::accumulate(list.begin(), list.end(), int64_t{1}, std::multiplies<>());
}

template <class Edit>
std::vector<Argument> edit_all(std::vector<Argument> arguments, Edit edit) {
  for (Argument& argument : arguments) argument = edit_integers(std::move(argument), edit);
  return arguments;
}

// The first operand's numel before and after the edit, or nothing where a node has no operand.
struct Numels {
  int64_t before = 0;
  int64_t after = 0;
};
std::optional<Numels> operand_numels(const Sketch::CallSketch& node, const std::vector<Argument>& mapped,
                                     const Graph& before, const Graph& after, const Sketch& sketch) {
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    const auto* old_value = std::get_if<ValueId>(&node.arguments[i]);
    const auto* new_value = std::get_if<ValueId>(&mapped[i]);
    if (old_value && new_value) {
      return Numels{before.meta(sketch.resolve(*old_value)).layout.numel(), after.meta(*new_value).layout.numel()};
    }
  }
  return std::nullopt;
}

// Lists that spelled out the operand's elements as a shape get one entry rescaled, so that they do again.
std::vector<Argument> fit_shapes(const std::vector<Argument>& original, std::vector<Argument> edited,
                                 const Numels& numels) {
  for (std::size_t i = 0; i < edited.size(); ++i) {
    const auto* old_list = std::get_if<IntList>(&original[i]);
    auto* list = std::get_if<IntList>(&edited[i]);
    if (!old_list || !list || product(*old_list) != numels.before || product(*list) == numels.after) continue;
    for (std::size_t k = list->size(); k-- > 0;) {
      const int64_t others = (*list)[k] == 0 ? 0 : product(*list) / (*list)[k];
      if (others <= 0 || numels.after % others != 0) continue;
      (*list)[k] = numels.after / others;
      break;
    }
  }
  return edited;
}

}  // namespace

ArgumentChoices resize_choices(const Graph& before, const Sketch& sketch, int64_t from, int64_t to) {
  return [&before, &sketch, from, to](const Sketch::CallSketch& node, const std::vector<Argument>& mapped,
                                      const Graph& after, const std::vector<ValueId>&) {
    const std::vector<Argument> replaced = edit_all(mapped, [&](int64_t n) { return n == from ? to : n; });
    std::vector<std::vector<Argument>> choices = {replaced, mapped};
    choices.push_back(edit_all(mapped, [&](int64_t n) { return n >= to && n <= from ? to - 1 : n; }));
    if (const auto numels = operand_numels(node, mapped, before, after, sketch)) {
      choices.insert(choices.begin(), fit_shapes(mapped, mapped, *numels));
      choices.insert(choices.begin(), fit_shapes(mapped, replaced, *numels));
    }
    return choices;
  };
}

}  // namespace parallax
