#include "ops/index_plan.h"

#include <algorithm>

#include "ops/fresh_layout.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

Result<void> check_dtypes(const Call& call, const ValueList& indices) {
  for (ValueId index : indices) {
    if (!index.valid()) continue;
    const DType dtype = call.meta(index).dtype;
    if (dtype == DType::Bool || dtype == DType::U8) {
      return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                   "an index of " + std::string(name(dtype)) + " is a mask, which is not supported"});
    }
    if (dtype != DType::I64 && dtype != DType::I32) return fail("an index of {} is not i64 or i32", name(dtype));
  }
  return {};
}

// The index tensors' common shape.
Result<Dims> common_sizes(const Call& call, const ValueList& indices) {
  Dims sizes;
  for (ValueId index : indices) {
    if (!index.valid()) continue;
    const Dims& other = call.meta(index).layout.sizes;
    const std::optional<Dims> joined = broadcast_sizes(sizes, other);
    if (!joined) return fail("index shapes [{}] and [{}] do not broadcast", to_string(sizes), to_string(other));
    sizes = *joined;
  }
  return sizes;
}

// The dims in the order that the result has them, the indexed ones together: where they stand if they are neighbours,
// else in front.
struct DimOrder {
  std::vector<int> dims;
  int before = 0;  // dims in front of the indexed ones
};

DimOrder order_dims(const ValueList& indices, int rank) {
  const auto indexed = [&](int dim) {
    return dim < static_cast<int>(indices.size()) && indices[static_cast<std::size_t>(dim)].valid();
  };
  DimOrder order;
  for (int dim = 0; dim < rank; ++dim) order.dims.push_back(dim);
  const auto first = std::find_if(order.dims.begin(), order.dims.end(), indexed);
  const auto gap = std::find_if_not(first, order.dims.end(), indexed);
  const bool neighbours = std::none_of(gap, order.dims.end(), indexed);
  order.before = neighbours ? static_cast<int>(first - order.dims.begin()) : 0;
  if (!neighbours) std::stable_partition(order.dims.begin(), order.dims.end(), indexed);
  return order;
}

// The index broadcast to `sizes`, between `before` and `after` dims that it does not vary over.
Layout spread(const Layout& index, const Dims& sizes, int before, const Dims& result) {
  const Layout broadcast = *broadcast_to(index, sizes);
  Layout layout{result, Dims::filled(result.size(), 0), index.offset};
  for (int i = 0; i < sizes.size(); ++i) layout.strides[before + i] = broadcast.strides[i];
  return layout;
}

}  // namespace

Result<IndexPlan> plan_index(const Call& call, const Layout& layout, const ValueList& indices) {
  if (indices.size() > static_cast<std::size_t>(layout.rank())) {
    return fail("{} indices for {} dims", indices.size(), layout.rank());
  }
  if (std::none_of(indices.begin(), indices.end(), [](ValueId index) { return index.valid(); })) {
    return fail("no index is given");
  }
  TRY_VOID(check_dtypes(call, indices));
  TRY(const Dims common, common_sizes(call, indices));
  const DimOrder order = order_dims(indices, layout.rank());
  IndexPlan plan;
  plan.common = common;
  plan.before = order.before;
  plan.source.offset = layout.offset;
  int indexed = 0;
  for (int dim : order.dims) {
    const auto i = static_cast<std::size_t>(dim);
    if (i < indices.size() && indices[i].valid()) {
      plan.operands.push_back({indices[i], {}, dim, layout.sizes[dim], layout.strides[dim]});
      ++indexed;
    }
  }
  if (layout.rank() - indexed + common.size() > max_rank) return fail("the result has more than {} dims", max_rank);
  for (int i = 0; i < layout.rank(); ++i) {
    const int dim = order.dims[static_cast<std::size_t>(i)];
    if (i == order.before) {
      for (int64_t size : common) {
        plan.source.sizes.push_back(size);
        plan.source.strides.push_back(0);
      }
    }
    if (i >= order.before && i < order.before + indexed) continue;
    plan.source.sizes.push_back(layout.sizes[dim]);
    plan.source.strides.push_back(layout.strides[dim]);
  }
  const bool empty = std::find(common.begin(), common.end(), 0) != common.end();
  for (IndexOperand& operand : plan.operands) {
    if (operand.size == 0 && !empty) return fail("an index is out of range for dim {} of size 0", operand.dim);
    operand.layout = spread(call.meta(operand.value).layout, common, order.before, plan.source.sizes);
  }
  return plan;
}

Layout indexed_layout(const IndexPlan& plan, const Call& call) {
  std::vector<Layout> operands{plan.source};
  const IntList common(plan.common.begin(), plan.common.end());
  for (const IndexOperand& operand : plan.operands) {
    const TensorMeta& index = call.meta(operand.value);
    Layout layout = *expand_layout(index.layout, common);
    if (index.dtype != DType::I64) layout = *fresh_layout(layout, MemoryFormat::Preserve);
    Dims sizes = Dims::filled(plan.source.rank(), 1);
    for (int i = 0; i < plan.common.size(); ++i) sizes[plan.before + i] = plan.common[i];
    operands.push_back({sizes, *view_strides(layout, sizes), 0});
  }
  return elementwise_layout(plan.source.sizes, operands);
}

Result<std::vector<IndexedElement>> indexed_elements(const IndexPlan& plan, const ReferenceCall& call) {
  std::vector<IndexedElement> elements;
  for_each_element(plan.source, [&](int64_t element) { elements.push_back({element, Undecided::No}); });
  for (const IndexOperand& operand : plan.operands) {
    const BallView& view = call.view(operand.value);
    const std::vector<int64_t> positions = elements_of(operand.layout);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const IntegerBall& index = view.integer(positions[i]);
      if (index.undecided != Undecided::No) {
        elements[i].undecided = index.undecided;
        call.note_may_raise();
        continue;
      }
      if (index.value < -operand.size || index.value >= operand.size) {
        return refuse("{}: index {} is out of range for dim {} of size {}", call.op().name, index.value, operand.dim,
                      operand.size);
      }
      elements[i].element += (index.value < 0 ? index.value + operand.size : index.value) * operand.stride;
    }
  }
  return elements;
}

}  // namespace parallax
