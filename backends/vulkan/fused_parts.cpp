#include "backends/vulkan/fused_parts.h"

namespace parallax::vulkan {

std::size_t main_part(const FusedSteps& steps) {
  std::size_t part = 0;
  while (part + 1 < steps.size() && steps.op(part).schema.name.starts_with("dequantize")) ++part;
  return part;
}

void PartsProgram::set(std::size_t part, const TensorRef& tensor) {
  numbers_[part] = program_.load(tensor, met_by(*tensor.layout, sizes_, {}));
}

void PartsProgram::add(std::size_t part) {
  const FusedSteps& steps = parts_->steps();
  const auto load = [&](ValueId value, std::optional<int> axis) {
    const int maker = steps.maker(value);
    if (maker != FusedPart::outside) return numbers_.at(static_cast<std::size_t>(maker));
    const auto found = replaced_.find(value.index);
    const TensorRef& tensor = found == replaced_.end() ? parts_->call().ref(value) : found->second;
    return program_.load(tensor, met_by(*tensor.layout, sizes_, axis));
  };
  numbers_[part] = emit_pointwise(steps.part(part), steps.metas()[steps.result(part).index], program_, load);
}

void PartsProgram::add_tail() {
  for (std::size_t part = parts_->main_index() + 1; part < parts_->steps().size(); ++part) add(part);
}

void PartsProgram::record(std::size_t part, const TensorRef& to, const Layout& layout) {
  program_.store(numbers_.at(part), to, layout);
  program_.record(parts_->call().recorder(), parts_->call().node());
}

}  // namespace parallax::vulkan
