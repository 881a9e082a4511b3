// FusedOp: several calls as one, as a compiler's fusion makes them.
//
// Its parameters are those of its parts, one part after the other. Where a part reads what an earlier part made, the
// argument is None, and in a list of tensors the element is none. It means what the parts mean in their order; only the
// result of the last is seen. A record says which parts there are and how they are wired, and no number of a call, so
// there are few of them: each is made once and never goes away, and calls of one structure share it.
#pragma once

#include <vector>

#include "ops/op.h"

namespace parallax {

// One of the calls. By parameter, and there by tensor of a list: the part whose result it reads, or outside.
struct FusedPart {
  static constexpr int outside = -1;

  const Op* op = nullptr;
  std::vector<std::vector<int>> reads;  // empty for a parameter that reads no part
};

struct FusedOp : Op {
  std::vector<FusedPart> parts;
  std::vector<std::size_t> first;  // by part: its first parameter
};

// The record of that structure.
const FusedOp& fused_op(const std::vector<FusedPart>& parts);

// The record as what it is, or null for any other op.
const FusedOp* as_fused(const Op& op);

// The parts of a call, with the metadata of what they hand to each other.
class FusedSteps {
 public:
  // An error where a part refuses what it is given.
  static Result<FusedSteps> of(const Call& call);

  std::size_t size() const { return op_->parts.size(); }
  const Op& op(std::size_t part) const { return *op_->parts[part].op; }
  // Valid for as long as this is.
  Call part(std::size_t part) const { return {op(part), arguments_[part], metas_}; }
  const std::vector<Argument>& arguments(std::size_t part) const { return arguments_[part]; }
  // The value that stands for a part's result: behind all values of the graph.
  ValueId result(std::size_t part) const { return ValueId(outside_ + part); }
  // The part that made a value, or FusedPart::outside.
  int maker(ValueId value) const;
  std::span<const TensorMeta> metas() const { return metas_; }

 private:
  const FusedOp* op_ = nullptr;
  std::size_t outside_ = 0;  // values that are the graph's
  std::vector<TensorMeta> metas_;
  std::vector<std::vector<Argument>> arguments_;
};

// What the reference kernels of the parts make of the call, one after the other.
Result<void> run_fused(const Call& call, std::span<const BallView> views, const BallView& output,
                       const Profile& profile, bool* may_raise);

}  // namespace parallax
