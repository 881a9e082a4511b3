// The reader of plan.json and the plan checker: any bytes are refused with an error or are a plan, which is then the
// same after it was written and read again, and which the checker can judge.
#include <string_view>

#include "fuzz/findings/fuzzer_hash.h"
#include "fuzz/targets/shared/entry.h"
#include "fuzz/targets/shared/plan_document.h"
#include "planner/plan_checker.h"
#include "planner/plan_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace parallax;
  const Result<Json> json = parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!json) return 0;
  const Result<PlannedSchedule> planned = read_plan(*json);
  if (!planned) return 0;
  const std::string written = write_json(plan_json(*planned));
  const Result<Json> parsed = parse_json(written);
  if (!parsed) stop_with("plan_reader | what is written is no JSON", written);
  const Result<PlannedSchedule> again = read_plan(*parsed);
  if (!again) stop_with("plan_reader | what is written is not read", written + "\n" + again.error().text());
  if (*again != *planned) stop_with("plan_reader | what is read again is another plan", written);
  if (!has_small_numbers(*json)) return 0;
  for (const PlanFailure& failure : check_plan(planned->schedule, planned->plan)) {
    if (describe(planned->schedule, failure).empty()) stop_with("plan_reader | a failure without words", written);
  }
  return 0;
}
