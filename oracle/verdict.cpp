#include "oracle/verdict.h"

#include <array>

namespace parallax {
namespace {

constexpr std::array<std::string_view, verdict_count> verdict_names = {
    "match", "mismatch",         "suspect",           "rejected",    "internal_error", "crash",
    "hang",  "nondeterministic", "reference_refused", "unsupported", "undecided",      "audited"};

}  // namespace

std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> parse_verdict(std::string_view name) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    if (verdict_names[i] == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

bool is_finding(Verdict verdict) {
  switch (verdict) {
    case Verdict::Mismatch:
    case Verdict::InternalError:
    case Verdict::Crash:
    case Verdict::Hang:
    case Verdict::Nondeterministic:
      return true;
    default:
      return false;
  }
}

}  // namespace parallax
