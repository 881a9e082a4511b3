// The mutants, one row each (planner/mutants.h says what they are). A new one is its row here and its place in the
// code, which names the row.
#pragma once

#include <algorithm>
#include <array>

#include "planner/mutants.h"

namespace parallax {

inline constexpr auto all_mutants = [] {
  using enum MutantKind;
  constexpr MutatedFile lifetimes = {"planner/lifetimes.cpp", "planner"};
  constexpr MutatedFile greedy_packer = {"planner/greedy_packer.cpp", "planner"};
  constexpr MutatedFile exact_search = {"planner/exact_search.cpp", "planner"};
  constexpr MutatedFile plan_memory = {"planner/plan_memory.cpp", "planner"};
  constexpr MutatedFile in_place = {"planner/in_place.cpp", "planner"};
  constexpr MutatedFile lower = {"compiler/lower.cpp", "planner"};
  constexpr MutatedFile dependencies = {"compiler/dependencies.cpp", "partition"};
  constexpr MutatedFile partition = {"compiler/partition.cpp", "partition"};
  constexpr MutatedFile fusion = {"compiler/fusion.cpp", "fusion"};
  constexpr MutatedFile view_chains = {"compiler/view_chains.cpp", "simplify"};
  constexpr MutatedFile elide_copies = {"compiler/passes/elide_copies.cpp", "elide_copies"};
  constexpr MutatedFile simplify_rules = {"compiler/simplify_rules.cpp", "simplify"};
  constexpr MutatedFile matcher = {"compiler/matcher.cpp", "simplify"};
  constexpr MutatedFile sink_permutes = {"compiler/passes/sink_permutes.cpp", "sink_permutes"};
  constexpr MutatedFile merge_common_calls = {"compiler/passes/merge_common_calls.cpp", "merge_common_calls"};
  constexpr MutatedFile drop_dead_nodes = {"compiler/passes/drop_dead_nodes.cpp", "drop_dead_nodes"};
  constexpr MutatedFile fold_constants = {"compiler/passes/fold_constants.cpp", "fold_constants"};
  constexpr MutatedFile functionalize = {"compiler/passes/functionalize.cpp", "functionalize"};
  constexpr std::string_view nothing_else_is_written =
      "once the graph is functional nothing is written but the caller's memory, at its end";
  constexpr std::string_view layout_is_compared =
      "the result's layout is compared with the one that eager gives, and what differs is not rewritten";
  return std::to_array<Mutant>({
      {"M01", "last_use_one_early", lifetimes, OffByOne, "a storage lives until the step before its last use"},
      {"M02", "life_begins_late", lifetimes, OffByOne, "a storage lives from the step after the one that makes it"},
      {"M03", "returned_in_the_arena", lifetimes, DroppedEdge, "what is returned stays in the backend's arena"},

      {"M04", "conflict_at_one_step", greedy_packer, FlippedComparison,
       "blocks that share one step only may share bytes"},
      {"M05", "gap_begins_early", greedy_packer, OffByOne, "a gap begins at the last byte of the block below it"},
      {"M06", "gap_one_short", greedy_packer, OffByOne, "a gap may be a byte too small",
       "sizes are multiples of the alignment, so that no gap is a byte too small"},
      {"M07", "dead_when_read_last", greedy_packer, FlippedComparison,
       "a block is forgotten while the step that reads it last runs"},

      {"M08", "boxes_sink_in", exact_search, OffByOne,
       "the exact search lays a block on the last byte of the one under it"},
      {"M09", "neighbours_before_only", exact_search, DroppedEdge,
       "to the exact search a block does not collide with those of higher numbers"},

      {"M10", "shared_slot_begins_late", plan_memory, DroppedEdge,
       "a slot that results share is taken when the first of them that was asked for begins",
       "an operand begins before the result that overwrites it"},
      {"M11", "shared_slot_ends_early", plan_memory, DroppedEdge,
       "a slot that a result shares with its operand is free when the operand dies"},
      {"M12", "stacked_one_short", plan_memory, OffByOne, "slots that live all along share a byte"},
      {"M13", "one_link_of_reuse", plan_memory, DroppedEdge, "a chain of reuses is followed for one link"},

      {"M14", "operand_lives_on", in_place, DroppedEdge, "an operand is overwritten although it is read later"},
      {"M15", "operand_of_the_caller", in_place, DroppedEdge, "an operand is overwritten whoever it belongs to"},
      {"M16", "result_of_the_caller", in_place, DroppedEdge, "a result that is handed out is written over an operand"},
      {"M17", "next_parameter_of_kernel", in_place, OffByOne,
       "the kernel is asked whether it may write over another operand",
       "a kernel may write over any operand or over none"},
      {"M18", "in_place_sizes_of_elements", in_place, DroppedEdge,
       "elements of another size are written over an operand"},
      {"M19", "in_place_layouts", in_place, DroppedEdge, "elements in another order are written over an operand"},
      {"M20", "in_place_over_gaps", in_place, DroppedEdge, "a result with gaps is written over an operand",
       "what goes element by element has no gaps in its result"},
      {"M21", "in_place_beyond_operand", in_place, DroppedEdge, "a result is written over an operand of fewer bytes",
       "a result that is laid out like its operand has as many bytes or fewer"},
      {"M22", "in_place_shared_views", in_place, DroppedEdge,
       "an operand is overwritten while another view of it is read"},

      {"M23", "group_ends_early", lower, DroppedEdge,
       "what a fused loop reads lives until the node of it that reads it last"},
      {"M24", "reuse_within_groups", lower, DroppedEdge, "a node of a fused loop writes over an operand of the loop"},

      {"M25", "maker_edge", dependencies, DroppedEdge, "a node does not wait for what makes its operands"},
      {"M26", "read_after_write_edge", dependencies, DroppedEdge, "a node does not wait for the write before it",
       nothing_else_is_written},
      {"M27", "write_after_read_edge", dependencies, DroppedEdge, "a write does not wait for the readers before it"},

      {"M28", "next_partition_unread", partition, FlippedComparison,
       "what the partition itself reads last counts as read outside",
       "more is handed on than is read, and nothing less"},
      {"M29", "reader_one_early", partition, OffByOne,
       "the last reader of a value is taken to be the partition before it"},
      {"M30", "outputs_unread", partition, DroppedEdge, "the caller does not count as a reader of the outputs"},
      {"M31", "inputs_remembered", partition, DroppedEdge, "a partition takes the inputs of earlier ones for its own"},

      {"M32", "returned_kept_inside", fusion, DroppedEdge,
       "what a fused loop makes for the caller is not put into memory"},
      {"M33", "strided_in_loops", fusion, DroppedEdge, "a fused loop reads operands with strides as if they had none"},
      {"M34", "any_tail_in_loops", fusion, DroppedEdge, "a fused loop broadcasts operands of any sizes"},
      {"M35", "strided_result_of_loops", fusion, DroppedEdge,
       "a fused loop writes results with strides as if they had none",
       "what goes element by element over row-major operands is row-major"},

      {"M36", "permutations_composed_backwards", view_chains, SwappedOperand,
       "the outer of two permutations is taken for the inner"},
      {"M37", "slice_start_by_outer_step", view_chains, SwappedOperand,
       "the start of a slice of a slice is counted in the outer slice's steps", layout_is_compared},
      {"M38", "slices_of_any_dim", view_chains, DroppedEdge, "slices of two dims are put together", layout_is_compared},
      {"M39", "slice_starts_at_the_end", view_chains, FlippedComparison, "a slice that starts at 0 starts at the end",
       layout_is_compared},
      {"M40", "slice_ends_late", view_chains, OffByOne, "a slice of a slice ends an element later", layout_is_compared},
      {"M41", "movedim_backwards", view_chains, SwappedOperand, "movedim moves a dim to where it came from",
       layout_is_compared},

      {"M42", "both_copies_returned", elide_copies, DroppedEdge,
       "a copy becomes its source although both are handed out"},
      {"M43", "written_copy_elided", elide_copies, DroppedEdge, "a copy that is written becomes its source",
       nothing_else_is_written},
      {"M44", "copy_read_at_the_write", elide_copies, FlippedComparison,
       "a copy becomes its source although the write to the source reads it",
       "what is written back is made by the functional form of the write, which is no copy to elide"},
      {"M45", "last_write_for_first", elide_copies, DroppedEdge, "the last write to a storage is taken for the first",
       "once the graph is functional a storage is written once"},
      {"M46", "returned_copy_unread", elide_copies, DroppedEdge,
       "that a copy is returned does not count as a use of it",
       "a copy of the caller's memory that is returned is kept apart, and no other memory is written"},
      {"M47", "overlapping_copy_elided", elide_copies, DroppedEdge,
       "a copy becomes its source although elements of that are one element", nothing_else_is_written},

      {"M48", "zero_of_any_sign", simplify_rules, DroppedEdge, "x + 0 is x whatever the sign of the zero"},
      {"M49", "neutral_to_subtract", simplify_rules, SwappedOperand, "what is taken off counts as added"},
      {"M50", "absolute_of_unsigned", simplify_rules, DroppedEdge, "|-x| is |x| in u8"},
      {"M51", "casts_through_anything", simplify_rules, DroppedEdge,
       "a cast of a cast is one cast whatever lies between"},
      {"M52", "where_swapped", simplify_rules, SwappedOperand, "where of one condition is its other operand"},
      {"M53", "scaled_difference", simplify_rules, DroppedEdge, "x - 2x is 0"},
      {"M54", "narrow_significands", simplify_rules, SwappedOperand,
       "a narrower float is taken to hold all numbers of a wider one"},
      {"M55", "integers_beyond_floats", simplify_rules, DroppedEdge, "any float is taken to hold all integers"},

      {"M56", "operands_written_since", matcher, DroppedEdge,
       "a call is looked through although its operands were written since", nothing_else_is_written},
      {"M57", "zeros_of_both_signs", matcher, DroppedEdge, "a constant of zeros of both signs is taken for one number"},

      {"M58", "orders_mixed", sink_permutes, DroppedEdge,
       "operands that are permuted differently are taken to be permuted alike", layout_is_compared},
      {"M59", "dims_by_place", sink_permutes, SwappedOperand,
       "a dim that a call names is taken to be the tensor's own"},
      {"M60", "rank_of_rest", sink_permutes, FlippedComparison,
       "a dim that is left counts itself among those before it", layout_is_compared},
      {"M61", "laid_out_otherwise", sink_permutes, DroppedEdge,
       "a permutation sinks although the result lies in memory otherwise",
       "the numbers are the same, and only lie elsewhere"},

      {"M62", "merged_over_a_write", merge_common_calls, DroppedEdge, "calls are merged over a write to their operands",
       nothing_else_is_written},
      {"M63", "merged_unlike_results", merge_common_calls, DroppedEdge,
       "calls are merged although their results have other dtypes or layouts",
       "one op on the same operands gives results alike"},
      {"M64", "merged_other_arguments", merge_common_calls, DroppedEdge,
       "calls on the same tensors are merged whatever their other arguments"},
      {"M65", "merged_copies", merge_common_calls, DroppedEdge,
       "a result that eager puts into memory of its own is the first one itself"},

      {"M66", "effects_dropped", drop_dead_nodes, DroppedEdge, "a write whose result nobody reads is dropped"},

      {"M67", "written_folded", fold_constants, DroppedEdge, "a result that is written or returned becomes a constant"},
      {"M68", "folded_with_gaps", fold_constants, DroppedEdge, "a result with gaps becomes a constant"},

      {"M69", "stale_value", functionalize, DroppedEdge, "a value is read as it was before a write"},
      {"M70", "part_for_the_whole", functionalize, DroppedEdge,
       "a write to a part of a storage is taken for one to the whole"},
      {"M71", "written_once", functionalize, OffByOne, "a caller's storage that was written once is not written back"},
      {"M72", "whole_of_a_part", functionalize, DroppedEdge, "a part of a storage is taken for the whole of it"},
  });
}();

// The mutant of an id, or null.
constexpr const Mutant* find_mutant(std::string_view id) {
  const auto found = std::ranges::find(all_mutants, id, &Mutant::id);
  return found == all_mutants.end() ? nullptr : &*found;
}

}  // namespace parallax
