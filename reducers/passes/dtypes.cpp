// f32 in place of other dtypes: everywhere, then one dtype, then one source.
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

Tensor as_f32(const Tensor& tensor) {
  Tensor converted(DType::F32, tensor.sizes);
  const int64_t count = tensor.numel();
  for (int64_t i = 0; i < count; ++i) converted.set_double(i, tensor.get_double(i));
  return converted;
}

void convert(Sketch::GivenValue& source) {
  source.dtype = DType::F32;
  if (!source.storage && !source.data.bytes.empty()) source.data = as_f32(source.data);
  source.data.dtype = DType::F32;
}

void convert_dtype(Sketch& sketch, DType dtype) {
  for (Sketch::DeclaredStorage& storage : sketch.storages) {
    if (storage.dtype != dtype) continue;
    storage.dtype = DType::F32;
    storage.data = as_f32(storage.data);
  }
  for (Sketch::GivenValue& source : sketch.sources) {
    if (source.dtype == dtype) convert(source);
  }
  for (Sketch::CallSketch& node : sketch.nodes) {
    for (Argument& argument : node.arguments) {
      if (argument == Argument(dtype)) argument = DType::F32;
    }
  }
}

}  // namespace

std::vector<Case> dtype_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  Sketch all = whole;
  for (int i = 0; i < dtype_count; ++i) {
    if (static_cast<DType>(i) != DType::F32) convert_dtype(all, static_cast<DType>(i));
  }
  candidates.offer(all);
  for (int i = dtype_count; i-- > 0;) {
    if (static_cast<DType>(i) == DType::F32) continue;
    Sketch one = whole;
    convert_dtype(one, static_cast<DType>(i));
    candidates.offer(one);
  }
  for (std::size_t i = 0; i < whole.sources.size(); ++i) {
    if (whole.sources[i].dtype == DType::F32 || whole.sources[i].storage) continue;
    Sketch one = whole;
    convert(one.sources[i]);
    candidates.offer(one);
  }
  return candidates.take();
}

}  // namespace parallax
