// Size: which of two cases is the smaller one. Reduction only ever goes down in this order, so it ends.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "graph/case.h"

namespace parallax {

// Compared field by field, from the top.
struct CaseSize {
  int64_t nodes = 0;
  int64_t inner = 0;         // those of them that stand in subgraphs
  int64_t runs = 0;          // after the first, those on another instance twice, and symbols
  int64_t state = 0;         // buffers and declared storages
  int64_t alias_edges = 0;   // results in an operand's storage, windows, sources that are not row-major
  int64_t ends = 0;          // inputs, constants, buffers and outputs, None among these
  int64_t elements = 0;      // of all values and declared storages
  int64_t dims = 0;          // of all sources
  int64_t sizes = 0;         // of symbols: what they are in all runs, their bounds and how wide their ranges are;
                             // whole numbers in subgraphs, which may be steps of a loop
  int64_t other_dtypes = 0;  // sources, storages and dtype arguments that are not f32
  int64_t attributes = 0;    // arguments that are not the schema's default
  int64_t values = 0;        // what the given numbers cost to read: 0 for 0, 1 for 1, more for each character else
  int64_t untidy = 0;        // names that are not the canonical ones, sources that are not in the order of use
  int64_t bytes = 0;         // of names, and of an expectation that is kept

  friend auto operator<=>(const CaseSize&, const CaseSize&) = default;
};

CaseSize size_of_case(const Case& test);

}  // namespace parallax
