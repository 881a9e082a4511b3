#include "backends/vulkan/device_contraction.h"

#include <bit>

#include "backends/vulkan/strides.h"
#include "ops/reduce_dims.h"

namespace parallax::vulkan {
namespace {

const ShaderSource reduction_source = {"reduction", [] { return std::string(shader_text("reduction")); }};

uint64_t number_bits(DType dtype, const Scalar& number) {
  switch (class_of(dtype)) {
    case NumberClass::Integer:
      return static_cast<uint64_t>(std::visit([](auto x) { return portable::convert<int64_t>(x); }, number));
    case NumberClass::Double:
      return std::bit_cast<uint64_t>(as_double(number));
    case NumberClass::Float:
      break;
  }
  return std::bit_cast<uint32_t>(static_cast<float>(as_double(number)));
}

// Which dims a call reduces: those that its parameter `dim` names, or all where there is none.
DimMask reduced_dims(const Call& call) {
  const int rank = call.tensor(arg::self).layout.rank();
  if (rank == 0 || !call.has(arg::dim)) return all_dims(rank);
  const auto* list = std::get_if<IntList>(&call.argument(arg::dim));
  const IntList dims = list ? *list : IntList{call.integer(arg::dim)};
  const Result<DimMask> mask = listed_dims(dims, rank);
  return mask.value_or(all_dims(rank));
}

}  // namespace

Contraction reduction_of(const KernelCall& call, Reduction function, const TensorRef& input, const TensorRef& output) {
  const Layout& from = *input.layout;
  const Layout& to = *output.layout;
  const DimMask reduced = reduced_dims(call);
  const bool keeps = to.rank() == from.rank() && to.rank() > 0;
  Contraction c;
  c.function = function;
  c.dtype = output.dtype;
  c.a = {input, from.offset, {}, {}};
  c.result = {output, to.offset, {}, {}};
  int next = 0;
  for (int dim = 0; dim < from.rank(); ++dim) {
    const bool goes = reduced[static_cast<std::size_t>(dim)];
    (goes ? c.inner : c.outer).push_back(from.sizes[dim]);
    (goes ? c.a.inner : c.a.outer).push_back(from.strides[dim]);
    if (!goes) c.result.outer.push_back(to.strides[next]);
    next += !goes || keeps;
  }
  if (c.inner.size() > 0) c.inner[c.inner.size() - 1] = call.recorder().rules().lanes(c.inner[c.inner.size() - 1]);
  return c;
}

void record_contraction(const KernelCall& call, Contraction contraction) {
  Contraction& c = contraction;
  const int64_t results = contiguous_layout(c.outer).numel();
  if (results == 0) return;
  const bool is_empty = contiguous_layout(c.inner).numel() == 0;
  // An operand that is not there steps along with the first and is not read.
  Contracted b = c.b.value_or(c.a);
  Contracted addend = c.addend.value_or(Contracted{c.a.tensor, 0, Dims::filled(c.outer.size(), 0), {}});
  merge_dims(c.outer, std::array{&c.a.outer, &b.outer, &addend.outer, &c.result.outer});
  merge_dims(c.inner, std::array{&c.a.inner, &b.inner});
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &reduction_source;
  dispatch.count = static_cast<uint64_t>(results);
  // Binds the elements that a tensor's steps reach, and gives the offset of the first.
  const auto bind = [&](const Contracted& tensor, const Dims& inner, BufferRange& range) {
    int64_t lowest = tensor.offset;
    int64_t highest = tensor.offset;
    const auto reach = [&](const Dims& sizes, const Dims& steps) {
      for (int d = 0; d < sizes.size(); ++d) {
        const int64_t far = (sizes[d] - 1) * steps[d];
        (far < 0 ? lowest : highest) += far;
      }
    };
    reach(c.outer, tensor.outer);
    reach(inner, tensor.inner);
    const BoundTensor bound = recorder.bind(tensor.tensor, {{highest - lowest + 1}, {1}, lowest});
    range = bound.range;
    return bound.layout.offset + tensor.offset - lowest;
  };
  std::array<int64_t, 4> offsets{};
  dispatch.writes.resize(1);
  offsets[3] = bind(c.result, {}, dispatch.writes[0]);
  if (c.addend || !is_empty) dispatch.reads.resize(c.addend ? 3 : c.b ? 2 : 1);
  if (c.addend) offsets[2] = bind(addend, {}, dispatch.reads[2]);
  if (!is_empty) {
    offsets[0] = bind(c.a, c.inner, dispatch.reads[0]);
    if (c.b) offsets[1] = bind(b, c.inner, dispatch.reads[1]);
  } else if (c.addend) {
    // Without elements there is nothing to bind, and nothing is read.
    dispatch.reads[0] = dispatch.reads[1] = dispatch.reads[2];
  }
  dispatch.metadata = recorder.next_word();
  recorder.word(static_cast<int64_t>(c.function));
  recorder.word(static_cast<int64_t>(c.dtype));
  recorder.word(c.addend ? 3 : c.b ? 2 : 1);
  for (const TensorRef& tensor : {c.a.tensor, b.tensor, addend.tensor, c.result.tensor}) {
    recorder.word(static_cast<int64_t>(tensor.dtype));
  }
  for (int64_t offset : offsets) recorder.word(offset);
  recorder.word(c.outer.size());
  recorder.word(c.inner.size());
  for (int d = 0; d < c.outer.size(); ++d) {
    recorder.word(c.outer[d]);
    for (const Dims* steps : {&c.a.outer, &b.outer, &addend.outer, &c.result.outer}) recorder.word((*steps)[d]);
  }
  for (int d = 0; d < c.inner.size(); ++d) {
    recorder.word(c.inner[d]);
    recorder.word(c.a.inner[d]);
    recorder.word(b.inner[d]);
  }
  recorder.number(number_bits(c.dtype, c.alpha));
  recorder.number(number_bits(c.dtype, c.beta));
  recorder.add(std::move(dispatch));
}

}  // namespace parallax::vulkan
