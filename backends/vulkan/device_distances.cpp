// Distances of vectors: of each of one set to each of another, and of the pairs of one set.
#include <bit>
#include <cmath>

#include "backends/vulkan/device_kernel.h"
#include "backends/vulkan/shader_helpers.h"

namespace parallax::vulkan {
namespace {

const ShaderSource distance_source = {"distance", [] { return with_helpers(shader_text("distance")); }};

// As in shaders/distance.glsl.
enum class Norm : uint32_t { Differing, Sum, Root, Largest, Power };

Norm norm_of(double order) {
  if (order == 0) return Norm::Differing;
  if (order == 1) return Norm::Sum;
  if (order == 2) return Norm::Root;
  return std::isinf(order) ? Norm::Largest : Norm::Power;
}

// Vectors of both sets, along the result's dims; pairs of one set have no such dims.
struct Distances {
  double order = 2;
  TensorRef left, right;
  Dims left_steps, right_steps;
  int64_t vectors = 0;  // of one set
};

void record(const KernelCall& call, const Distances& distances) {
  const TensorRef& output = call.output();
  if (output.layout->numel() == 0) return;
  const int64_t length = distances.left.layout->sizes.back();
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &distance_source;
  dispatch.count = static_cast<uint64_t>(output.layout->numel());
  const BoundTensor to = recorder.bind(output, *output.layout);
  dispatch.writes = {to.range};
  const auto bind = [&](const TensorRef& tensor) {
    if (length == 0) return int64_t{0};
    const BoundTensor bound = recorder.bind(tensor, *tensor.layout);
    dispatch.reads.push_back(bound.range);
    return bound.layout.offset;
  };
  const int64_t left = bind(distances.left);
  const int64_t right = bind(distances.right);
  const bool pairs = distances.vectors > 0;
  const int rank = pairs ? 0 : output.layout->rank();
  dispatch.metadata = recorder.next_word();
  recorder.word(int64_t(norm_of(distances.order)));
  recorder.word(int64_t(output.dtype));
  recorder.number(std::bit_cast<uint64_t>(distances.order));
  for (int64_t word :
       {left, right, to.layout.offset, length, distances.left.layout->strides.back(),
        distances.right.layout->strides.back(), distances.vectors, pairs ? distances.left.layout->strides[0] : 0,
        pairs ? to.layout.strides[0] : 0, int64_t{rank}}) {
    recorder.word(word);
  }
  for (int d = 0; d < rank; ++d) {
    for (int64_t word : {to.layout.sizes[d], distances.left_steps[d], distances.right_steps[d], to.layout.strides[d]}) {
      recorder.word(word);
    }
  }
  recorder.add(std::move(dispatch));
}

// _cdist_forward(x1, x2, p, compute_mode): [.., p, m] and [.., r, m] make [.., p, r], their batches broadcast.
Result<void> cdist(const KernelCall& call) {
  const Dims& sizes = call.output().layout->sizes;
  // Each operand without its last dim, and with one of size 1 for the other's vectors.
  const auto steps = [&](arg name, int added_from_last) {
    Layout layout = *call.input(name).layout;
    layout.sizes.erase(layout.sizes.size() - 1);
    layout.strides.erase(layout.strides.size() - 1);
    layout.sizes.insert(layout.sizes.size() - added_from_last, 1);
    layout.strides.insert(layout.strides.size() - added_from_last, 0);
    return broadcast_to(layout, sizes)->strides;
  };
  record(call, {call.real(arg::p), call.input(arg::x1), call.input(arg::x2), steps(arg::x1, 0), steps(arg::x2, 1), 0});
  return {};
}

// _pdist_forward(self, p)
Result<void> pdist(const KernelCall& call) {
  const TensorRef& self = call.input(arg::self);
  record(call, {call.real(arg::p), self, self, {}, {}, self.layout->sizes[0]});
  return {};
}

// There is no power of doubles.
bool takes_order(const Call& call, const TensorMeta& result) {
  return result.dtype == DType::F32 || (result.dtype == DType::F64 && norm_of(call.real(arg::p)) != Norm::Power);
}

constexpr std::array distance_table = {
    KernelRow{"aten._cdist_forward.default", takes_order, cdist},
    KernelRow{"aten._pdist_forward.default", takes_order, pdist},
};

}  // namespace

std::span<const KernelRow> distance_kernels() { return distance_table; }

}  // namespace parallax::vulkan
