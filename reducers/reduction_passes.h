// The one list of reduction passes, in the order in which they run. A new pass is its file in reducers/passes/ and two
// lines here.
#pragma once

#include <array>

#include "reducers/reduce.h"

namespace parallax {

// One run, fewer runs, no symbols.
std::vector<Edit> run_candidates(const Case& test, const RecordedValues& recorded);
// Fewer methods, smaller ones.
std::vector<Edit> method_candidates(const Case& test, const RecordedValues& recorded);
// Smaller sizes of symbols, narrower ranges.
std::vector<Edit> symbol_size_candidates(const Case& test, const RecordedValues& recorded);
// Small random numbers in large tensors.
std::vector<Edit> weight_candidates(const Case& test, const RecordedValues& recorded);
// One output, fewer outputs.
std::vector<Edit> output_candidates(const Case& test, const RecordedValues& recorded);
// An output taken from further up: an operand of the node that made it.
std::vector<Edit> earlier_output_candidates(const Case& test, const RecordedValues& recorded);
// The last nodes gone, what they used made outputs.
void cut_suffix(Reduction& reduction);
// The first nodes gone, what they made given as inputs.
void cut_prefix(Reduction& reduction);
// Ranges of nodes gone, as long as they can be.
void delete_ranges(Reduction& reduction);
// One node gone, in every way: each operand of its type, an input, a constant, the view that a view is of.
std::vector<Edit> bypass_candidates(const Case& test, const RecordedValues& recorded);
// One branch or one step in place of a node that runs subgraphs, fewer results, carries and operands of it, fewer calls
// inside, and calls inside made before it.
std::vector<Edit> subgraph_candidates(const Case& test, const RecordedValues& recorded);
// Unused and equal sources, buffers, shared storages, odd strides.
std::vector<Edit> source_candidates(const Case& test, const RecordedValues& recorded);
// Smaller extents, fewer dims.
std::vector<Edit> dim_candidates(const Case& test, const RecordedValues& recorded);
// f32 in place of other dtypes.
std::vector<Edit> dtype_candidates(const Case& test, const RecordedValues& recorded);
// The schema's defaults in place of other arguments.
std::vector<Edit> attribute_candidates(const Case& test, const RecordedValues& recorded);
// Zeros, ones, small integers, few digits.
std::vector<Edit> value_candidates(const Case& test, const RecordedValues& recorded);
// Canonical names and order, no expectation.
std::vector<Edit> name_candidates(const Case& test, const RecordedValues& recorded);

inline constexpr std::array reduction_passes = {
    ReductionPass{"runs", run_candidates},
    ReductionPass{"methods", method_candidates},  // those below are of the graph
    ReductionPass{"weights", weight_candidates},
    ReductionPass{"outputs", output_candidates},
    ReductionPass{"earlier outputs", earlier_output_candidates},
    ReductionPass{"suffix", nullptr, cut_suffix},
    ReductionPass{"prefix", nullptr, cut_prefix},
    ReductionPass{"ranges", nullptr, delete_ranges},
    ReductionPass{"bypass", bypass_candidates},
    ReductionPass{"subgraphs", subgraph_candidates},
    ReductionPass{"sources", source_candidates},
    ReductionPass{"dims", dim_candidates},
    ReductionPass{"symbol sizes", symbol_size_candidates},
    ReductionPass{"dtypes", dtype_candidates},
    ReductionPass{"attributes", attribute_candidates},
    ReductionPass{"values", value_candidates},
    ReductionPass{"names", name_candidates},
};

}  // namespace parallax
