// CheckedCall: a call with what the oracle says of it, and the numbers that implementations of it may be given.
#pragma once

#include <map>
#include <optional>
#include <random>

#include "tests/ops/op_harness.h"
#include "tests/soundness/plain_call.h"

namespace parallax {

// The family whose ops may draw from the operands of all.
inline constexpr std::string_view any_family = "any";

class CheckedCall {
 public:
  // Arguments from the op's own sampler, over operands of the dtype that are exact, inexact or both. Nothing where none
  // fit, or the results are not of the dtype. Stream k of a seed is the same whatever was drawn before.
  static std::optional<CheckedCall> draw(const PlainOp& op, DType dtype, const Profile& profile, uint64_t seed,
                                         uint64_t stream);

  struct Operand {
    Dims sizes;
    std::vector<double> elements;
  };
  // A call over exact operands, and the other arguments after them; the schema's defaults for the rest.
  static CheckedCall build(std::string_view op, DType dtype, const Profile& profile,
                           const std::vector<Operand>& operands, const std::vector<Argument>& others = {});

  DType dtype() const { return dtype_; }
  // Whether all operands are exact.
  bool exact() const { return exact_; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  const Op& op() const { return *op_; }
  // A profile as the call sees it.
  CallProfile seen(const Profile& profile) const { return {profile, profile.allowed.of(op_->index, dtype_)}; }
  // Its operands that are indices.
  std::vector<IndexRange> index_ranges() const;
  // The balls of each result of the dtype, row-major; none of the others.
  std::vector<std::vector<Ball>> result_balls() const;
  // Elements of every value that the call names, members of their balls and values of the dtype.
  std::vector<PlainTensor> draw_members(std::mt19937_64& random) const;
  // What an implementation makes of such elements; of other arguments, where they are given.
  std::vector<PlainTensor> run(const PlainOp& op, Perturbed& p, const std::vector<PlainTensor>& values,
                               const std::vector<Argument>* arguments = nullptr) const;

 private:
  CheckedCall(std::string_view op, DType dtype, const Profile& profile);
  // Computes the balls; false where eager refuses the call or its results are of another dtype.
  bool evaluate();

  DType dtype_;
  bool exact_ = true;
  OpHarness harness_;
  const Op* op_;
  std::vector<Argument> arguments_;
  std::vector<Dims> result_sizes_;
  ValueId first_result_;
  std::vector<ValueId> operands_;
  // The operands' storages before the call, by index.
  std::map<uint32_t, BallStorage> storages_;
};

}  // namespace parallax
