// Verdict: what the judge says of one case on one target.
#pragma once

#include <optional>
#include <string_view>

namespace parallax {

enum class Verdict {
  Match,          // every element decided and inside
  Mismatch,       // proved by the bound
  Suspect,        // outside 8 s, not proved (the suspect tier)
  Rejected,       // with a diagnostic that the target declares as such
  InternalError,  // an exception that is not one
  Crash,
  Hang,
  Nondeterministic,  // two runs of one instance's inputs differ in bits although nothing allows it
  ReferenceRefused,  // eager itself raises
  Unsupported,
  Undecided,  // nothing outside, but some element of which nothing can be said
  Audited,    // compiled, and nothing is wrong with what came out as far as it can be seen without running it
};
inline constexpr int verdict_count = 12;

// As in the summary's JSON: "match", "internal_error" …
std::string_view name(Verdict verdict);
std::optional<Verdict> parse_verdict(std::string_view name);

// mismatch, internal error, crash, hang and nondeterministic: what sets exit code 1.
bool is_finding(Verdict verdict);

}  // namespace parallax
