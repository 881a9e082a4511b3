// Around: parts of a user's model that graphs are grown around: a few connected nodes, with the shapes, the strides and
// the weights that they have there.
#pragma once

#include <span>
#include <vector>

#include "core/choices.h"
#include "fuzz/generate/vocabulary.h"
#include "graph/case.h"

namespace parallax {

class Around {
 public:
  // What a part may cost the reference, in elementary operations (fuzz/generate/work.h), and how many elements its
  // values may have together: half a second or so.
  static constexpr double most_work = 5e7;
  static constexpr int64_t most_elements = 2'000'000;

  // An error where no node of the model is small enough. Sizes that are symbols are those of its first run.
  static Result<Around> of(Case model);

  // A part of at most that many nodes, as a case of its own: what others make is an input, of which the data is zeros;
  // constants and state are the model's. Now and then its f32 is another float that `words` has. Nothing where no node
  // is of `words`.
  std::optional<Case> draw_part(Choices& choices, std::size_t nodes, const Vocabulary& words) const;

  const Case& model() const { return model_; }

 private:
  explicit Around(Case model) : model_(std::move(model)) {}
  std::vector<std::size_t> draw_nodes(Choices& choices, std::size_t count, std::span<const std::size_t> usable) const;
  // Those nodes, in their order, as a case.
  std::optional<Case> part_of(std::span<const std::size_t> nodes, std::optional<DType> floats) const;

  Case model_;
  std::vector<std::vector<std::size_t>> beside_;  // by node: those that touch memory that it touches
  std::vector<double> work_;                      // by node
  std::vector<std::size_t> usable_;               // nodes that are not too much on their own
};

}  // namespace parallax
