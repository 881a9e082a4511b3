// Fewer and plainer sources: unused ones gone, equal ones merged, buffers and windows made inputs, strides row-major.
#include <fmt/format.h>

#include <algorithm>

#include "graph/removal.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

// What a window holds before the run, row-major.
Tensor window_data(const Sketch& sketch, const Sketch::GivenValue& window) {
  return gather(window.dtype, window.layout, sketch.storages[*window.storage].data.bytes.data());
}

void make_plain_input(Sketch& sketch, Sketch::GivenValue& source) {
  if (source.storage) {
    source.data = window_data(sketch, source);
    source.storage.reset();
    source.layout = contiguous_layout(source.layout.sizes);
  }
  source.kind = SourceKind::Input;
}

void offer_without_unused(CandidateList& candidates, const Sketch& whole) {
  const std::vector<bool> used = used_values(whole);
  Sketch sketch = whole;
  std::erase_if(sketch.sources, [&](const Sketch::GivenValue& source) { return !used[source.value.index]; });
  if (sketch.sources.size() == whole.sources.size()) return;
  candidates.offer("unused sources", sketch);
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    if (used[whole.sources[i].value.index]) continue;
    Sketch one = whole;
    one.sources.erase(one.sources.begin() + static_cast<std::ptrdiff_t>(i));
    candidates.offer("unused " + whole.sources[i].name, one);
  }
}

// Every use of one source taken over by another one: of its type first, then by any that still infers.
void offer_merged(CandidateList& candidates, const Sketch& whole) {
  for (const bool same_type : {true, false}) {
    for (std::size_t i = whole.sources.size(); i-- > 0;) {
      for (std::size_t j = 0; j < whole.sources.size(); ++j) {
        const Sketch::GivenValue& gone = whole.sources[i];
        const Sketch::GivenValue& kept = whole.sources[j];
        if (i == j || (gone.dtype == kept.dtype && gone.layout.sizes == kept.layout.sizes) != same_type) continue;
        Sketch sketch = whole;
        sketch.replace(gone.value, kept.value);
        sketch.sources.erase(sketch.sources.begin() + static_cast<std::ptrdiff_t>(i));
        candidates.offer(fmt::format("{} for {}", kept.name, gone.name), sketch);
      }
    }
  }
}

void offer_plain(CandidateList& candidates, const Sketch& whole) {
  Sketch all = whole;
  for (Sketch::GivenValue& source : all.sources) make_plain_input(all, source);
  candidates.offer("plain inputs", all);
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    Sketch one = whole;
    make_plain_input(one, one.sources[i]);
    candidates.offer(fmt::format("{} a plain input", whole.sources[i].name), one);
  }
}

void offer_row_major(CandidateList& candidates, const Sketch& whole) {
  Sketch all = whole;
  for (Sketch::GivenValue& source : all.sources) {
    if (!source.storage) source.layout = contiguous_layout(source.layout.sizes);
  }
  candidates.offer("row-major", all);
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    if (whole.sources[i].storage) continue;
    Sketch one = whole;
    one.sources[i].layout = contiguous_layout(one.sources[i].layout.sizes);
    candidates.offer(whole.sources[i].name + " row-major", one);
  }
}

// A declared storage cut behind its last window.
void offer_shorter_storages(CandidateList& candidates, const Sketch& whole) {
  for (std::size_t s = 0; s < whole.storages.size(); ++s) {
    int64_t reached = 0;
    for (const Sketch::GivenValue& source : whole.sources) {
      if (source.storage == s) reached = std::max(reached, source.layout.extent());
    }
    if (reached >= whole.storages[s].data.numel()) continue;
    Sketch sketch = whole;
    Sketch::DeclaredStorage& storage = sketch.storages[s];
    storage.sizes = Dims{reached};
    storage.data.sizes = storage.sizes;
    storage.data.bytes.resize(static_cast<std::size_t>(reached * size_of(storage.dtype)));
    candidates.offer(whole.storages[s].name + " shorter", sketch);
  }
}

}  // namespace

std::vector<Edit> source_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  offer_without_unused(candidates, whole);
  offer_plain(candidates, whole);
  offer_merged(candidates, whole);
  offer_row_major(candidates, whole);
  offer_shorter_storages(candidates, whole);
  return candidates.take();
}

}  // namespace parallax
