// Gradient request: a case may ask for the gradients of its inputs under given cotangents ("grad" in the case file).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json_field.h"
#include "graph/graph.h"

namespace parallax {

struct GradientRequest {
  std::vector<std::string> wrt;                   // inputs of a floating dtype with memory of their own, by name
  std::vector<std::optional<Tensor>> cotangents;  // one an output; nothing: the output takes no part
};

// Whether an input's gradient can be asked for.
bool is_differentiable(const Graph& graph, const Source& source);

// The "grad" member of a case; the error carries the JSON pointer.
Result<GradientRequest> read_gradient(const Field& grad, const Graph& graph);
Json gradient_json(const GradientRequest& request);

// "expect_grad": {"x": data}, of the inputs' own types.
Result<std::vector<std::pair<std::string, Tensor>>> read_gradients(const Field& field, const Graph& graph);

}  // namespace parallax
