// Operands that are indices: how eager checks them and the memory they write to, and how they are drawn. Shared by the
// families that index with tensors.
#pragma once

#include <optional>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Which integer dtypes an index may have.
enum class IndexWidth { Either, Wide };

// Refuses an index of another dtype than i64, or i32 where both are taken. Without the op's name (in_op puts it in
// front).
Result<void> check_index_dtype(DType dtype, IndexWidth width = IndexWidth::Either);
// Refuses an index outside [0, size). What is undecided is in range.
Result<void> check_in_range(const ReferenceCall& call, const IntegerBall& index, int64_t size);
// The same for every element of an operand.
Result<void> check_all_in_range(const ReferenceCall& call, const BallView& index, int64_t size);
// An index that may count from the end as one in [0, size), or the refusal of one that is out of range.
Result<IntegerBall> wrap_index(const ReferenceCall& call, const IntegerBall& index, int64_t size);

// Refuses a written self that shares memory with an operand, even where that is self itself.
Result<void> check_apart(const Call& call, ValueId self, ValueId other);
// Infer of an in-place op whose functional twin keeps self's shape and dtype, and whose other operands must all lie
// apart from self.
Result<std::vector<ResultMeta>> infer_inplace_apart(const Call& call);

// Marks one element, and every element of a tensor, as not known.
void set_undecided(const BallView& view, int64_t element, Undecided reason);
void set_all_undecided(const BallView& view, Undecided reason);

// A 0-d layout as that of a vector of one element, which it stands for where a dim is indexed.
Layout at_least_1d(const Layout& layout);

// Whether the generator may draw the candidate as an index: an integer tensor whose elements are not drawn yet and can
// therefore be kept in range.
bool may_index(const Candidate& candidate, const TensorMeta& meta, IndexWidth width);

// Such a tensor; `accept(meta)` narrows it.
template <class Accept>
std::optional<ValueId> pick_index(const SampleContext& context, IndexWidth width, Accept&& accept) {
  return context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return may_index(candidate, meta, width) && accept(meta);
  });
}

}  // namespace parallax
