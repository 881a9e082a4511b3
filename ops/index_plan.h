// Advanced indexing: which elements of a tensor `x[i, None, j]` names, as ATen's index and index_put see it.
#pragma once

#include <vector>

#include "ops/op.h"

namespace parallax {

// An index tensor's part in it: its value, its elements seen from the result, and the indexed dim.
struct IndexOperand {
  ValueId value;
  Layout layout;     // over the result's sizes, stride 0 where it does not vary
  int dim = 0;       // of the indexed tensor
  int64_t size = 0;  // of that dim
  int64_t stride = 0;
};

struct IndexPlan {
  // The indexed tensor over the result's sizes, with stride 0 where the indices decide; they add (index * stride).
  Layout source;
  std::vector<IndexOperand> operands;
  Dims common;     // the indices' shape, broadcast together
  int before = 0;  // where it begins in the result's
};

// The plan of indexing `layout`, or what eager refuses. Masks are not supported.
Result<IndexPlan> plan_index(const Call& call, const Layout& layout, const ValueList& indices);

// The result of index.Tensor: the strides that an element-wise op over the plan's operands gives.
Layout indexed_layout(const IndexPlan& plan, const Call& call);

// One element that a plan names.
struct IndexedElement {
  int64_t element = 0;
  Undecided undecided = Undecided::No;  // an index is: the element is not known
};

// The elements in row-major order of the result, or the index that is out of range.
Result<std::vector<IndexedElement>> indexed_elements(const IndexPlan& plan, const ReferenceCall& call);

}  // namespace parallax
