// Indexing by tensors: index, index_put, index_select, gather. Their indices are data, so what is out of range shows
// only when they run.
#include <algorithm>
#include <map>
#include <vector>

#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/index_plan.h"
#include "ops/inplace.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

using Metas = Result<std::vector<ResultMeta>>;

void set_undecided(const BallView& view, int64_t element, Undecided reason) {
  if (view.floating()) {
    view.ball(element) = Ball::unknown(reason);
  } else {
    view.integer(element) = {0, reason};
  }
}

Metas infer_index(const Call& call) {
  const Result<IndexPlan> plan = plan_index(call, call.tensor(0).layout, call.values(1));
  if (!plan) return in_op(call, plan.error());
  return std::vector{ResultMeta{call.tensor(0).dtype, indexed_layout(*plan, call), ValueId()}};
}

Result<void> reference_index(const ReferenceCall& call) {
  const BallView& self = call.input(0);
  const BallView& output = call.output();
  TRY(const IndexPlan plan, plan_index(call, self.layout, call.values(1)));
  TRY(const std::vector<IndexedElement> from, indexed_elements(plan, call));
  const std::vector<int64_t> to = elements_of(output.layout);
  for (std::size_t i = 0; i < to.size(); ++i) {
    convert_element(self, from[i].element, output, to[i], call.profile());
    if (from[i].undecided != Undecided::No) set_undecided(output, to[i], from[i].undecided);
  }
  return {};
}

Result<void> check_put(const Call& call, const Layout& written) {
  const TensorMeta& self = call.tensor(0);
  const TensorMeta& values = call.tensor(2);
  TRY(const IndexPlan plan, plan_index(call, written, call.values(1)));
  if (!broadcast_to(values.layout, plan.source.sizes)) {
    return fail("values of shape [{}] do not fit the indexed [{}]", to_string(values.layout.sizes),
                to_string(plan.source.sizes));
  }
  if (values.dtype != self.dtype) {
    return fail("values of {} cannot be put into {}", name(values.dtype), name(self.dtype));
  }
  return {};
}

Metas infer_index_put(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  const Result<Layout> layout = fresh_layout(self.layout, MemoryFormat::Preserve);
  if (!layout) return in_op(call, layout.error());
  if (const Result<void> checked = check_put(call, *layout); !checked) return in_op(call, checked.error());
  return std::vector{ResultMeta{self.dtype, *layout, ValueId()}};
}

// Nothing that is read may lie in the written memory, not even self itself. An expanded self may be written.
Result<void> check_apart(const Call& call, ValueId self, ValueId other) {
  TRY_VOID(check_no_partial_overlap(call, self, other));
  const TensorMeta& written = call.meta(self);
  const TensorMeta& read = call.meta(other);
  const bool elements = written.layout.numel() > 0 && read.layout.numel() > 0;
  // What shares memory after that check begins at the same element.
  const bool same = written.storage == read.storage && written.layout.offset == read.layout.offset;
  if (self == other || (same && elements)) return refuse("{}: an operand is the written tensor itself", call.op().name);
  return {};
}

Metas infer_index_put_inplace(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  if (const Result<void> checked = check_put(call, self.layout); !checked) return in_op(call, checked.error());
  TRY_VOID(check_apart(call, call.value(0), call.value(2)));
  for (ValueId index : call.values(1)) {
    if (index.valid()) TRY_VOID(check_apart(call, call.value(0), index));
  }
  return std::vector{ResultMeta{self.dtype, self.layout, call.value(0)}};
}

// Adds values to a tensor's elements, several to one in any order.
class Accumulator {
 public:
  // Eager rounds each sum to the dtype, halves too.
  Accumulator(const BallView& target, const Profile& profile)
      : target_(&target), profile_(profile), math_(target.dtype, profile_) {
    profile_.half_accumulates_half = true;
  }

  void add(int64_t element, const BallView& values, int64_t value) {
    if (target_->floating()) {
      auto [sum, added] = sums_.try_emplace(element, math_);
      if (added) sum->second.add(target_->ball(element));
      sum->second.add(values.ball(value));
    } else {
      add_integer(target_->integer(element), values.integer(value));
    }
  }

  void finish() {
    for (const auto& [element, sum] : sums_) target_->ball(element) = sum.result();
  }

 private:
  void add_integer(IntegerBall& sum, const IntegerBall& term) const {
    if (sum.undecided == Undecided::No) sum.undecided = term.undecided;
    const uint64_t wide = static_cast<uint64_t>(sum.value) + static_cast<uint64_t>(term.value);
    sum.value =
        target_->dtype == DType::Bool ? sum.value | term.value : wrap_to(target_->dtype, static_cast<int64_t>(wide));
  }

  const BallView* target_;
  Profile profile_;
  BallMath math_;
  std::map<int64_t, BallSum> sums_;
};

// Writes or adds the values; `output` holds self already.
Result<void> put(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& values = call.input(2);
  TRY(const IndexPlan plan, plan_index(call, output.layout, call.values(1)));
  TRY(const std::vector<IndexedElement> to, indexed_elements(plan, call));
  const std::vector<int64_t> from = elements_of(*broadcast_to(values.layout, plan.source.sizes));
  for (const IndexedElement& target : to) {
    if (target.undecided == Undecided::No) continue;
    for (int64_t element : elements_of(output.layout)) set_undecided(output, element, target.undecided);
    return {};
  }
  if (call.boolean(3)) {
    Accumulator accumulator(output, call.profile());
    for (std::size_t i = 0; i < to.size(); ++i) accumulator.add(to[i].element, values, from[i]);
    accumulator.finish();
  } else {
    UnorderedWriter writer(output, call.profile());
    for (std::size_t i = 0; i < to.size(); ++i) writer.write(to[i].element, values, from[i]);
  }
  return {};
}

Result<void> reference_index_put(const ReferenceCall& call) {
  copy_elements(call.input(0), call.output(), call.profile());
  return put(call);
}

// The index of index_select and gather: one of the two integer dtypes.
Result<void> check_index_dtype(DType dtype) {
  if (dtype != DType::I64 && dtype != DType::I32) return fail("an index of {} is not i64 or i32", name(dtype));
  return {};
}

Result<Layout> selected_layout(const Call& call) {
  const Layout& self = call.tensor(0).layout;
  const TensorMeta& index = call.tensor(2);
  TRY(const int dim, wrap_dim(call.integer(1), self.rank()));
  TRY_VOID(check_index_dtype(index.dtype));
  if (index.layout.rank() > 1) return fail("an index of {} dims is not a vector", index.layout.rank());
  const int64_t count = index.layout.numel();
  if (self.rank() == 0) {
    if (count != 1) return fail("{} indices for a 0-d tensor", count);
    return self;
  }
  if (self.sizes[dim] == 0 && count > 0) return fail("dim {} is empty", dim);
  Dims sizes = self.sizes;
  sizes[dim] = count;
  return contiguous_layout(sizes);
}

Metas infer_index_select(const Call& call) {
  const Result<Layout> layout = selected_layout(call);
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{call.tensor(0).dtype, contiguous_layout(layout->sizes), ValueId()}};
}

Metas infer_gather(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  const TensorMeta& index = call.tensor(2);
  const Result<int> dim = wrap_dim(call.integer(1), self.layout.rank());
  if (!dim) return in_op(call, dim.error());
  const Dims& sizes = index.layout.sizes;
  // Eager looks at nothing but the shape of an index without elements.
  if (index.layout.numel() > 0) {
    if (const Result<void> checked = check_index_dtype(index.dtype); !checked) return in_op(call, checked.error());
    if (std::max(sizes.size(), 1) != std::max(self.layout.rank(), 1)) {
      return fail("{}: the index has {} dims, the tensor {}", call.op().name, sizes.size(), self.layout.rank());
    }
    for (int i = 0; i < std::min(sizes.size(), self.layout.rank()); ++i) {
      if (i == *dim || sizes[i] <= self.layout.sizes[i]) continue;
      return fail("{}: the index's size {} at dim {} is over the tensor's {}", call.op().name, sizes[i], i,
                  self.layout.sizes[i]);
    }
  }
  return std::vector{ResultMeta{self.dtype, contiguous_layout(sizes), ValueId()}};
}

// An index that does not count from the end: in [0, size).
Result<void> check_range(const ReferenceCall& call, const IntegerBall& index, int64_t size) {
  if (index.undecided != Undecided::No || (index.value >= 0 && index.value < size)) return {};
  return refuse("{}: index {} is out of range [0, {})", call.op().name, index.value, size);
}

// Takes output element `index` from self at `source` with the index's own number in place of dim `dim`.
void take(const ReferenceCall& call, const IntegerBall& taken, int dim, Dims source, const Dims& index) {
  const BallView& output = call.output();
  const int64_t to = element_at(output.layout, index);
  if (taken.undecided != Undecided::No) return set_undecided(output, to, taken.undecided);
  if (!source.empty()) source[dim] = taken.value;
  convert_element(call.input(0), element_at(call.input(0).layout, source), output, to, call.profile());
}

Result<void> reference_index_select(const ReferenceCall& call) {
  const BallView& self = call.input(0);
  const BallView& index = call.input(2);
  TRY(const int dim, wrap_dim(call.integer(1), self.layout.rank()));
  const std::vector<int64_t> positions = elements_of(index.layout);
  const int64_t size = self.layout.rank() == 0 ? 1 : self.layout.sizes[dim];
  for (int64_t position : positions) TRY_VOID(check_range(call, index.integer(position), size));
  for_each_index(call.output().layout.sizes, [&](const Dims& at) {
    const auto k = static_cast<std::size_t>(at.empty() ? 0 : at[dim]);
    take(call, index.integer(positions[k]), dim, at, at);
  });
  return {};
}

Result<void> reference_gather(const ReferenceCall& call) {
  const BallView& self = call.input(0);
  const BallView& index = call.input(2);
  TRY(const int dim, wrap_dim(call.integer(1), self.layout.rank()));
  const int64_t size = self.layout.rank() == 0 ? 1 : self.layout.sizes[dim];
  for (int64_t position : elements_of(index.layout)) TRY_VOID(check_range(call, index.integer(position), size));
  for_each_index(call.output().layout.sizes, [&](const Dims& at) {
    // A 0-d tensor and a vector of one element stand for each other.
    const Dims source = self.layout.rank() == at.size() ? at : Dims::filled(self.layout.rank(), 0);
    take(call, index.integer(element_at(index.layout, at)), dim, source, at);
  });
  return {};
}

}  // namespace

std::vector<OpDef> index_family() {
  return {
      {.schema = "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
       .infer = infer_index,
       .reference = reference_index},
      {.schema = "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
       .infer = infer_index_put,
       .reference = reference_index_put},
      {.schema = "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
       .infer = infer_index_put_inplace,
       .reference = put,
       .functional = "aten.index_put.default"},
      {.schema = "index_select(Tensor self, int dim, Tensor index) -> Tensor",
       .infer = infer_index_select,
       .reference = reference_index_select},
      {.schema = "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
       .infer = infer_gather,
       .reference = reference_gather},
  };
}

}  // namespace parallax
