// IntegerOperand: a dequantize that a fused call begins with: the stored integers less their zero points, with scales.
#pragma once

#include "backends/portable/kernel.h"
#include "compiler/integer_rules.h"
#include "ops/fused_op.h"

namespace parallax::portable {

// A float that its dtype has no number for gives the smallest: what eager leaves undefined.
int64_t cut_to(double x, DType dtype);

struct IntegerOperand {
  Dims sizes;
  DType dtype = DType::I8;
  Numbers<int64_t> values;  // row-major, less their zero points
  Numbers<double> scales;
  int64_t zero_point = 0;  // of all, where they share one
  // Elements that are neighbours share a scale; after so many scales they begin anew (0: never).
  int64_t shared = 1;
  int64_t channels = 0;

  std::size_t place(std::size_t element) const {
    if (scales.size() == 1) return 0;
    const int64_t at = static_cast<int64_t>(element) / shared;
    return static_cast<std::size_t>(channels > 0 ? at % channels : at);
  }
  // As the dequantize gives it.
  float real(std::size_t element) const {
    if (scales.size() == 1) return static_cast<float>(values[element]) * static_cast<float>(scales[0]);
    return static_cast<float>(static_cast<double>(values[element]) * scales[place(element)]);
  }
};

// The operand that a dequantize is of. `sizes` are those that it is broadcast to; it is of one scale then.
IntegerOperand read_operand(const KernelCall& call, const Call& dequantize, const IntegerRules& rules,
                            const Dims* sizes = nullptr);

// What eager raises where the scale of a quantize is 0. Any other last part passes.
Result<void> check_divisor(const KernelCall& call, const Call& last);

// What a quantize at the end of a fused call makes of its elements.
class Requantizer {
 public:
  Requantizer(const KernelCall& call, const Call& quantize, const IntegerRules& rules);

  // Of an element as f32, and of a sum that was never rounded to it.
  int64_t of_single(float x) const { return finished(static_cast<double>(x * inverse_)); }
  int64_t of_sum(double x) const { return finished(x * static_cast<double>(inverse_)); }
  int64_t zero_point() const { return static_cast<int64_t>(zero_point_); }

 private:
  int64_t finished(double x) const {
    return cut_to(rules_->saturate(rules_->round(x), zero_point_, limits_), limits_.dtype);
  }

  const IntegerRules* rules_;
  float inverse_ = 1;
  double zero_point_ = 0;
  IntegerLimits limits_;
};

}  // namespace parallax::portable
