// PlainCall: a call seen by an implementation that knows no balls: operands and results are lists of doubles.
#pragma once

#include <vector>

#include "ops/op.h"
#include "tests/soundness/perturbed.h"

namespace parallax {

// Elements in row-major order, whatever the strides are in memory.
using PlainTensor = std::vector<double>;

class PlainCall : public Call {
 public:
  // `values` has the elements of each value of the call; a bool tensor's are 0 and 1.
  PlainCall(const Call& call, const std::vector<PlainTensor>& values, std::span<const Dims> results)
      : Call(call), values_(&values), results_(results) {}

  // Of a parameter that is a tensor.
  const PlainTensor& elements(ParameterRef parameter) const { return elements_of_value(value(parameter)); }
  const PlainTensor& elements_of_value(ValueId value) const { return (*values_)[value.index]; }
  const Dims& sizes(ParameterRef parameter) const { return tensor(parameter).layout.sizes; }
  int rank(ParameterRef parameter) const { return sizes(parameter).size(); }
  const Dims& result_sizes(int k = 0) const { return results_[static_cast<std::size_t>(k)]; }

  // A tensor, repeated to the first result's sizes.
  PlainTensor broadcast(ParameterRef parameter) const;
  // A number, or `otherwise` where it is None or the overload does not have it.
  double real_or(ParameterRef parameter, double otherwise) const {
    return has(parameter) ? real(parameter) : otherwise;
  }
  // A dim, as a dim of self.
  int dim(ParameterRef parameter) const;
  // A list of dims, as a mask over those of self; all dims for None, for none and where the overload does not have it.
  std::vector<bool> dims(ParameterRef parameter) const;
  // Entry k of a list of numbers; one number stands for all of them.
  int64_t entry(ParameterRef parameter, int k, int64_t otherwise) const;

 private:
  const std::vector<PlainTensor>* values_;
  std::span<const Dims> results_;
};

// A row-major tensor repeated to sizes that its own broadcast to.
PlainTensor broadcast(const PlainTensor& from, const Dims& own, const Dims& whole);

// The lanes of a tensor along the dims of a mask: the row-major places of each lane's elements.
std::vector<std::vector<std::size_t>> lanes_along(const Dims& sizes, const std::vector<bool>& mask);
PlainTensor lane_of(const PlainTensor& elements, const std::vector<std::size_t>& places);

// An independent implementation of one op.
struct PlainOp {
  // Element by element over the operands from parameter 0 on, tensors that are broadcast or numbers …
  using One = double (*)(Perturbed& p, const PlainCall& call, double x);
  using Two = double (*)(Perturbed& p, const PlainCall& call, double x, double y);
  using Three = double (*)(Perturbed& p, const PlainCall& call, double x, double y, double z);
  // … or the whole call, whose results come sized.
  using Whole = void (*)(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results);
  // What its operands are drawn from: any numbers, or where its function is defined and smooth.
  enum class Domain : uint8_t { Any, Positive, Unit, OverOne };

  std::string_view family;
  std::string_view name;
  std::variant<One, Two, Three, Whole> function;
  Domain domain = Domain::Any;
  bool takes_bool = false;      // parameter 0 is a condition
  bool takes_bytes = false;     // parameter 0 is of i8
  bool carries_halves = false;  // its sums of halves may be carried as halves under every profile
};

// What the implementation returns, stored in the dtype.
std::vector<PlainTensor> run_plain(const PlainOp& op, Perturbed& p, const PlainCall& call);

// The tables, one a group of families.
std::vector<PlainOp> plain_unary_ops();
std::vector<PlainOp> plain_pair_ops();
std::vector<PlainOp> plain_reduction_ops();
std::vector<PlainOp> plain_normalization_ops();
std::vector<PlainOp> plain_product_ops();
std::vector<PlainOp> plain_convolution_ops();
std::vector<PlainOp> plain_pool_ops();
std::vector<PlainOp> plain_resample_ops();
std::vector<PlainOp> plain_scatter_ops();
std::vector<PlainOp> plain_distance_ops();
std::vector<PlainOp> plain_special_ops();
std::vector<PlainOp> plain_polynomial_ops();
std::vector<PlainOp> plain_attention_ops();
std::vector<PlainOp> plain_recurrent_ops();
std::vector<PlainOp> plain_bag_ops();
std::vector<PlainOp> plain_gradient_ops();
std::vector<PlainOp> plain_quantization_ops();
// All of them, and the one of an op.
const std::vector<PlainOp>& plain_ops();
const PlainOp& plain_op(std::string_view name);

}  // namespace parallax
