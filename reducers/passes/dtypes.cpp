// f32 in place of other dtypes: everywhere, then one dtype, then one source.
#include <fmt/format.h>

#include "graph/convert.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
std::vector<Edit> dtype_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  Sketch all = whole;
  for (int i = 0; i < dtype_count; ++i) {
    if (static_cast<DType>(i) != DType::F32) convert_dtype(all, static_cast<DType>(i), DType::F32);
  }
  candidates.offer("f32 everywhere", all);
  for (int i = dtype_count; i-- > 0;) {
    if (static_cast<DType>(i) == DType::F32) continue;
    Sketch one = whole;
    convert_dtype(one, static_cast<DType>(i), DType::F32);
    candidates.offer(fmt::format("f32 for {}", name(static_cast<DType>(i))), one);
  }
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    if (whole.sources[i].dtype == DType::F32 || whole.sources[i].storage) continue;
    Sketch one = whole;
    convert_source(one.sources[i], DType::F32);
    candidates.offer("f32 in " + whole.sources[i].name, one);
  }
  return candidates.take();
}

}  // namespace parallax
