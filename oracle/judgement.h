// Judgement: what the judge says of an outcome, as data. oracle/judgement_text.h puts it into words.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout.h"
#include "ops/ball.h"
#include "oracle/place.h"
#include "oracle/shown_bits.h"
#include "oracle/verdict.h"

namespace parallax {

// A run of the judging protocol (oracle/outcome.h).
enum class RunKind : uint8_t {
  A,
  B,
  Later,              // of a case with several runs, after the first
  AKeptAfterB,        // A's outputs, read again after B …
  AKeptAfterTheLast,  // … or after the last run
  LaterKept,          // those of a later run, read again after the last
  AOnFreshInstance,
  LaterOnFreshInstance,
};

struct RunId {
  RunKind kind = RunKind::A;
  int number = 0;  // of a later run, from 2; 0 for any other

  friend bool operator==(const RunId&, const RunId&) = default;
};

// What is wrong.
enum class DivergenceKind : uint8_t { Values, Shape, DType, Count, Identity };

// The first element that is outside, and how many are.
struct Divergence {
  RunId run = {};
  Place place = {};
  DType dtype = DType::F32;
  Dims sizes = {};
  int64_t element = 0;
  // For a person, who alone reads them: "-0.3817 ± 3e-8" and "1.4647".
  std::string expected = {};
  std::string got = {};
  int64_t outside = 0;
  int64_t total = 0;
  DivergenceKind kind = DivergenceKind::Values;
  // How far outside, in radii of the bound: the most of any element; infinite where the bound is exact, and for what is
  // no number.
  double excess = std::numeric_limits<double>::infinity();
  // Of an element that the proof does not exclude and an ensemble does: how many half-spreads it lies from the value,
  // and of how many legal runs. 0 runs: excluded by proof.
  double half_spreads = 0;
  int legal_runs = 0;

  bool statistical() const { return legal_runs > 0; }
};

struct ElementCounts {
  int64_t total = 0;
  int64_t undecided = 0;  // the weak ones too
  int64_t weak = 0;       // decided, but neither proof nor ensemble would show a visible error (oracle/visible_error.h)
  int64_t by_ensemble = 0;  // shown by an ensemble, not by the proof
  int64_t exact = 0;        // decided with radius 0
  int64_t outside = 0;
  int64_t suspect = 0;                         // inside, but farther from the centre than suspicion_deviations
  std::array<int64_t, dtype_count> inexact{};  // decided floats with a radius, by dtype …
  std::array<int64_t, dtype_count> sharp{};    // … and of those, the ones proved to min(10, precision - 3) bits
  std::array<int64_t, undecided_reasons> by_reason{};
  void add(const ElementCounts& other);
  bool operator==(const ElementCounts&) const = default;
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
  ShownBits proof_bits;            // of all elements that are floats
  ShownBits ensemble_bits;         // of those where an ensemble ran
  bool unobserved = false;         // the target did not hand back some state that the graph writes
};

}  // namespace parallax
