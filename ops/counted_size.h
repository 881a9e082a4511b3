// Sizes that data decide: how many elements of a mask are true, how many different ones a tensor has.
//
// A graph knows every size before it runs, so a call with such a size states it: its last argument, which PyTorch's
// schema does not have, is the count. A graph of one run has the number that the run's feed gives; between runs it
// hangs on a symbol, as other numbers in calls do (graph/symbols.h). Whether the number is right shows when it runs.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ops/op.h"

namespace parallax {

// No argument that a case names can be called so.
inline constexpr std::string_view count_parameter = "$count";

// Whether a size of the op's results may hang on data. The registry asks by name, and adds the parameter.
bool is_counted_op(std::string_view name);
bool has_counted_size(const Op& op);
// The place of the count among the arguments; of an op that has it.
std::size_t count_place(const Op& op);
// What the call says; nothing where its sizes hang on no data.
std::optional<int64_t> stated_count(const Call& call);
// The same of a call that must say it.
Result<int64_t> needed_count(const Call& call);

// What the operands' elements make of the count.
struct FoundCount {
  int64_t count = 0;
  Undecided undecided = Undecided::No;  // the reason of an element on which it hangs and that is not known
};
// Of a call that states a count.
FoundCount found_count(const Call& call, std::span<const BallView> views);

// Refuses a call whose data make another number of the count that it states, and one whose data do not say: that error
// is of kind Unsupported, and is_open_count() knows it.
Result<void> check_count(const Call& call, std::span<const BallView> views);
bool is_open_count(const Error& error);

}  // namespace parallax
