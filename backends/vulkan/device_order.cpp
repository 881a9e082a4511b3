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

// Which results of an op are the elements and their places, counted from 0; -1 for none.
struct Results {
  int values = 0;
  int places = 1;
};
constexpr Results both;
constexpr Results values_alone = {.places = -1};
constexpr Results places_alone = {.values = -1, .places = 0};

// What is asked of each lane of the first operand.
struct Order {
  Task task = Task::Keeps;
  bool descending = false;
  int64_t number = 0;          // of elements that are kept, or of the one that is picked
  std::optional<int64_t> dim;  // that lanes go along; without one all elements are one lane
  Results results;
};

// Nothing where a call names no dim.
std::optional<int64_t> dim_of(const Call& call) {
  return call.has(arg::dim) ? std::optional(call.integer(arg::dim)) : std::nullopt;
}

// The step of a result, in which dims that the lanes go along may be gone, along a dim of the operand.
int64_t step_along(const Layout& result, int dim, int rank, std::optional<int> lane_dim) {
  if (result.rank() == rank) return result.strides[dim];
  if (!lane_dim) return 0;
  return result.strides[dim - (dim > *lane_dim)];
}

void record(const KernelCall& call, const Order& order) {
  const TensorRef& input = call.input(arg::self);
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
  const auto result_at = [&](int k) { return k < 0 ? nullptr : &call.output(k); };
  const std::array results = {result_at(order.results.values), result_at(order.results.places)};
  std::array<Target, 2> targets;
  for (int dim = 0; dim < rank; ++dim) {
    const bool in_lane = !order.dim || dim == lane_dim;
    (in_lane ? inner : outer).push_back(from.sizes[dim]);
    (in_lane ? inner_steps : outer_steps).push_back(from.strides[dim]);
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const TensorRef* result = results[k];
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
                       int64_t{results[0] != nullptr} | int64_t{results[1] != nullptr} << 1, bound.layout.offset,
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

// msort is along the first dim, from the least element on.
template <Results results>
Result<void> sort(const KernelCall& call) {
  const bool descending = call.takes(arg::descending) && call.boolean(arg::descending);
  record(call, {Task::Keeps, descending, call.input(arg::self).layout->numel(), dim_of(call).value_or(0), results});
  return {};
}

// topk(self, k, dim, largest, sorted); a 0-d tensor keeps its element whatever k is.
Result<void> topk(const KernelCall& call) {
  if (call.output().layout->numel() == 0) return {};
  const int64_t kept = call.input(arg::self).layout->rank() == 0 ? 1 : call.integer(arg::k);
  record(call, {Task::Keeps, call.boolean(arg::largest), kept, dim_of(call), both});
  return {};
}

// kthvalue(self, k, dim, keepdim)
Result<void> kthvalue(const KernelCall& call) {
  record(call, {Task::Picks, false, call.integer(arg::k) - 1, dim_of(call), both});
  return {};
}

template <Task task, Results results>
Result<void> median(const KernelCall& call) {
  record(call, {task, false, 0, dim_of(call), results});
  return {};
}

// Every element looks at every other of its lane.
bool takes_lanes_along(const Call& call, int64_t dim) {
  const Layout& self = call.tensor(arg::self).layout;
  return self.rank() == 0 || takes_looks(self.numel(), self.sizes[portable::wrapped_dim(dim, self.rank())]);
}
bool takes_sort(const Call& call, const TensorMeta&) { return takes_lanes_along(call, dim_of(call).value_or(0)); }
// Of no elements eager has a median all the same.
bool takes_pick(const Call& call, const TensorMeta&) {
  const int64_t numel = call.tensor(arg::self).layout.numel();
  const std::optional<int64_t> dim = dim_of(call);
  return numel > 0 && (dim ? takes_lanes_along(call, *dim) : takes_looks(numel, numel));
}

constexpr std::array order_table = {
    KernelRow{"aten.sort.default", takes_sort, sort<both>},
    KernelRow{"aten.sort.stable", takes_sort, sort<both>},
    KernelRow{"aten.argsort.default", takes_sort, sort<places_alone>},
    KernelRow{"aten.argsort.stable", takes_sort, sort<places_alone>},
    KernelRow{"aten.msort.default", takes_sort, sort<values_alone>},
    KernelRow{"aten.topk.default", takes_sort, topk},
    KernelRow{"aten.kthvalue.default", takes_pick, kthvalue},
    KernelRow{"aten.median.default", takes_pick, median<Task::Median, values_alone>},
    KernelRow{"aten.nanmedian.default", takes_pick, median<Task::MedianOfNumbers, values_alone>},
    KernelRow{"aten.median.dim", takes_pick, median<Task::Median, both>},
    KernelRow{"aten.nanmedian.dim", takes_pick, median<Task::MedianOfNumbers, both>},
};

}  // namespace

std::span<const KernelRow> order_kernels() { return order_table; }

}  // namespace parallax::vulkan
