// FusedParts: a fused call of quantized tensors by its parts, and programs of those that go element by element.
//
// It begins with dequantizes. An op may follow that takes several elements together, or several tensors; what is behind
// it goes element by element, a quantize the last.
#pragma once

#include <unordered_map>

#include "backends/vulkan/device_kernel.h"
#include "ops/fused_op.h"

namespace parallax::vulkan {

// The part behind the dequantizes.
std::size_t main_part(const FusedSteps& steps);

class FusedParts {
 public:
  FusedParts(const KernelCall& call, const FusedSteps& steps) : call_(&call), steps_(&steps), main_(main_part(steps)) {}

  const KernelCall& call() const { return *call_; }
  const FusedSteps& steps() const { return *steps_; }
  Call main() const { return steps_->part(main_); }
  std::size_t main_index() const { return main_; }
  bool ends_with_main() const { return main_ + 1 == steps_->size(); }
  // The dequantize that made an operand of the main part.
  Call maker(ValueId value) const { return steps_->part(static_cast<std::size_t>(steps_->maker(value))); }

 private:
  const KernelCall* call_;
  const FusedSteps* steps_;
  std::size_t main_;
};

// Parts in one dispatch over the elements of a tensor.
class PartsProgram {
 public:
  PartsProgram(const FusedParts& parts, const Dims& sizes) : parts_(&parts), sizes_(sizes), program_(sizes) {}

  PointwiseProgram& program() { return program_; }
  // Has a part stand for a number of the program, for the elements of a tensor, or for another part.
  void set(std::size_t part, PointwiseProgram::Number number) { numbers_[part] = number; }
  void set(std::size_t part, const TensorRef& tensor);
  void set_same(std::size_t part, std::size_t other) { numbers_[part] = numbers_.at(other); }
  // Has a tensor, of the program's sizes, stand for a value of the graph.
  void replace(ValueId value, const TensorRef& tensor) { replaced_.insert_or_assign(value.index, tensor); }
  void add(std::size_t part);
  // The parts behind the main one.
  void add_tail();
  // Puts the elements of the part down, and writes the program.
  void record(std::size_t part, const TensorRef& to, const Layout& layout);

 private:
  const FusedParts* parts_;
  Dims sizes_;
  PointwiseProgram program_;
  std::unordered_map<std::size_t, PointwiseProgram::Number> numbers_;  // by part
  std::unordered_map<uint32_t, TensorRef> replaced_;                   // by value
};

}  // namespace parallax::vulkan
