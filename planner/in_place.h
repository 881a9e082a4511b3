// In-place reuse: which results may be written over an operand that nobody reads any more.
//
// A result takes an operand's slot only if every condition of the list holds. Each is needed for itself, which the
// tests show by leaving one out; a planted fault is such a list with one condition replaced.
#pragma once

#include <array>
#include <string_view>

#include "planner/lifetimes.h"

namespace parallax {

// Whether the kernel of an op reads each element of an operand before it writes the same element of the result, and no
// later: data of the backend. Null where no kernel does.
using InPlaceKernels = bool (*)(const Op& op, int parameter);

struct InPlaceCandidate {
  const Graph& graph;
  const Lifetimes& lifetimes;
  InPlaceKernels kernels;
  NodeId node;
  int parameter = 0;  // of the op's schema
  ValueId operand;
  ValueId result;
};

struct InPlaceCondition {
  std::string_view name;
  bool (*holds)(const InPlaceCandidate& candidate);
};

// No node after this one reads the operand's storage through any value.
bool operand_dies_here(const InPlaceCandidate& candidate);
// The operand lies in the backend's arena, not in the caller's memory, a constant or state; and so does the result.
bool both_are_the_backends(const InPlaceCandidate& candidate);
// The kernel's data allows it.
bool kernel_allows_it(const InPlaceCandidate& candidate);
// Element for element the result lies in the same bytes, and in no others of the operand's storage.
bool elements_coincide(const InPlaceCandidate& candidate);
// The node reads the operand's storage through no other value, whose elements might lie otherwise.
bool no_other_operand_shares_it(const InPlaceCandidate& candidate);

using InPlaceConditions = std::array<InPlaceCondition, 5>;
inline constexpr InPlaceConditions in_place_conditions = {{
    {"operand dies here", operand_dies_here},
    {"both are the backend's", both_are_the_backends},
    {"kernel allows it", kernel_allows_it},
    {"elements coincide", elements_coincide},
    {"no other operand shares it", no_other_operand_shares_it},
}};

// For each node with one result the first operand for which all conditions hold.
std::vector<Reuse> choose_in_place(const Graph& graph, const Lifetimes& lifetimes, InPlaceKernels kernels,
                                   const InPlaceConditions& conditions = in_place_conditions);

}  // namespace parallax
