#include "ops/indices.h"

#include "ops/inplace.h"

namespace parallax {

Result<void> check_index_dtype(DType dtype, IndexWidth width) {
  if (dtype == DType::I64 || (dtype == DType::I32 && width == IndexWidth::Either)) return {};
  return refuse("an index of {} is not {}", name(dtype), width == IndexWidth::Either ? "i64 or i32" : "i64");
}

Result<void> check_in_range(const ReferenceCall& call, const IntegerBall& index, int64_t size) {
  if (index.undecided != Undecided::No) {
    call.note_may_raise();
    return {};
  }
  if (index.value >= 0 && index.value < size) return {};
  return refuse("{}: index {} is out of range [0, {})", call.op().name, index.value, size);
}

Result<void> check_all_in_range(const ReferenceCall& call, const BallView& index, int64_t size) {
  for (int64_t element : elements_of(index.layout)) TRY_VOID(check_in_range(call, index.integer(element), size));
  return {};
}

Result<IntegerBall> wrap_index(const ReferenceCall& call, const IntegerBall& index, int64_t size) {
  if (index.undecided != Undecided::No) {
    call.note_may_raise();
    return index;
  }
  if (index.value < -size || index.value >= size) {
    return refuse("{}: index {} is out of range [{}, {})", call.op().name, index.value, -size, size);
  }
  return IntegerBall{index.value < 0 ? index.value + size : index.value, Undecided::No};
}

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

Result<std::vector<ResultMeta>> infer_inplace_apart(const Call& call) {
  const Op& functional = *call.op().functional;
  TRY_VOID(functional.infer(Call(functional, call.arguments(), call.metas())));
  const ValueId self = call.value(arg::self);
  TRY_VOID(check_writable(call, self));
  for (const Argument& argument : call.arguments()) {
    if (&argument == &call.argument(arg::self)) continue;
    Result<void> checked;
    for_each_value(argument, [&](ValueId other) {
      if (checked) checked = check_apart(call, self, other);
    });
    TRY_VOID(std::move(checked));
  }
  const TensorMeta& written = call.meta(self);
  return std::vector{ResultMeta{written.dtype, written.layout, self}};
}

void set_undecided(const BallView& view, int64_t element, Undecided reason) {
  if (view.floating()) {
    view.ball(element) = Ball::unknown(reason);
  } else {
    view.integer(element) = {0, reason};
  }
}

void set_all_undecided(const BallView& view, Undecided reason) {
  for_each_element(view.layout, [&](int64_t element) { set_undecided(view, element, reason); });
}

Layout at_least_1d(const Layout& layout) { return layout.rank() > 0 ? layout : Layout{{1}, {1}, layout.offset}; }

bool may_index(const Candidate& candidate, const TensorMeta& meta, IndexWidth width) {
  return candidate.source && (meta.dtype == DType::I64 || (meta.dtype == DType::I32 && width == IndexWidth::Either));
}

}  // namespace parallax
