// Judge: is what a target handed back inside what the oracle says must come out?
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/interpreter.h"
#include "oracle/outcome.h"

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

// Whether one element lies in the ball: in [round_down(mid - radius), round_up(mid + radius)] of its dtype, or a NaN or
// infinity that the ball allows. Undecided balls take anything.
bool accepts(DType dtype, const Ball& ball, double got);

// How many standard deviations from the centre an element is suspect: no verdict by itself (oracle/adjudicate.h).
inline constexpr double suspicion_deviations = 8;
bool is_suspect(const Ball& ball, double got);

// The bits of an inexact element that its ball proves: log2 of its magnitude over its radius, rounded down.
int proved_bits(const Ball& ball);

struct ElementCounts {
  int64_t total = 0;
  int64_t undecided = 0;
  int64_t exact = 0;  // decided with radius 0
  int64_t outside = 0;
  int64_t suspect = 0;                         // inside, but farther from the centre than suspicion_deviations
  std::array<int64_t, dtype_count> inexact{};  // decided floats with a radius, by dtype …
  std::array<int64_t, dtype_count> sharp{};    // … and of those, the ones proved to min(10, precision - 3) bits
  std::array<int64_t, undecided_reasons> by_reason{};
  void add(const ElementCounts& other);
  bool operator==(const ElementCounts&) const = default;
};

// The first element that is outside, and how many are.
struct Divergence {
  std::string run;    // "A", "A, read again after B", "B", "A on a fresh instance", "run 2" …
  std::string place;  // "out[1] e", "input x after the run", "buffer cache after the run"
  int index = 0;      // of the output, input or buffer
  DType dtype = DType::F32;
  Dims sizes;
  int64_t element = 0;
  std::string expected;  // "-0.3817 ± 3e-8"
  std::string got;       // "1.4647"
  int64_t outside = 0;
  int64_t total = 0;
  // "values", "shape", "dtype", "count" or "identity": what is wrong.
  std::string kind = "values";
  // How far outside, in radii of the bound: the most of any element; infinite where the bound is exact, and for what is
  // no number.
  double excess = std::numeric_limits<double>::infinity();
};

// How sharp one output's bound is.
struct OutputRadii {
  std::string_view family;  // of the op that made it; empty for what is handed on
  std::vector<float> ulps;  // radius over the dtype's ulp of each decided inexact element
};

struct Judgement {
  Verdict verdict = Verdict::Match;
  std::string reason;                    // one line for a person
  std::optional<Divergence> divergence;  // of a mismatch, or the first suspect element
  ElementCounts counts;
  std::vector<OutputRadii> radii;  // of the outputs of run A
  bool unobserved = false;         // the target did not hand back some state that the graph writes
};

// What must come out of each run of the protocol (second and later only where they were run).
struct ExpectedRuns {
  Expected a;
  std::optional<Expected> b;
  std::vector<Expected> later;  // of a case with several runs, in place of B
};

// Judges an outcome. `graph` gives the names and what is written.
Judgement judge(const Graph& graph, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity);

}  // namespace parallax
