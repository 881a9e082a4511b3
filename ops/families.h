// The one list of op families. A new family is its file in ops/families/ and one line here.
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

inline constexpr std::array op_families = {
    view_family, window_family, split_family, copy_family, view_copy_family, unary_family, binary_family, comparison_family, fill_family,
    reduction_family, scan_family, join_family, scatter_family, rearrange_family, index_family,
};

}  // namespace parallax
