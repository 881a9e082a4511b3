#include "graph/gradient.h"

#include <algorithm>

#include "graph/tensor_json.h"

namespace parallax {
namespace {

TensorType type_of(const TensorMeta& meta) { return {meta.dtype, meta.layout.sizes, meta.layout.numel()}; }

// The input of that name, or an error of the field.
Result<const Source*> differentiable_input(const Field& field, const std::string& name, const Graph& graph) {
  for (const Source& source : graph.sources) {
    if (source.kind != SourceKind::Input || graph.name(source.value) != name) continue;
    if (!is_differentiable(graph, source)) {
      return field.fail("'{}' has no gradient: it must be of a floating dtype and no window", name);
    }
    return &source;
  }
  return field.fail("the graph has no input '{}'", name);
}

}  // namespace

bool is_differentiable(const Graph& graph, const Source& source) {
  return source.kind == SourceKind::Input && !source.window && is_floating(graph.meta(source.value).dtype);
}

Result<GradientRequest> read_gradient(const Field& grad, const Graph& graph) {
  GradientRequest request;
  TRY(const Field wrt, grad.need("wrt"));
  for (std::size_t i = 0; i < wrt.json().size(); ++i) {
    TRY(std::string name, wrt.element(i).text());
    TRY([[maybe_unused]] const Source* input, differentiable_input(wrt.element(i), name, graph));
    if (std::ranges::find(request.wrt, name) != request.wrt.end()) return wrt.element(i).fail("'{}' twice", name);
    request.wrt.push_back(std::move(name));
  }
  TRY(const Field cotangents, grad.need("cotangents"));
  if (cotangents.json().size() != graph.outputs.size()) {
    return cotangents.fail("{} entries for {} outputs", cotangents.json().size(), graph.outputs.size());
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const Field entry = cotangents.element(i);
    std::optional<Tensor>& cotangent = request.cotangents.emplace_back();
    if (entry.json().is_null()) continue;
    const TensorMeta& meta = graph.meta(graph.outputs[i]);
    if (!is_floating(meta.dtype)) return entry.fail("output {} is not of a floating dtype", i);
    TRY(cotangent, read_tensor(entry, type_of(meta)));
  }
  return request;
}

Json gradient_json(const GradientRequest& request) {
  Json cotangents = Json::array();
  for (const std::optional<Tensor>& cotangent : request.cotangents) {
    cotangents.push_back(cotangent ? tensor_json(*cotangent) : Json());
  }
  return {{"wrt", request.wrt}, {"cotangents", std::move(cotangents)}};
}

Result<std::vector<std::pair<std::string, Tensor>>> read_gradients(const Field& field, const Graph& graph) {
  std::vector<std::pair<std::string, Tensor>> gradients;
  TRY_VOID(field.expect_object());
  TRY_VOID(for_each_member(field, [&](const std::string& name, const Field& entry) -> Result<void> {
    TRY(const Source* input, differentiable_input(entry, name, graph));
    TRY(Tensor tensor, read_tensor(entry, type_of(graph.meta(input->value))));
    gradients.emplace_back(name, std::move(tensor));
    return {};
  }));
  return gradients;
}

}  // namespace parallax
