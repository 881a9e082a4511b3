// Cast elision: implementations that compute in a half what the graph casts up from one.
//
// Where a profile allows it, an f32 value that comes from halves alone may have been kept as one of them: its balls
// take a rounding of the half's more. Values without an origin (arange, scalar_tensor) go with the others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/profile.h"
#include "graph/graph.h"
#include "ops/ball.h"

namespace parallax {

class CastElision {
 public:
  CastElision(const Graph& graph, const Profile& profile);

  // Widens the f32 results of a node that was just run, where they may be halves.
  void widen(const Node& node, std::span<const BallView> results) const;

 private:
  const Graph* graph_;
  const Profile* profile_;
  // By storage: the half that its f32 elements may have.
  std::vector<std::optional<DType>> kept_as_;
};

}  // namespace parallax
