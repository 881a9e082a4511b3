// Smaller sizes of symbols: their ranges no wider than what the runs ask for, and fewer elements in one run, what is
// fed there cropped and the numbers of the calls made to fit.
#include <fmt/format.h>

#include <algorithm>

#include "graph/runs.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

Tensor first_elements(const Tensor& data, const Dims& sizes) {
  return gather(data.dtype, Layout{sizes, contiguous_strides(data.sizes), 0}, data.bytes.data());
}

void set_size_of_run(Sketch& sketch, std::size_t run, std::size_t symbol, int64_t size) {
  for (Sketch::GivenValue& source : sketch.sources) {
    Tensor* data = run == 0 ? &source.data : run <= source.later.size() ? &source.later[run - 1] : nullptr;
    if (!data) continue;
    Dims sizes = data->sizes;
    for (const SymbolicDim& dim : source.symbols) {
      if (dim.of.symbol == symbol) sizes[dim.dim] = dim.of.at(size);
    }
    if (sizes == data->sizes) continue;
    *data = first_elements(*data, sizes);
    if (run == 0) source.layout = contiguous_layout(sizes);
  }
  if (run > 0) {
    sketch.later[run - 1][symbol] = size;
    return;
  }
  for (Sketch::CallSketch& call : sketch.nodes) {
    for (const SymbolicNumber& number : call.numbers) {
      int64_t* integer = integer_in(call.arguments[number.argument], number.place);
      if (number.of.symbol == symbol && integer) *integer = number.of.at(size);
    }
  }
}

std::vector<int64_t> smaller_sizes(int64_t size, int64_t low) {
  std::vector<int64_t> smaller;
  for (const int64_t to : {int64_t{1}, int64_t{2}, low, size / 2, size - 1}) {
    if (to >= low && to < size && std::ranges::find(smaller, to) == smaller.end()) smaller.push_back(to);
  }
  return smaller;
}

}  // namespace

std::vector<Edit> symbol_size_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  if (test.symbols.empty()) return candidates.take();
  const Sketch whole = take_apart(test);
  for (std::size_t s = 0; s < whole.symbols.size(); ++s) {
    const auto& [name, low, high] = whole.symbols[s];
    int64_t least = high;
    int64_t most = low;
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      const int64_t size = sizes_of_run(test, run)[s];
      least = std::min(least, size);
      most = std::max(most, size);
      for (const int64_t to : smaller_sizes(size, low)) {
        Sketch sketch = whole;
        set_size_of_run(sketch, run, s, to);
        candidates.offer(fmt::format("{} from {} to {} in run {}", name, size, to, run), sketch);
      }
    }
    if (least == most) continue;  // a range of one size has no symbol, which "fixed" makes of it
    Sketch narrow = whole;
    narrow.symbols[s].low = least;
    narrow.symbols[s].high = most;
    candidates.offer(fmt::format("{} in [{}, {}]", name, least, most), narrow);
    Sketch lower = whole;
    lower.symbols[s].high = most;
    candidates.offer(fmt::format("{} at most {}", name, most), lower);
  }
  return candidates.take();
}

}  // namespace parallax
