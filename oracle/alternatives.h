// Alternatives of the elements of storages, while a graph runs: those that a node gave and that nothing wrote since.
// Views share them, as they share the balls, and copies have them too; what is computed from such an element goes by
// its hull.
#pragma once

#include <span>

#include "graph/graph.h"
#include "ops/carried_alternatives.h"

namespace parallax {

class HeldAlternatives {
 public:
  // Before a run: storages are filled anew.
  void clear() { held_.clear(); }
  // After a node has run, with the views of all values and those of its results.
  void note(const Node& node, std::span<const TensorMeta> metas, std::span<const BallView> views,
            std::span<const BallView> results, const Profile& profile);
  // Of a view's elements, by their row-major place.
  Alternatives of(const BallView& view) const;

 private:
  bool carries_on(const Node& node, std::span<const BallView> results) const;
  void forget_what_it_wrote(const Node& node, std::span<const BallView> views);

  AlternativesByStorage held_;
};

}  // namespace parallax
