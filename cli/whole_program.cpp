#include "cli/whole_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/grouped_digits.h"
#include "fuzz/findings/localise.h"
#include "graph/print.h"

namespace parallax {
namespace {

// Shorter programs that deviate are read at a glance.
constexpr std::size_t long_program = 3;
// Each more look at the whole of one so long takes long.
constexpr std::size_t network = 100;

// Whether a part may show what the whole does not: its bounds are sharper where those of the whole are no points.
bool may_hide_an_error(const ElementCounts& counts) {
  return counts.by_ensemble + counts.undecided > 0 ||
         std::ranges::any_of(counts.inexact, [](int64_t n) { return n > 0; });
}

void show_progress(std::size_t done, std::size_t of) {
  if (isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "\r  parts: {} of {} looked at{}", done, of, done == of ? "\n" : "");
}

// The first operation of a part that is wrong on the target's own operands; empty where none is alone.
std::string first_wrong_of(Target& target, const WrongPart& part) {
  const Localised found = localise(target, part.test);
  return found.node ? node_text(part.test.graph, *found.node) : "";
}

// Why no operation is looked at alone: it takes the target several runs and more than `seconds`, by what it says of its
// time. Empty where it does not.
std::string why_not_alone(const Case& test, const Outcome& whole, double seconds) {
  const std::size_t runs = runs_to_localise(test);
  const double needed = whole.milliseconds / 1e3 * static_cast<double>(runs);
  if (runs <= 1 || needed <= seconds) return "";
  return fmt::format("  no operation was looked at alone: {} runs of the target take about {:.0f} s (--part-seconds)\n",
                     runs, needed);
}

// A single operation that diverges on the operands that the target gives it: alone it is a case of its own, which the
// proof decides.
std::optional<WrongPart> wrong_operation(Target& target, const Case& test, const Outcome& whole, double seconds,
                                         CloserLook& look) {
  look.text = why_not_alone(test, whole, seconds);
  if (!look.text.empty()) return std::nullopt;
  Localised found = localise(target, test, &whole, seconds);
  if (!found.in_time) look.text = "  not every operation was looked at alone in the time given (--part-seconds)\n";
  if (!found.alone) return std::nullopt;
  Examination alone = examine(target, *found.alone);
  if (!is_finding(alone.judgement.verdict)) return std::nullopt;
  return WrongPart{{found.node->index, found.node->index + 1}, *std::move(found.alone), std::move(alone)};
}

// Whether an operation is wrong alone.
bool look_at_operations(Target& target, const Case& test, const Outcome& whole, double seconds, CloserLook& look) {
  look.wrong = wrong_operation(target, test, whole, seconds, look);
  if (!look.wrong) return false;
  look.first_wrong = node_text(test.graph, NodeId(look.wrong->window.begin));
  look.text = fmt::format("  alone, on the target's own operands, #{} diverges: {}\n", look.wrong->window.begin,
                          look.first_wrong);
  return true;
}

// Looks for the width of parts from which on the deviation of the whole shows, and for the operation in such a part.
void look_by_width(Target& target, const Case& test, double seconds, CloserLook& look) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (std::size_t width = part_width; width < test.graph.nodes.size(); width *= 2) {
    const std::chrono::duration<double> left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) {
      look.text += fmt::format("  no part under {} was seen to deviate in the time given\n",
                               counted(static_cast<int64_t>(width), "node"));
      return;
    }
    PartChecks parts = check_parts(target, test, width, left.count(), show_progress);
    if (!parts.wrong) continue;
    look.text +=
        fmt::format("  it shows in parts of {}: {}\n", counted(static_cast<int64_t>(width), "node"), parts.text(width));
    look.first_wrong = first_wrong_of(target, *parts.wrong);
    look.wrong = std::move(parts.wrong);
    return;
  }
  look.text +=
      fmt::format("  no part shows it: it takes the whole of {}\n", counted(std::ssize(test.graph.nodes), "node"));
}

}  // namespace

bool is_network(const Case& test) { return test.graph.nodes.size() >= network; }

CloserLook look_closer(Target& target, const Case& test, const Examination& whole, double seconds) {
  CloserLook look;
  const std::size_t nodes = test.graph.nodes.size();
  const Judgement& judgement = whole.judgement;
  if (seconds <= 0 || nodes < 2) return look;
  const auto begin = std::chrono::steady_clock::now();
  const auto left = [&] {
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
    return seconds - used.count();
  };
  if (judgement.verdict == Verdict::Mismatch && judgement.divergence->kind == DivergenceKind::Values) {
    if (nodes < long_program) return look;
    if (is_network(test) || !why_not_alone(test, whole.outcome, seconds).empty()) {
      // What is fused deviates in a part alone, so operations leave half of the time for parts.
      if (!look_at_operations(target, test, whole.outcome, seconds / 2, look))
        look_by_width(target, test, left(), look);
      return look;
    }
    const Localised found = localise(target, test, &whole.outcome);
    if (found.node) look.first_wrong = node_text(test.graph, *found.node);
    if (found.runs == 0) return look;
    look.text = "  " + localised_text(test, found) + "\n";
    if (!found.node && !found.vanished) look_by_width(target, test, seconds, look);
    return look;
  }
  const bool decided = judgement.verdict == Verdict::Match || judgement.verdict == Verdict::Undecided;
  if (!decided || !may_hide_an_error(judgement.counts)) return look;
  if (look_at_operations(target, test, whole.outcome, seconds, look)) return look;
  if (nodes < 2 * part_width || judgement.counts.by_ensemble + judgement.counts.undecided == 0) return look;
  PartChecks parts = check_parts(target, test, part_width, left(), show_progress);
  look.text += "  " + parts.text(part_width) + "\n";
  look.wrong = std::move(parts.wrong);
  if (look.wrong) look.first_wrong = first_wrong_of(target, *look.wrong);
  return look;
}

}  // namespace parallax
