// Smaller extents and fewer dims: one extent shrunk wherever a source has it, everything behind it inferred anew, and
// the arguments that spell sizes out (view shapes, slice ends) rescaled where it is plain how.
#include <algorithm>
#include <numeric>

#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

int64_t product(const IntList& list) {
  return std::accumulate(list.begin(), list.end(), int64_t{1}, std::multiplies<>());
}

// An argument with its integers passed through `edit`.
template <class Edit>
Argument edit_integers(Argument argument, Edit edit) {
  if (auto* list = std::get_if<IntList>(&argument)) {
    for (int64_t& n : *list) n = edit(n);
  } else if (auto* scalar = std::get_if<Scalar>(&argument)) {
    if (auto* n = std::get_if<int64_t>(scalar)) *n = edit(*n);
  }
  return argument;
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

// How one extent's shrinking shows in a node's arguments.
ArgumentChoices shrink_choices(const Graph& before, const Sketch& sketch, int64_t from, int64_t to) {
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

// Which of a longer dim's elements stay.
enum class Keep { First, Last };

void crop(Tensor& data, const Dims& sizes, Keep keep) {
  Layout kept{sizes, contiguous_strides(data.sizes), 0};
  if (keep == Keep::Last) {
    for (int i = 0; i < sizes.size(); ++i) kept.offset += (data.sizes[i] - sizes[i]) * kept.strides[i];
  }
  data = gather(data.dtype, kept, data.bytes.data());
}

void resize(Sketch::GivenValue& source, const Dims& sizes, Keep keep) {
  const bool contiguous = is_contiguous(source.layout);
  source.layout.sizes = sizes;
  if (contiguous) source.layout.strides = contiguous_strides(sizes);
  if (!source.storage) crop(source.data, sizes, keep);
}

// Every source with the extent `from` cut to `to` there.
void shrink_extent(Sketch& sketch, int64_t from, int64_t to, Keep keep) {
  for (Sketch::GivenValue& source : sketch.sources) {
    Dims sizes = source.layout.sizes;
    std::replace(sizes.begin(), sizes.end(), from, to);
    if (!(sizes == source.layout.sizes)) resize(source, sizes, keep);
  }
}

// 1, 2, 3, half, one less: what an extent may become, without repeats.
std::vector<int64_t> smaller_extents(int64_t extent) {
  std::vector<int64_t> targets;
  for (int64_t target : {int64_t{1}, int64_t{2}, int64_t{3}, extent / 2, extent - 1}) {
    if (target < extent && std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  }
  return targets;
}

void offer_extents(CandidateList& candidates, const Case& test, const Sketch& whole) {
  std::vector<int64_t> extents;
  for (const Sketch::GivenValue& source : whole.sources) {
    for (int64_t size : source.layout.sizes) {
      if (size > 1 && std::find(extents.begin(), extents.end(), size) == extents.end()) extents.push_back(size);
    }
  }
  std::sort(extents.rbegin(), extents.rend());
  for (int64_t from : extents) {
    for (int64_t to : smaller_extents(from)) {
      for (Keep keep : {Keep::First, Keep::Last}) {
        Sketch sketch = whole;
        shrink_extent(sketch, from, to, keep);
        candidates.offer(put_together(sketch, test, shrink_choices(test.graph, sketch, from, to)));
      }
    }
  }
}

// A dim of size 1 less: dims behind it move down, and a shape that spelled it out loses an entry.
ArgumentChoices drop_choices() {
  return [](const Sketch::CallSketch& node, const std::vector<Argument>& mapped, const Graph&,
            const std::vector<ValueId>&) {
    std::vector<Argument> shorter = mapped;
    std::vector<Argument> lowered = mapped;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      if (auto* list = std::get_if<IntList>(&shorter[i])) {
        if (const auto one = std::find(list->begin(), list->end(), 1); one != list->end()) list->erase(one);
      }
      if (node.op->schema.parameters[i].name.starts_with("dim")) {
        lowered[i] = edit_integers(lowered[i], [](int64_t n) { return n > 0 ? n - 1 : n; });
      }
    }
    return std::vector<std::vector<Argument>>{shorter, mapped, lowered};
  };
}

bool drop_dim(Sketch::GivenValue& source) {
  for (int i = 0; i < source.layout.rank(); ++i) {
    if (source.layout.sizes[i] != 1) continue;
    source.layout.sizes.erase(i);
    source.layout.strides.erase(i);
    source.data.sizes = source.layout.sizes;
    return true;
  }
  return false;
}

void offer_ranks(CandidateList& candidates, const Case& test, const Sketch& whole) {
  Sketch all = whole;
  for (Sketch::GivenValue& source : all.sources) drop_dim(source);
  candidates.offer(put_together(all, test, drop_choices()));
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    Sketch one = whole;
    if (drop_dim(one.sources[i])) candidates.offer(put_together(one, test, drop_choices()));
  }
}

}  // namespace

std::vector<Case> dim_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  offer_extents(candidates, test, whole);
  offer_ranks(candidates, test, whole);
  return candidates.take();
}

}  // namespace parallax
