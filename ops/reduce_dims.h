// The frame of reductions: which dims go, the result's shape, and which result element each input element belongs to.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Which dims of a shape are reduced.
using DimMask = std::vector<bool>;

// All dims of a tensor of that rank.
DimMask all_dims(int rank);
// The listed ones; an empty list stands for all. An error where one is out of range or listed twice.
Result<DimMask> listed_dims(std::span<const int64_t> dims, int rank);

// The reduced shape: the dims gone, or of size 1.
Dims reduced_sizes(const Dims& sizes, const DimMask& reduced, bool keep);
// How many elements go into one of the result.
int64_t reduced_count(const Dims& sizes, const DimMask& reduced);
// For each element of a tensor in row-major order, the row-major index of its result.
std::vector<int64_t> result_indices(const Dims& sizes, const DimMask& reduced);

}  // namespace parallax
