#include "ops/index_mask.h"

#include <algorithm>

#include "ops/copying.h"

namespace parallax {
namespace {

bool is_mask(const Call& call, ValueId index) { return index.valid() && call.meta(index).dtype == DType::Bool; }

}  // namespace

bool has_mask(const Call& call, const ValueList& indices) {
  return std::any_of(indices.begin(), indices.end(), [&](ValueId index) { return is_mask(call, index); });
}

std::vector<PlacedIndex> placed_indices(const Call& call, const ValueList& indices) {
  std::vector<PlacedIndex> placed;
  int dim = 0;
  for (ValueId index : indices) {
    if (index.valid()) placed.push_back({index, dim});
    dim += is_mask(call, index) ? call.meta(index).layout.rank() : 1;
  }
  return placed;
}

Result<void> check_masks(const Call& call, const Layout& layout, const ValueList& indices) {
  for (const PlacedIndex& index : placed_indices(call, indices)) {
    if (!is_mask(call, index.value)) continue;
    const Dims& sizes = call.meta(index.value).layout.sizes;
    // Eager reads a 0-d mask as a new dim of 0 or 1 elements.
    if (sizes.empty()) {
      return std::unexpected(Error{ErrorKind::Unsupported, "", "", "a 0-d mask as an index is not supported"});
    }
    for (int i = 0; i < sizes.size(); ++i) {
      if (index.dim + i < layout.rank() && sizes[i] == layout.sizes[index.dim + i]) continue;
      return refuse("the mask's shape [{}] is not that of the indexed [{}] from dim {} on", to_string(sizes),
                    to_string(layout.sizes), index.dim);
    }
  }
  return {};
}

UnmaskedCall::UnmaskedCall(const ReferenceCall& call)
    : original_(&call),
      metas_(call.metas().begin(), call.metas().end()),
      views_(call.views().begin(), call.views().end()),
      arguments_(call.arguments().begin(), call.arguments().end()) {
  ValueList indices;
  for (ValueId index : call.values(arg::indices)) {
    if (is_mask(call, index)) {
      expand(index, indices);
    } else {
      indices.push_back(index);
    }
  }
  arguments_[static_cast<std::size_t>(call.position(arg::indices))] = std::move(indices);
}

ReferenceCall UnmaskedCall::call() const {
  return {Call(original_->op(), arguments_, metas_), views_, original_->outputs(), original_->profile()};
}

void UnmaskedCall::expand(ValueId mask, ValueList& indices) {
  const BallView& view = original_->view(mask);
  std::vector<Dims> chosen;
  for_each_index(view.layout.sizes, [&](const Dims& at) {
    const IntegerBall& element = view.integer(element_at(view.layout, at));
    if (undecided_ == Undecided::No) undecided_ = element.undecided;
    if (element.value != 0) chosen.push_back(at);
  });
  const Layout layout = contiguous_layout({static_cast<int64_t>(chosen.size())});
  for (int dim = 0; dim < view.layout.rank(); ++dim) {
    storages_.push_back(std::make_unique<BallStorage>(DType::I64, layout.numel()));
    for (std::size_t i = 0; i < chosen.size(); ++i) storages_.back()->integers[i] = {chosen[i][dim], Undecided::No};
    indices.push_back(ValueId(metas_.size()));
    metas_.push_back({DType::I64, layout, StorageId()});
    views_.push_back({storages_.back().get(), DType::I64, layout});
  }
}

}  // namespace parallax
