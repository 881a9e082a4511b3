// Masks among the indices of index_put: eager takes a bool tensor for the coordinates of its true elements.
#pragma once

#include <memory>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Whether some index is a mask: what the others select then depends on its data.
bool has_mask(const Call& call, const ValueList& indices);

// An index tensor and the first of the dims that it stands for.
struct PlacedIndex {
  ValueId value;
  int dim = 0;
};
// The index tensors of `indices` that are given, each at its dim: a mask stands for as many dims as it has.
std::vector<PlacedIndex> placed_indices(const Call& call, const ValueList& indices);

// Checks that each mask has the sizes of the dims of `layout` that it stands for; without the op's name.
Result<void> check_masks(const Call& call, const Layout& layout, const ValueList& indices);

// A call whose `indices` have vectors of coordinates in the place of masks. It must outlive what is made of it.
class UnmaskedCall {
 public:
  explicit UnmaskedCall(const ReferenceCall& call);
  // The reason of an element of a mask that is not known, or No.
  Undecided undecided() const { return undecided_; }
  ReferenceCall call() const;

 private:
  void expand(ValueId mask, ValueList& indices);

  const ReferenceCall* original_;
  Undecided undecided_ = Undecided::No;
  std::vector<std::unique_ptr<BallStorage>> storages_;
  std::vector<TensorMeta> metas_;
  std::vector<BallView> views_;
  std::vector<Argument> arguments_;
};

}  // namespace parallax
