#include "graph/convert.h"

#include <cmath>

namespace parallax {
namespace {

// An integer takes a float cut towards zero, and 0 for what it cannot hold.
int64_t as_integer_of(DType dtype, double x) {
  const DTypeInfo& limits = info(dtype);
  const double cut = std::trunc(x);
  const bool held = cut >= static_cast<double>(limits.min_integer) && cut < static_cast<double>(limits.max_integer);
  return held ? static_cast<int64_t>(cut) : 0;
}

Tensor converted(const Tensor& tensor, DType to) {
  Tensor result(to, tensor.sizes);
  const int64_t count = tensor.numel();
  for (int64_t i = 0; i < count; ++i) {
    if (is_floating(to)) {
      result.set_double(i, tensor.get_double(i));
    } else if (is_floating(tensor.dtype)) {
      result.set_integer(i, to == DType::Bool ? tensor.get_double(i) != 0 : as_integer_of(to, tensor.get_double(i)));
    } else {
      result.set_integer(i, tensor.get_integer(i));
    }
  }
  return result;
}

}  // namespace

std::vector<Tensor*> tensors_of(Sketch& sketch) {
  std::vector<Tensor*> tensors;
  const auto add = [&](auto& given) {
    tensors.push_back(&given.data);
    for (Tensor& later : given.later) tensors.push_back(&later);
  };
  for (Sketch::DeclaredStorage& storage : sketch.storages) add(storage);
  for (Sketch::GivenValue& source : sketch.sources) {
    if (!source.storage) add(source);
  }
  return tensors;
}

void convert_source(Sketch::GivenValue& source, DType to) {
  source.dtype = to;
  if (!source.storage && !source.data.bytes.empty()) source.data = converted(source.data, to);
  source.data.dtype = to;
  for (Tensor& later : source.later) later = converted(later, to);
}

void convert_dtype(Sketch& sketch, DType from, DType to) {
  for (Sketch::DeclaredStorage& storage : sketch.storages) {
    if (storage.dtype != from) continue;
    storage.dtype = to;
    storage.data = converted(storage.data, to);
    for (Tensor& later : storage.later) later = converted(later, to);
  }
  for (Sketch::GivenValue& source : sketch.sources) {
    if (source.dtype == from) convert_source(source, to);
  }
  for (Sketch::CallSketch& node : sketch.nodes) {
    for (Argument& argument : node.arguments) {
      if (argument == Argument(from)) argument = to;
    }
  }
}

}  // namespace parallax
