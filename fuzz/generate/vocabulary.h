// Vocabulary: what graphs are drawn from, so that every target takes them: ops by group, dtypes, and kinds of sources.
// A new op takes part without a line here.
#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <span>
#include <vector>

#include "backends/target.h"
#include "ops/op.h"

namespace parallax {

class Vocabulary {
 public:
  using Dtypes = std::bitset<dtype_count>;
  using Calls = std::vector<Dtypes>;  // of the first tensor, by the op's place in the registry

  // The ops that can be sampled and are accepted, of every dtype.
  explicit Vocabulary(const std::function<bool(const Op& op)>& accept);
  // What every one of the targets takes, so that all of them judge the same cases. Where they have no op or no dtype in
  // common everything is drawn, and the summary says who did not take it.
  // What `draws` says false of is left out; it may be null.
  static Vocabulary taken_by(const std::vector<const Target*>& targets,
                             const std::function<bool(const Op& op, DType dtype)>& draws = nullptr);
  // Every op that can be sampled.
  static const Vocabulary& all();

  // The ops of a group, in registry order.
  std::span<const Op* const> of(OpGroup group) const { return by_group_[static_cast<std::size_t>(group)]; }
  // Weights of the groups, with 0 for those that have no op.
  std::array<uint32_t, op_group_count> usable(std::array<uint32_t, op_group_count> weights) const;
  // The dtypes that a tensor may have; at least one.
  const Dtypes& dtypes() const { return dtypes_; }
  // Whether calls of this op with a first tensor of this dtype are drawn.
  bool has(const Op& op, DType dtype) const;
  // Whether every dtype is drawn for every op.
  bool whole() const { return calls_.empty(); }
  bool strided_sources() const { return strided_sources_; }
  // Whether no call may write to a source of this kind.
  bool is_read_only(SourceKind kind) const {
    return kind == SourceKind::Constant || (kind == SourceKind::Input && !written_inputs_);
  }
  // The ops that every delegate among the targets may take at some dtype, in registry order; empty where there is none.
  std::span<const Op* const> delegated() const { return delegated_; }
  // Whether these delegates may take calls of this op with a first tensor of this dtype.
  bool delegates(const Op& op, DType dtype) const;
  // The dtypes of such calls.
  const Dtypes& delegated_dtypes() const { return delegated_dtypes_; }
  bool several_runs() const { return several_runs_; }
  // Whether some of them may be on other instances of the program, and whether it may have several methods.
  bool instances() const { return instances_; }
  bool methods() const { return methods_; }
  // The branches and loops that graphs may have, and whether they may call operations that a user registers.
  const ControlKinds& control_kinds() const { return control_kinds_; }
  // Whether branches and loops may write to their operands.
  bool writing_subgraphs() const { return writing_subgraphs_; }
  // Whether a target may give something else where a result is NaN, after some op at least, and after a power.
  bool loses_nan() const { return loses_nan_; }
  bool loses_powers() const { return loses_powers_; }
  // Whether quotients of f32 need not be the nearest number on some target.
  bool rounds_quotients() const { return rounds_quotients_; }
  // Whether some target may give 0 for a subnormal result.
  bool flushes() const { return flushes_; }

 private:
  void note_profiles(const std::vector<const Target*>& targets);
  void note_delegates(const std::vector<const Target*>& targets);

  std::array<std::vector<const Op*>, op_group_count> by_group_;
  Dtypes dtypes_ = Dtypes().set();
  Calls calls_;  // empty: all
  bool strided_sources_ = true;
  bool written_inputs_ = true;
  std::vector<const Op*> delegated_;
  Dtypes delegated_dtypes_;
  Calls delegated_calls_;  // empty: none
  bool several_runs_ = true;
  bool instances_ = true;
  bool methods_ = true;
  ControlKinds control_kinds_ = ControlKinds().set();
  bool writing_subgraphs_ = true;
  bool loses_nan_ = false;
  bool loses_powers_ = false;
  bool rounds_quotients_ = false;
  bool flushes_ = false;
};

// Memory that is not written, polynomials, whose degree is a number of any size, and zeta, which has a pole at each
// integer below 1: of what reads their results little can be judged. Half of the undecided graphs held one when each op
// was drawn alike.
bool leaves_open(const Op& op);

}  // namespace parallax
