// The one list of op families. A new family is its file in ops/families/ and two lines here: the declaration, and the
// entry with the group of its pure ops (views and in-place ops have groups of their own).
#pragma once

#include <array>
#include <vector>

#include "ops/op.h"

namespace parallax {

std::vector<OpDef> view_family();        // the whole tensor under other dims: view, permute, squeeze …
std::vector<OpDef> window_family();      // some of its elements: select, slice, as_strided …
std::vector<OpDef> split_family();       // lists of windows: split, chunk, unbind
std::vector<OpDef> copy_family();        // clone, contiguous, casts, copy_
std::vector<OpDef> view_copy_family();   // the copying twins of views
std::vector<OpDef> unary_family();       // one operand, element by element
std::vector<OpDef> binary_family();      // two operands, element by element, with promotion
std::vector<OpDef> comparison_family();  // element by element into bool; where
std::vector<OpDef> fill_family();        // fill_, zero_, masked_fill_, arange
std::vector<OpDef> reduction_family();   // sum, mean, prod
std::vector<OpDef> scan_family();        // cumsum
std::vector<OpDef> join_family();        // cat, stack
std::vector<OpDef> scatter_family();     // slice_scatter and its kin
std::vector<OpDef> rearrange_family();   // flip, roll, repeat
std::vector<OpDef> index_family();       // index, index_put, index_select, gather

struct OpFamily {
  std::vector<OpDef> (*ops)();
  OpGroup group;
};

inline constexpr std::array op_families = {
    OpFamily{view_family, OpGroup::View},
    OpFamily{window_family, OpGroup::View},
    OpFamily{split_family, OpGroup::View},
    OpFamily{copy_family, OpGroup::Copy},
    OpFamily{view_copy_family, OpGroup::Copy},
    OpFamily{unary_family, OpGroup::Pointwise},
    OpFamily{binary_family, OpGroup::Pointwise},
    OpFamily{comparison_family, OpGroup::Comparison},
    OpFamily{fill_family, OpGroup::Fill},
    OpFamily{reduction_family, OpGroup::Reduction},
    OpFamily{scan_family, OpGroup::Reduction},
    OpFamily{join_family, OpGroup::Join},
    OpFamily{scatter_family, OpGroup::Scatter},
    OpFamily{rearrange_family, OpGroup::Scatter},
    OpFamily{index_family, OpGroup::Scatter},
};

}  // namespace parallax
