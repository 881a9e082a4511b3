// Smaller extents and fewer dims: one extent shrunk wherever a source has it, everything behind it inferred anew, and
// the arguments that spell sizes out (view shapes, slice ends) rescaled where it is plain how.
#include <fmt/format.h>

#include <algorithm>

#include "graph/refit.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

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
        candidates.offer(fmt::format("extent {} to {}, the {}", from, to, keep == Keep::First ? "first" : "last"),
                         put_together(sketch, test, resize_choices(test.graph, sketch, from, to)));
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
  candidates.offer("a dim less", put_together(all, test, drop_choices()));
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    Sketch one = whole;
    if (drop_dim(one.sources[i])) {
      candidates.offer("a dim less of " + whole.sources[i].name, put_together(one, test, drop_choices()));
    }
  }
}

}  // namespace

std::vector<Edit> dim_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  offer_extents(candidates, test, whole);
  offer_ranks(candidates, test, whole);
  return candidates.take();
}

}  // namespace parallax
