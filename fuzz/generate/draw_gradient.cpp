#include "fuzz/generate/draw_gradient.h"

namespace parallax {
namespace {

constexpr std::size_t most_inputs = 3;

}  // namespace

void draw_gradient(Choices& choices, Case& test) {
  GradientRequest request;
  const Graph& graph = test.graph;
  for (const Source& source : graph.sources) {
    const Layout& layout = graph.meta(source.value).layout;
    if (!is_differentiable(graph, source) || layout.strides != contiguous_layout(layout.sizes).strides) continue;
    if (request.wrt.size() < most_inputs) request.wrt.push_back(graph.name(source.value));
  }
  bool any = false;
  for (const ValueId output : graph.outputs) {
    std::optional<Tensor>& cotangent = request.cotangents.emplace_back();
    const TensorMeta& meta = graph.meta(output);
    if (!is_floating(meta.dtype) || choices.chance(15)) continue;
    cotangent.emplace(meta.dtype, meta.layout.sizes);
    for (int64_t i = 0; i < cotangent->numel(); ++i) {
      cotangent->set_double(i, static_cast<double>(choices.between(-4, 4)) / 2);
    }
    any = true;
  }
  if (any && !request.wrt.empty()) test.gradient = std::move(request);
}

}  // namespace parallax
