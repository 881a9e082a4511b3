// The mutants, in one list (planner/mutants.h says what they are). A new one is its line here, its place in the code
// and its line in the list below.
#pragma once

#include <array>

#include "planner/mutants.h"

namespace parallax {

inline constexpr Mutant last_use_one_early = {
    "M01",     "last_use_one_early", "planner/lifetimes.cpp",
    "planner", MutantKind::OffByOne, "a storage lives until the step before its last use"};
inline constexpr Mutant life_begins_late = {
    "M02",     "life_begins_late",   "planner/lifetimes.cpp",
    "planner", MutantKind::OffByOne, "a storage lives from the step after the one that makes it"};
inline constexpr Mutant returned_in_the_arena = {
    "M03",     "returned_in_the_arena", "planner/lifetimes.cpp",
    "planner", MutantKind::DroppedEdge, "what is returned stays in the backend's arena"};

inline constexpr Mutant conflict_at_one_step = {
    "M04",     "conflict_at_one_step",        "planner/greedy_packer.cpp",
    "planner", MutantKind::FlippedComparison, "blocks that share one step only may share bytes"};
inline constexpr Mutant gap_begins_early = {
    "M05",     "gap_begins_early",   "planner/greedy_packer.cpp",
    "planner", MutantKind::OffByOne, "a gap begins at the last byte of the block below it"};
inline constexpr Mutant gap_one_short = {"M06",
                                         "gap_one_short",
                                         "planner/greedy_packer.cpp",
                                         "planner",
                                         MutantKind::OffByOne,
                                         "a gap may be a byte too small",
                                         "sizes are multiples of the alignment, so that no gap is a byte too small"};
inline constexpr Mutant dead_when_read_last = {
    "M07",     "dead_when_read_last",         "planner/greedy_packer.cpp",
    "planner", MutantKind::FlippedComparison, "a block is forgotten while the step that reads it last runs"};

inline constexpr Mutant boxes_sink_in = {
    "M08",     "boxes_sink_in",      "planner/exact_search.cpp",
    "planner", MutantKind::OffByOne, "the exact search lays a block on the last byte of the one under it"};
inline constexpr Mutant neighbours_before_only = {
    "M09",     "neighbours_before_only", "planner/exact_search.cpp",
    "planner", MutantKind::DroppedEdge,  "to the exact search a block does not collide with those of higher numbers"};

inline constexpr Mutant shared_slot_begins_late = {
    "M10",
    "shared_slot_begins_late",
    "planner/plan_memory.cpp",
    "planner",
    MutantKind::DroppedEdge,
    "a slot that results share is taken when the first of them that was asked for begins",
    "an operand begins before the result that overwrites it"};
inline constexpr Mutant shared_slot_ends_early = {
    "M11",     "shared_slot_ends_early", "planner/plan_memory.cpp",
    "planner", MutantKind::DroppedEdge,  "a slot that a result shares with its operand is free when the operand dies"};
inline constexpr Mutant stacked_one_short = {"M12",     "stacked_one_short",  "planner/plan_memory.cpp",
                                             "planner", MutantKind::OffByOne, "slots that live all along share a byte"};
inline constexpr Mutant one_link_of_reuse = {
    "M13",     "one_link_of_reuse",     "planner/plan_memory.cpp",
    "planner", MutantKind::DroppedEdge, "a chain of reuses is followed for one link"};

inline constexpr Mutant operand_lives_on = {
    "M14",     "operand_lives_on",      "planner/in_place.cpp",
    "planner", MutantKind::DroppedEdge, "an operand is overwritten although it is read later"};
inline constexpr Mutant operand_of_the_caller = {
    "M15",     "operand_of_the_caller", "planner/in_place.cpp",
    "planner", MutantKind::DroppedEdge, "an operand is overwritten whoever it belongs to"};
inline constexpr Mutant result_of_the_caller = {
    "M16",     "result_of_the_caller",  "planner/in_place.cpp",
    "planner", MutantKind::DroppedEdge, "a result that is handed out is written over an operand"};
inline constexpr Mutant next_parameter_of_kernel = {"M17",
                                                    "next_parameter_of_kernel",
                                                    "planner/in_place.cpp",
                                                    "planner",
                                                    MutantKind::OffByOne,
                                                    "the kernel is asked whether it may write over another operand",
                                                    "a kernel may write over any operand or over none"};
inline constexpr Mutant in_place_sizes_of_elements = {
    "M18",     "in_place_sizes_of_elements", "planner/in_place.cpp",
    "planner", MutantKind::DroppedEdge,      "elements of another size are written over an operand"};
inline constexpr Mutant in_place_layouts = {
    "M19",     "in_place_layouts",      "planner/in_place.cpp",
    "planner", MutantKind::DroppedEdge, "elements in another order are written over an operand"};
inline constexpr Mutant in_place_over_gaps = {"M20",
                                              "in_place_over_gaps",
                                              "planner/in_place.cpp",
                                              "planner",
                                              MutantKind::DroppedEdge,
                                              "a result with gaps is written over an operand",
                                              "what goes element by element has no gaps in its result"};
inline constexpr Mutant in_place_beyond_operand = {
    "M21",
    "in_place_beyond_operand",
    "planner/in_place.cpp",
    "planner",
    MutantKind::DroppedEdge,
    "a result is written over an operand of fewer bytes",
    "a result that is laid out like its operand has as many bytes or fewer"};
inline constexpr Mutant in_place_shared_views = {
    "M22",     "in_place_shared_views", "planner/in_place.cpp",
    "planner", MutantKind::DroppedEdge, "an operand is overwritten while another view of it is read"};

inline constexpr Mutant group_ends_early = {
    "M23",     "group_ends_early",      "compiler/lower.cpp",
    "planner", MutantKind::DroppedEdge, "what a fused loop reads lives until the node of it that reads it last"};
inline constexpr Mutant reuse_within_groups = {
    "M24",     "reuse_within_groups",   "compiler/lower.cpp",
    "planner", MutantKind::DroppedEdge, "a node of a fused loop writes over an operand of the loop"};

inline constexpr Mutant maker_edge = {"M25",
                                      "maker_edge",
                                      "compiler/dependencies.cpp",
                                      "partition",
                                      MutantKind::DroppedEdge,
                                      "a node does not wait for what makes its operands"};
inline constexpr Mutant read_after_write_edge = {
    "M26",
    "read_after_write_edge",
    "compiler/dependencies.cpp",
    "partition",
    MutantKind::DroppedEdge,
    "a node does not wait for the write before it",
    "once the graph is functional nothing is written but the caller's memory, at its end"};
inline constexpr Mutant write_after_read_edge = {
    "M27",       "write_after_read_edge", "compiler/dependencies.cpp",
    "partition", MutantKind::DroppedEdge, "a write does not wait for the readers before it"};

inline constexpr Mutant next_partition_unread = {"M28",
                                                 "next_partition_unread",
                                                 "compiler/partition.cpp",
                                                 "partition",
                                                 MutantKind::FlippedComparison,
                                                 "what the partition itself reads last counts as read outside",
                                                 "more is handed on than is read, and nothing less"};
inline constexpr Mutant reader_one_early = {
    "M29",       "reader_one_early",   "compiler/partition.cpp",
    "partition", MutantKind::OffByOne, "the last reader of a value is taken to be the partition before it"};
inline constexpr Mutant outputs_unread = {
    "M30",       "outputs_unread",        "compiler/partition.cpp",
    "partition", MutantKind::DroppedEdge, "the caller does not count as a reader of the outputs"};
inline constexpr Mutant inputs_remembered = {
    "M31",       "inputs_remembered",     "compiler/partition.cpp",
    "partition", MutantKind::DroppedEdge, "a partition takes the inputs of earlier ones for its own"};

inline constexpr Mutant returned_kept_inside = {
    "M32",    "returned_kept_inside",  "compiler/fusion.cpp",
    "fusion", MutantKind::DroppedEdge, "what a fused loop makes for the caller is not put into memory"};
inline constexpr Mutant strided_in_loops = {
    "M33",    "strided_in_loops",      "compiler/fusion.cpp",
    "fusion", MutantKind::DroppedEdge, "a fused loop reads operands with strides as if they had none"};
inline constexpr Mutant any_tail_in_loops = {
    "M34",    "any_tail_in_loops",     "compiler/fusion.cpp",
    "fusion", MutantKind::DroppedEdge, "a fused loop broadcasts operands of any sizes"};
inline constexpr Mutant strided_result_of_loops = {"M35",
                                                   "strided_result_of_loops",
                                                   "compiler/fusion.cpp",
                                                   "fusion",
                                                   MutantKind::DroppedEdge,
                                                   "a fused loop writes results with strides as if they had none",
                                                   "what goes element by element over row-major operands is row-major"};

inline constexpr Mutant permutations_composed_backwards = {
    "M36",      "permutations_composed_backwards", "compiler/view_chains.cpp",
    "simplify", MutantKind::SwappedOperand,        "the outer of two permutations is taken for the inner"};
inline constexpr Mutant slice_start_by_outer_step = {
    "M37",
    "slice_start_by_outer_step",
    "compiler/view_chains.cpp",
    "simplify",
    MutantKind::SwappedOperand,
    "the start of a slice of a slice is counted in the outer slice's steps",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};
inline constexpr Mutant slices_of_any_dim = {
    "M38",
    "slices_of_any_dim",
    "compiler/view_chains.cpp",
    "simplify",
    MutantKind::DroppedEdge,
    "slices of two dims are put together",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};
inline constexpr Mutant slice_starts_at_the_end = {
    "M39",
    "slice_starts_at_the_end",
    "compiler/view_chains.cpp",
    "simplify",
    MutantKind::FlippedComparison,
    "a slice that starts at 0 starts at the end",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};
inline constexpr Mutant slice_ends_late = {
    "M40",
    "slice_ends_late",
    "compiler/view_chains.cpp",
    "simplify",
    MutantKind::OffByOne,
    "a slice of a slice ends an element later",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};
inline constexpr Mutant movedim_backwards = {
    "M41",
    "movedim_backwards",
    "compiler/view_chains.cpp",
    "simplify",
    MutantKind::SwappedOperand,
    "movedim moves a dim to where it came from",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};

inline constexpr Mutant both_copies_returned = {
    "M42",          "both_copies_returned",  "compiler/passes/elide_copies.cpp",
    "elide_copies", MutantKind::DroppedEdge, "a copy becomes its source although both are handed out"};
inline constexpr Mutant written_copy_elided = {
    "M43",
    "written_copy_elided",
    "compiler/passes/elide_copies.cpp",
    "elide_copies",
    MutantKind::DroppedEdge,
    "a copy that is written becomes its source",
    "once the graph is functional nothing is written but the caller's memory, at its end"};
inline constexpr Mutant copy_read_at_the_write = {
    "M44",
    "copy_read_at_the_write",
    "compiler/passes/elide_copies.cpp",
    "elide_copies",
    MutantKind::FlippedComparison,
    "a copy becomes its source although the write to the source reads it",
    "what is written back is made by the functional form of the write, which is no copy to elide"};
inline constexpr Mutant last_write_for_first = {"M45",
                                                "last_write_for_first",
                                                "compiler/passes/elide_copies.cpp",
                                                "elide_copies",
                                                MutantKind::DroppedEdge,
                                                "the last write to a storage is taken for the first",
                                                "once the graph is functional a storage is written once"};
inline constexpr Mutant returned_copy_unread = {
    "M46",
    "returned_copy_unread",
    "compiler/passes/elide_copies.cpp",
    "elide_copies",
    MutantKind::DroppedEdge,
    "that a copy is returned does not count as a use of it",
    "a copy of the caller's memory that is returned is kept apart, and no other memory is written"};
inline constexpr Mutant overlapping_copy_elided = {
    "M47",
    "overlapping_copy_elided",
    "compiler/passes/elide_copies.cpp",
    "elide_copies",
    MutantKind::DroppedEdge,
    "a copy becomes its source although elements of that are one element",
    "once the graph is functional nothing is written but the caller's memory, at its end"};

inline constexpr Mutant zero_of_any_sign = {
    "M48",      "zero_of_any_sign",      "compiler/simplify_rules.cpp",
    "simplify", MutantKind::DroppedEdge, "x + 0 is x whatever the sign of the zero"};
inline constexpr Mutant neutral_to_subtract = {
    "M49",      "neutral_to_subtract",      "compiler/simplify_rules.cpp",
    "simplify", MutantKind::SwappedOperand, "what is taken off counts as added"};
inline constexpr Mutant absolute_of_unsigned = {"M50",      "absolute_of_unsigned",  "compiler/simplify_rules.cpp",
                                                "simplify", MutantKind::DroppedEdge, "|-x| is |x| in u8"};
inline constexpr Mutant casts_through_anything = {
    "M51",      "casts_through_anything", "compiler/simplify_rules.cpp",
    "simplify", MutantKind::DroppedEdge,  "a cast of a cast is one cast whatever lies between"};
inline constexpr Mutant where_swapped = {"M52",
                                         "where_swapped",
                                         "compiler/simplify_rules.cpp",
                                         "simplify",
                                         MutantKind::SwappedOperand,
                                         "where of one condition is its other operand"};
inline constexpr Mutant scaled_difference = {"M53",      "scaled_difference",     "compiler/simplify_rules.cpp",
                                             "simplify", MutantKind::DroppedEdge, "x - 2x is 0"};
inline constexpr Mutant narrow_significands = {
    "M54",      "narrow_significands",      "compiler/simplify_rules.cpp",
    "simplify", MutantKind::SwappedOperand, "a narrower float is taken to hold all numbers of a wider one"};
inline constexpr Mutant integers_beyond_floats = {
    "M55",      "integers_beyond_floats", "compiler/simplify_rules.cpp",
    "simplify", MutantKind::DroppedEdge,  "any float is taken to hold all integers"};

inline constexpr Mutant operands_written_since = {
    "M56",
    "operands_written_since",
    "compiler/matcher.cpp",
    "simplify",
    MutantKind::DroppedEdge,
    "a call is looked through although its operands were written since",
    "once the graph is functional nothing is written but the caller's memory, at its end"};
inline constexpr Mutant zeros_of_both_signs = {
    "M57",      "zeros_of_both_signs",   "compiler/matcher.cpp",
    "simplify", MutantKind::DroppedEdge, "a constant of zeros of both signs is taken for one number"};

inline constexpr Mutant orders_mixed = {
    "M58",
    "orders_mixed",
    "compiler/passes/sink_permutes.cpp",
    "sink_permutes",
    MutantKind::DroppedEdge,
    "operands that are permuted differently are taken to be permuted alike",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};
inline constexpr Mutant dims_by_place = {"M59",
                                         "dims_by_place",
                                         "compiler/passes/sink_permutes.cpp",
                                         "sink_permutes",
                                         MutantKind::SwappedOperand,
                                         "a dim that a call names is taken to be the tensor's own"};
inline constexpr Mutant rank_of_rest = {
    "M60",
    "rank_of_rest",
    "compiler/passes/sink_permutes.cpp",
    "sink_permutes",
    MutantKind::FlippedComparison,
    "a dim that is left counts itself among those before it",
    "the result's layout is compared with the one that eager gives, and what differs is not rewritten"};
inline constexpr Mutant laid_out_otherwise = {"M61",
                                              "laid_out_otherwise",
                                              "compiler/passes/sink_permutes.cpp",
                                              "sink_permutes",
                                              MutantKind::DroppedEdge,
                                              "a permutation sinks although the result lies in memory otherwise",
                                              "the numbers are the same, and only lie elsewhere"};

inline constexpr Mutant merged_over_a_write = {
    "M62",
    "merged_over_a_write",
    "compiler/passes/merge_common_calls.cpp",
    "merge_common_calls",
    MutantKind::DroppedEdge,
    "calls are merged over a write to their operands",
    "once the graph is functional nothing is written but the caller's memory, at its end"};
inline constexpr Mutant merged_unlike_results = {"M63",
                                                 "merged_unlike_results",
                                                 "compiler/passes/merge_common_calls.cpp",
                                                 "merge_common_calls",
                                                 MutantKind::DroppedEdge,
                                                 "calls are merged although their results have other dtypes or layouts",
                                                 "one op on the same operands gives results alike"};
inline constexpr Mutant merged_other_arguments = {
    "M64",
    "merged_other_arguments",
    "compiler/passes/merge_common_calls.cpp",
    "merge_common_calls",
    MutantKind::DroppedEdge,
    "calls on the same tensors are merged whatever their other arguments"};
inline constexpr Mutant merged_copies = {"M65",
                                         "merged_copies",
                                         "compiler/passes/merge_common_calls.cpp",
                                         "merge_common_calls",
                                         MutantKind::DroppedEdge,
                                         "a result that eager puts into memory of its own is the first one itself"};

inline constexpr Mutant effects_dropped = {"M66",
                                           "effects_dropped",
                                           "compiler/passes/drop_dead_nodes.cpp",
                                           "drop_dead_nodes",
                                           MutantKind::DroppedEdge,
                                           "a write whose result nobody reads is dropped"};

inline constexpr Mutant written_folded = {"M67",
                                          "written_folded",
                                          "compiler/passes/fold_constants.cpp",
                                          "fold_constants",
                                          MutantKind::DroppedEdge,
                                          "a result that is written or returned becomes a constant"};
inline constexpr Mutant folded_with_gaps = {"M68",
                                            "folded_with_gaps",
                                            "compiler/passes/fold_constants.cpp",
                                            "fold_constants",
                                            MutantKind::DroppedEdge,
                                            "a result with gaps becomes a constant"};

inline constexpr Mutant stale_value = {
    "M69",           "stale_value",           "compiler/passes/functionalize.cpp",
    "functionalize", MutantKind::DroppedEdge, "a value is read as it was before a write"};
inline constexpr Mutant part_for_the_whole = {
    "M70",           "part_for_the_whole",    "compiler/passes/functionalize.cpp",
    "functionalize", MutantKind::DroppedEdge, "a write to a part of a storage is taken for one to the whole"};
inline constexpr Mutant written_once = {
    "M71",           "written_once",       "compiler/passes/functionalize.cpp",
    "functionalize", MutantKind::OffByOne, "a caller's storage that was written once is not written back"};
inline constexpr Mutant whole_of_a_part = {
    "M72",           "whole_of_a_part",       "compiler/passes/functionalize.cpp",
    "functionalize", MutantKind::DroppedEdge, "a part of a storage is taken for the whole of it"};

inline constexpr std::array all_mutants = {
    &last_use_one_early,
    &life_begins_late,
    &returned_in_the_arena,
    &conflict_at_one_step,
    &gap_begins_early,
    &gap_one_short,
    &dead_when_read_last,
    &boxes_sink_in,
    &neighbours_before_only,
    &shared_slot_begins_late,
    &shared_slot_ends_early,
    &stacked_one_short,
    &one_link_of_reuse,
    &operand_lives_on,
    &operand_of_the_caller,
    &result_of_the_caller,
    &next_parameter_of_kernel,
    &in_place_sizes_of_elements,
    &in_place_layouts,
    &in_place_over_gaps,
    &in_place_beyond_operand,
    &in_place_shared_views,
    &group_ends_early,
    &reuse_within_groups,
    &maker_edge,
    &read_after_write_edge,
    &write_after_read_edge,
    &next_partition_unread,
    &reader_one_early,
    &outputs_unread,
    &inputs_remembered,
    &returned_kept_inside,
    &strided_in_loops,
    &any_tail_in_loops,
    &strided_result_of_loops,
    &permutations_composed_backwards,
    &slice_start_by_outer_step,
    &slices_of_any_dim,
    &slice_starts_at_the_end,
    &slice_ends_late,
    &movedim_backwards,
    &both_copies_returned,
    &written_copy_elided,
    &copy_read_at_the_write,
    &last_write_for_first,
    &returned_copy_unread,
    &overlapping_copy_elided,
    &zero_of_any_sign,
    &neutral_to_subtract,
    &absolute_of_unsigned,
    &casts_through_anything,
    &where_swapped,
    &scaled_difference,
    &narrow_significands,
    &integers_beyond_floats,
    &operands_written_since,
    &zeros_of_both_signs,
    &orders_mixed,
    &dims_by_place,
    &rank_of_rest,
    &laid_out_otherwise,
    &merged_over_a_write,
    &merged_unlike_results,
    &merged_other_arguments,
    &merged_copies,
    &effects_dropped,
    &written_folded,
    &folded_with_gaps,
    &stale_value,
    &part_for_the_whole,
    &written_once,
    &whole_of_a_part,
};

}  // namespace parallax
