// Planted faults: deliberate bugs of our own compiler, each a switch.
//
// A fault replaces one part of the compiler for one compilation that names it. There is no global: a set of faults
// travels in the options of the compilation, and with it its name into every report.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parts.h"
#include "planner/mutants.h"

namespace parallax {

struct Fault {
  std::string_view id;       // "F01"
  std::string_view name;     // "alias-blind last use"
  std::string_view place;    // what it breaks: a file, a folder, "planner" …
  std::string_view summary;  // one line: what is wrong with it
  std::string_view seen_in;  // the real bugs behind it, as project#number
  void (*plant)(CompilerParts& parts);
  std::string_view target = "portable";  // which shows it
};

// The planner ignores aliases (compiler/faults/alias_blind_last_use.cpp).
extern const Fault alias_blind_last_use;

// The planner lets storages lie where something else is still to be read, by their files in compiler/faults/.
extern const Fault in_place_over_live_operand;
extern const Fault output_by_value_name;
extern const Fault rereading_kernel_in_place;
extern const Fault undersized_reuse;
extern const Fault borrowed_buffer_overwritten;
extern const Fault zero_lifetime;
extern const Fault rounded_before_the_size;
extern const Fault late_whole;
extern const Fault stale_plan_on_resize;

// A program at other sizes keeps what it was built with.
extern const Fault numbers_of_the_build;
extern const Fault strides_of_the_size_before;
extern const Fault symbol_of_equal_bound;
extern const Fault output_of_the_size_before;
extern const Fault broadcast_of_the_size_before;

// Boundaries of partitions and fused loops that lose something.
extern const Fault pass_through_unwritten;
extern const Fault outputs_deduplicated;
extern const Fault unused_inputs_dropped;
extern const Fault fused_over_second_use;
extern const Fault partition_cycle;
extern const Fault narrowed_at_the_boundary;
extern const Fault write_overtakes_reader;
extern const Fault strided_operand_in_a_loop;

// Passes that take more for true than is, by their files in compiler/faults/.
extern const Fault drop_writes_without_readers;
extern const Fault merge_calls_across_writes;
extern const Fault lose_write_back;
extern const Fault alias_no_ops_of_written_values;
extern const Fault treat_floats_as_a_ring;
extern const Fault drop_narrowing_casts;
extern const Fault cut_integer_quotients;
extern const Fault swap_operands_of_rsub;
extern const Fault cancel_permutations;
extern const Fault elide_layout_changes;
extern const Fault sink_permutes_past_dims;
extern const Fault merge_allocations;
extern const Fault add_slice_starts;
extern const Fault choose_addend_axis_by_size;

// A program's state, as functionalize reads it and writes it back.
extern const Fault stale_cache_slot;
extern const Fault cache_slot_off_by_one;
extern const Fault update_of_read_state_lost;
extern const Fault caches_swapped;
extern const Fault position_frozen;
extern const Fault returned_cache_aliased;

// What a device does with a partition that is right.
extern const Fault padding_lanes_reduced;
extern const Fault barriers_left_out;
extern const Fault steps_from_the_shape;

// What branches and loops do with memory, state and their steps.
extern const Fault branch_outputs_share_a_slot;
extern const Fault carry_overwritten_early;
extern const Fault closure_freed_before_the_loop;
extern const Fault stale_predicate;
extern const Fault state_of_the_other_branch;
extern const Fault swapped_carries;
extern const Fault one_step_too_few;

// The kernels of fused quantized calls (compiler/faults/integer_kernel_slips.cpp).
extern const Fault zeros_in_the_pads;
extern const Fault ties_away_from_zero;
extern const Fault requantized_by_a_cut;
extern const Fault bias_in_steps;
extern const Fault sums_of_sixteen_bits;
extern const Fault saturated_before_the_zero_point;
extern const Fault activated_as_stored;
extern const Fault mean_cut_to_an_integer;
extern const Fault bytes_with_a_sign;
extern const Fault maximum_from_zero;
extern const Fault scale_of_the_row;

// How quantized calls are fused (compiler/faults/integer_fusion_slips.cpp).
extern const Fault channel_axis_off_by_one;
extern const Fault zero_points_of_weights_dropped;
extern const Fault pair_of_other_parameters_cancelled;
extern const Fault integers_concatenated;
extern const Fault scales_of_a_sum_swapped;
extern const Fault clamp_without_zero_point;
extern const Fault narrow_limits_lost;
extern const Fault parameters_of_the_first_reader;
extern const Fault stale_dynamic_parameters;
extern const Fault pads_counted_in_a_mean;

// The one list. A new fault is its file in compiler/faults/ and one line here.
inline constexpr std::array all_faults = {
    &alias_blind_last_use,
    &in_place_over_live_operand,
    &output_by_value_name,
    &rereading_kernel_in_place,
    &undersized_reuse,
    &borrowed_buffer_overwritten,
    &zero_lifetime,
    &rounded_before_the_size,
    &late_whole,
    &stale_plan_on_resize,
    &numbers_of_the_build,
    &strides_of_the_size_before,
    &symbol_of_equal_bound,
    &output_of_the_size_before,
    &broadcast_of_the_size_before,
    &pass_through_unwritten,
    &outputs_deduplicated,
    &unused_inputs_dropped,
    &fused_over_second_use,
    &partition_cycle,
    &narrowed_at_the_boundary,
    &write_overtakes_reader,
    &strided_operand_in_a_loop,
    &padding_lanes_reduced,
    &barriers_left_out,
    &steps_from_the_shape,
    &drop_writes_without_readers,
    &merge_calls_across_writes,
    &lose_write_back,
    &alias_no_ops_of_written_values,
    &treat_floats_as_a_ring,
    &drop_narrowing_casts,
    &cut_integer_quotients,
    &swap_operands_of_rsub,
    &cancel_permutations,
    &elide_layout_changes,
    &sink_permutes_past_dims,
    &merge_allocations,
    &add_slice_starts,
    &choose_addend_axis_by_size,
    &stale_cache_slot,
    &cache_slot_off_by_one,
    &update_of_read_state_lost,
    &caches_swapped,
    &position_frozen,
    &returned_cache_aliased,
    &branch_outputs_share_a_slot,
    &carry_overwritten_early,
    &closure_freed_before_the_loop,
    &stale_predicate,
    &state_of_the_other_branch,
    &swapped_carries,
    &one_step_too_few,
    &zeros_in_the_pads,
    &ties_away_from_zero,
    &requantized_by_a_cut,
    &bias_in_steps,
    &sums_of_sixteen_bits,
    &saturated_before_the_zero_point,
    &activated_as_stored,
    &mean_cut_to_an_integer,
    &bytes_with_a_sign,
    &maximum_from_zero,
    &scale_of_the_row,
    &channel_axis_off_by_one,
    &zero_points_of_weights_dropped,
    &pair_of_other_parameters_cancelled,
    &integers_concatenated,
    &scales_of_a_sum_swapped,
    &clamp_without_zero_point,
    &narrow_limits_lost,
    &parameters_of_the_first_reader,
    &stale_dynamic_parameters,
    &pads_counted_in_a_mean,
};

// What of the compiler a fault replaces: names of passes, "partition", "fusion", "planner". A finding under it should
// blame one of them.
std::vector<std::string_view> broken_parts(const Fault& fault);

// The faults planted in one compilation, and at most one mutant (planner/mutants.h); none unless somebody names them.
class FaultSet {
 public:
  FaultSet() = default;
  explicit FaultSet(std::vector<const Fault*> faults) : faults_(std::move(faults)) {}
  // The faults of these ids ("F01") and the mutant of such an id ("M01"); an unknown id is an error.
  static Result<FaultSet> of(std::span<const std::string> ids);

  bool empty() const { return faults_.empty() && !mutant_; }
  std::span<const Fault* const> faults() const { return faults_; }
  const Mutant* mutant() const { return mutant_; }
  // What they break: a finding under them should blame one of these parts.
  std::vector<std::string_view> broken_parts() const;
  // Which target shows the first of them; "portable" for none.
  std::string_view target() const { return faults_.empty() ? Fault().target : faults_.front()->target; }
  // "F01, F09"; empty for none.
  std::string names() const;
  // The compiler's parts with these faults in place.
  CompilerParts parts() const;

 private:
  std::vector<const Fault*> faults_;
  const Mutant* mutant_ = nullptr;
};

}  // namespace parallax
