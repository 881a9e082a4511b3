// Sorting, and elements by their rank.
#include <algorithm>

#include "backends/vulkan/device_kernel.h"
#include "backends/vulkan/strides.h"

namespace parallax::vulkan {
namespace {

const ShaderSource order_source = {
    "order", [] { return std::string(shader_text("ranks")) + std::string(shader_text("order")); }};

// As in shaders/order.glsl.
enum class Task : uint32_t { Keeps, Picks, Median, MedianOfNumbers };

// What is asked of each lane of the first operand.
struct Order {
  Task task = Task::Keeps;
  bool descending = false;
  int64_t number = 0;          // of elements that are kept, or of the one that is picked
  std::optional<int64_t> dim;  // that lanes go along; without one all elements are one lane
  std::optional<TensorRef> values, places;
};

// The step of a result, in which dims that the lanes go along may be gone, along a dim of the operand.
int64_t step_along(const Layout& result, int dim, int rank, std::optional<int> lane_dim) {
  if (result.rank() == rank) return result.strides[dim];
  if (!lane_dim) return 0;
  return result.strides[dim - (dim > *lane_dim)];
}

void record(const KernelCall& call, const Order& order) {
  const TensorRef& input = call.input(0);
  const Layout& from = *input.layout;
  if (from.numel() == 0) return;
  const int rank = from.rank();
  std::optional<int> lane_dim;
  if (order.dim && rank > 0) lane_dim = portable::wrapped_dim(*order.dim, rank);
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &order_source;
  dispatch.count = static_cast<uint64_t>(from.numel());
  const BoundTensor bound = recorder.bind(input, from);
  dispatch.reads = {bound.range};
  // By result: its first element, and its steps along the operand's outer dims and its lanes.
  struct Target {
    int64_t offset = 0;
    int64_t step = 0;
    Dims outer;
  };
  Dims outer, outer_steps, inner, inner_steps;
  std::array<Target, 2> targets;
  for (int dim = 0; dim < rank; ++dim) {
    const bool in_lane = !order.dim || dim == lane_dim;
    (in_lane ? inner : outer).push_back(from.sizes[dim]);
    (in_lane ? inner_steps : outer_steps).push_back(from.strides[dim]);
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const std::optional<TensorRef>& result = k == 0 ? order.values : order.places;
    Target& target = targets[k];
    for (int dim = 0; dim < rank; ++dim) {
      if (!order.dim || dim == lane_dim) continue;
      target.outer.push_back(result ? step_along(*result->layout, dim, rank, lane_dim) : 0);
    }
    if (!result) continue;
    const BoundTensor to = recorder.bind(*result, *result->layout);
    dispatch.writes.push_back(to.range);
    target.offset = to.layout.offset;
    if (order.task == Task::Keeps && lane_dim) target.step = result->layout->strides[*lane_dim];
  }
  merge_dims(inner, std::array{&inner_steps});
  merge_dims(outer, std::array{&outer_steps, &targets[0].outer, &targets[1].outer});
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t(order.task), int64_t{order.descending}, int64_t(input.dtype), order.number,
                       int64_t{order.values.has_value()} | int64_t{order.places.has_value()} << 1, bound.layout.offset,
                       targets[0].offset, targets[1].offset, contiguous_layout(inner).numel(), targets[0].step,
                       targets[1].step, int64_t{outer.size()}, int64_t{inner.size()}}) {
    recorder.word(word);
  }
  for (int d = 0; d < outer.size(); ++d) {
    for (int64_t word : {outer[d], outer_steps[d], targets[0].outer[d], targets[1].outer[d]}) recorder.word(word);
  }
  for (int d = 0; d < inner.size(); ++d) {
    for (int64_t word : {inner[d], inner_steps[d]}) recorder.word(word);
  }
  recorder.add(std::move(dispatch));
}

// What an overload of sort takes and gives: parameters, and results counted from 0; -1 for none.
struct Sort {
  int dim = 1;
  int descending = 2;
  int values = 0;
  int places = 1;
};
constexpr Sort plain;
constexpr Sort stable = {.dim = 2, .descending = 3};
constexpr Sort places_alone = {.values = -1, .places = 0};
constexpr Sort stable_places_alone = {.dim = 2, .descending = 3, .values = -1, .places = 0};
constexpr Sort along_the_first = {.dim = -1, .descending = -1, .places = -1};

template <Sort at>
Result<void> sort(const KernelCall& call) {
  Order order;
  order.dim = at.dim < 0 ? 0 : call.integer(at.dim);
  order.descending = at.descending >= 0 && call.boolean(at.descending);
  order.number = call.input(0).layout->numel();
  if (at.values >= 0) order.values = call.output(at.values);
  if (at.places >= 0) order.places = call.output(at.places);
  record(call, order);
  return {};
}

// topk(self, k, dim, largest, sorted); a 0-d tensor keeps its element whatever k is.
Result<void> topk(const KernelCall& call) {
  if (call.output().layout->numel() == 0) return {};
  const int64_t kept = call.input(0).layout->rank() == 0 ? 1 : call.integer(1);
  record(call, {Task::Keeps, call.boolean(3), kept, call.integer(2), call.output(0), call.output(1)});
  return {};
}

// kthvalue(self, k, dim, keepdim)
Result<void> kthvalue(const KernelCall& call) {
  record(call, {Task::Picks, false, call.integer(1) - 1, call.integer(2), call.output(0), call.output(1)});
  return {};
}

template <Task task>
Result<void> median(const KernelCall& call) {
  record(call, {task, false, 0, std::nullopt, call.output(), std::nullopt});
  return {};
}
template <Task task>
Result<void> median_along(const KernelCall& call) {
  record(call, {task, false, 0, call.integer(1), call.output(0), call.output(1)});
  return {};
}

// Every element looks at every other of its lane. `dim` is a parameter; -1 for the first dim.
template <int dim>
bool takes_sort(const Call& call, const TensorMeta&) {
  const Layout& self = call.tensor(0).layout;
  const int rank = self.rank();
  return rank == 0 ||
         takes_looks(self.numel(), self.sizes[dim < 0 ? 0 : portable::wrapped_dim(call.integer(dim), rank)]);
}
// Of no elements eager has a median all the same.
bool takes_all(const Call& call, const TensorMeta&) {
  const Layout& self = call.tensor(0).layout;
  return self.numel() > 0 && takes_looks(self.numel(), self.numel());
}
template <int dim>
bool takes_lane(const Call& call, const TensorMeta& result) {
  return call.tensor(0).layout.numel() > 0 && takes_sort<dim>(call, result);
}

constexpr std::array rows = {
    KernelRow{"aten.sort.default", takes_sort<1>, sort<plain>},
    KernelRow{"aten.sort.stable", takes_sort<2>, sort<stable>},
    KernelRow{"aten.argsort.default", takes_sort<1>, sort<places_alone>},
    KernelRow{"aten.argsort.stable", takes_sort<2>, sort<stable_places_alone>},
    KernelRow{"aten.msort.default", takes_sort<-1>, sort<along_the_first>},
    KernelRow{"aten.topk.default", takes_sort<2>, topk},
    KernelRow{"aten.kthvalue.default", takes_lane<2>, kthvalue},
    KernelRow{"aten.median.default", takes_all, median<Task::Median>},
    KernelRow{"aten.nanmedian.default", takes_all, median<Task::MedianOfNumbers>},
    KernelRow{"aten.median.dim", takes_lane<1>, median_along<Task::Median>},
    KernelRow{"aten.nanmedian.dim", takes_lane<1>, median_along<Task::MedianOfNumbers>},
};

}  // namespace

std::span<const KernelRow> order_kernels() { return rows; }

}  // namespace parallax::vulkan
