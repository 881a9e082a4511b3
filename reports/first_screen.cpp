#include "reports/first_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/tensor.h"
#include "graph/graph.h"
#include "graph/print.h"
#include "oracle/judgement_text.h"
#include "reports/page_parts.h"

namespace parallax {
namespace {

constexpr int64_t most_shown_elements = 24;

std::string what_it_does(Verdict verdict) {
  switch (verdict) {
    case Verdict::Crash:
      return "Crashes";
    case Verdict::Hang:
      return "Does not end";
    case Verdict::InternalError:
      return "Stops with an error of its own";
    case Verdict::Nondeterministic:
      return "Gives another result each time";
    case Verdict::Mismatch:
      return "Gives wrong values";
    default:
      return std::string("Ends in ") + std::string(name(verdict));
  }
}

// The first tensor of which an element is wrong.
const TensorElements* first_wrong(const FindingReport& report) {
  if (!report.rerun) return nullptr;
  const auto found =
      std::ranges::find_if(report.rerun->tensors, [](const TensorElements& tensor) { return tensor.outside > 0; });
  return found == report.rerun->tensors.end() ? nullptr : &*found;
}

// A tensor's elements as a list, and of a large one its beginning.
std::string values_text(const Tensor& tensor) {
  std::string text;
  const int64_t count = tensor.numel();
  for (int64_t i = 0; i < std::min(count, most_shown_elements); ++i) {
    text += (i == 0 ? "" : ", ") + element_text(tensor, i);
  }
  return count > most_shown_elements ? fmt::format("[{}, … {} more]", text, count - most_shown_elements)
                                     : fmt::format("[{}]", text);
}

void write_inputs(Html& html, const Case& test) {
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  if (slots.empty() || slots.size() != test.feed.size()) return;
  html.element("h3", "Inputs");
  const auto box = scroll_box(html, "The inputs");
  const auto table = html.in("table", {{"class", "list inputs"}});
  write_columns(html, {"name", "type", "values"});
  const auto body = html.in("tbody");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto row = html.in("tr");
    html.element("th", slots[i].name, {{"scope", "row"}});
    html.element("td", type_text(test.feed[i].dtype, test.feed[i].sizes));
    html.element("td", values_text(test.feed[i]));
  }
}

}  // namespace

std::string wrong_sentence(const FindingReport& report) {
  const Finding& finding = report.finding;
  const TensorElements* tensor = first_wrong(report);
  if (tensor == nullptr) {
    return fmt::format("{}{}{}", what_it_does(finding.verdict), finding.reason.empty() ? "" : ": ", finding.reason);
  }
  const auto element = std::ranges::find(tensor->rows, ElementState::Outside, &ElementRow::state);
  if (element == tensor->rows.end()) return what_it_does(finding.verdict);
  const bool is_single = tensor->total == 1;
  const std::string where = place_text(tensor->place) + (is_single ? "" : ", element " + element->index + ",");
  const std::string said = fmt::format("{} is {} and should be {}.", where, element->got, element->expected);
  if (is_single) return said;
  return fmt::format("{} {} of {} elements {} wrong.", said, tensor->outside, tensor->total,
                     tensor->outside == 1 ? "is" : "are");
}

void write_first_screen(Html& html, const FindingReport& report) {
  html.element("p", wrong_sentence(report), {{"class", "reason"}});
  // The page's script puts a button here for each text below that is there to be copied.
  html.element("p", "", {{"class", "actions"}});
  const auto columns = html.in("div", {{"class", "first"}});
  {
    const auto section = html.in("section");
    html.element("h3", "Code");
    html.element("pre", print(report.finding.reduced.graph),
                 {{"tabindex", "0"}, {"aria-label", "The reduced program"}});
  }
  const auto section = html.in("section");
  write_inputs(html, report.finding.reduced);
}

}  // namespace parallax
