#include "backends/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "planner/plan_checker.h"
#include "planner/plan_json.h"

namespace parallax {
namespace {

using Findings = std::vector<AuditFinding>;

Result<std::vector<std::string>> texts(const Field& object, std::string_view key) {
  TRY(const Field list, object.need(key));
  TRY_VOID(list.expect_array());
  std::vector<std::string> result;
  for (std::size_t i = 0; i < list.json().size(); ++i) {
    TRY(std::string text, list.element(i).text());
    result.push_back(std::move(text));
  }
  return result;
}

// The numbers of a list, or nothing where the object has none: a delegate whose blob nobody reads.
Result<std::optional<std::vector<int64_t>>> numbers(const Field& object, std::string_view key) {
  const auto list = object.find(key);
  if (!list) return std::nullopt;
  TRY_VOID(list->expect_array());
  std::vector<int64_t> result;
  for (std::size_t i = 0; i < list->json().size(); ++i) {
    TRY(const int64_t number, list->element(i).integer());
    result.push_back(number);
  }
  return result;
}

template <class T>
std::vector<T> repeated(std::vector<T> values) {
  std::ranges::sort(values);
  std::vector<T> result;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] == values[i - 1] && (result.empty() || result.back() != values[i])) result.push_back(values[i]);
  }
  return result;
}

// A call passes its inputs and then its outputs; each declared one must meet its own.
Result<Findings> audit_delegate(const Field& delegate) {
  Findings findings;
  TRY(const std::string where, delegate.need_text("name"));
  TRY(const std::vector<std::string> passed, texts(delegate, "passed"));
  TRY(const auto inputs, numbers(delegate, "inputs"));
  TRY(const auto outputs, numbers(delegate, "outputs"));
  const auto found = [&](std::string what) { findings.push_back({where, AuditKind::Delegate, std::move(what)}); };
  if (!inputs || !outputs) {
    if (const auto twice = repeated(passed); !twice.empty()) {
      found(fmt::format("the call passes {} more than once", fmt::join(twice, ", ")));
    }
    return findings;
  }
  const std::size_t declared = inputs->size() + outputs->size();
  if (declared < passed.size()) {
    // Which one is left over the numbers do not tell: the runtime takes inputs from the front, outputs from the back.
    found(fmt::format(
        "the delegate declares {} inputs and {} outputs, the call passes {} values: two equal outputs became one, or "
        "an input lost its readers; return a value of its own for each, such as x + 0",
        inputs->size(), outputs->size(), passed.size()));
  } else if (declared > passed.size()) {
    found(fmt::format("the delegate declares {} inputs and {} outputs, the call passes only {} values", inputs->size(),
                      outputs->size(), passed.size()));
  }
  for (const int64_t output : repeated(*outputs)) found(fmt::format("value {} is declared as an output twice", output));
  return findings;
}

// A value that is returned and, unchanged, what a state is set to. The first carrier is what is written.
Result<Findings> audit_function(const Field& function) {
  Findings findings;
  TRY(const std::string where, function.need_text("name"));
  TRY(const std::vector<std::string> outputs, texts(function, "outputs"));
  TRY(const Field writes, function.need("state_writes"));
  TRY_VOID(writes.expect_array());
  for (std::size_t i = 0; i < writes.json().size(); ++i) {
    TRY(const std::string state, writes.element(i).need_text("state"));
    TRY(const std::vector<std::string> carries, texts(writes.element(i), "carries"));
    for (const std::string& output : outputs) {
      if (std::ranges::find(carries, output) == carries.end()) continue;
      findings.push_back(
          {where, AuditKind::State,
           fmt::format("output '{}' is also the source of the update of state '{}' (written as '{}'): Core ML fails to "
                       "load such a program; return a value of its own, such as '{}' + 0",
                       output, state, fmt::join(carries, "', '"), output)});
    }
  }
  return findings;
}

// Each element of a list of the answer, if it has that list.
template <class Judge>
Result<void> each(const Field& answer, std::string_view key, Findings& findings, Judge judge) {
  const auto list = answer.find(key);
  if (!list) return {};
  TRY_VOID(list->expect_array());
  for (std::size_t i = 0; i < list->json().size(); ++i) {
    TRY(Findings more, judge(list->element(i)));
    std::ranges::move(more, std::back_inserter(findings));
  }
  return {};
}

constexpr std::array<std::string_view, 3> audit_names = {"plan", "delegate", "state"};

}  // namespace

std::string_view name(AuditKind kind) { return audit_names[static_cast<std::size_t>(kind)]; }

Result<std::vector<AuditFinding>> audit_plan(const std::string& where, const Field& plan) {
  auto planned = read_plan(plan.json());
  if (!planned) return at(plan.pointer(), std::move(planned).error());
  Findings findings;
  for (const PlanFailure& failure : check_plan(planned->schedule, planned->plan)) {
    findings.push_back({where, AuditKind::Plan, describe(planned->schedule, failure)});
  }
  return findings;
}

Result<std::vector<AuditFinding>> audit_answer(const Field& answer) {
  TRY_VOID(answer.expect_object());
  Findings findings;
  TRY_VOID(each(answer, "plans", findings, [](const Field& entry) -> Result<Findings> {
    TRY(const std::string where, entry.need_text("name"));
    TRY(const Field plan, entry.need("plan"));
    return audit_plan(where, plan);
  }));
  TRY_VOID(each(answer, "delegates", findings, audit_delegate));
  TRY_VOID(each(answer, "functions", findings, audit_function));
  return findings;
}

}  // namespace parallax
