// Score: how long the fuzzer takes to find a fault or a mutant that is planted in our own compiler, and what it makes
// of it.
//
// The value oracle comes first: it is all that a real system leaves us. The other detectors are asked apart, over the
// same graphs.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "fuzz/generate/generate.h"
#include "oracle/detector.h"

namespace parallax {

struct ScoreOptions {
  GenerateProfile profile = GenerateProfile::All;
  uint64_t seed = 1;
  double seconds = 60;             // the most that the values may take, and each other detector a quarter of it
  std::optional<uint64_t> graphs;  // likewise in graphs
  double reduce_seconds = 20;
  bool feedback =
      false;  // graphs that show something new are edited (fuzz/generate/guided_tapes.h); the values alone are asked
};

// A detector's first finding, or how far it came.
struct Detection {
  bool found = false;
  uint64_t graphs = 0;  // up to and with the finding
  double seconds = 0;
};

struct FaultScore {
  std::string id;
  Detection values;
  std::string verdict;                                      // of the values' finding
  std::size_t nodes = 0;                                    // of it, reduced
  std::string blame;                                        // the part of the compiler that the explanation names
  bool blame_is_right = false;                              // the fault breaks that part
  std::array<Detection, optional_detectors.size()> others;  // by the other detectors, each asked alone
};

// How often a fault shows by its values alone.
struct ShownShare {
  uint64_t graphs = 0;
  uint64_t shown = 0;  // among them
  double seconds = 0;  // of this process's processor time that they took, drawing included
};
// Of the first `graphs` graphs that the options' seed makes by these weights, each run with the fault planted.
Result<ShownShare> shown_share(const std::string& id, const ScoreOptions& options, const GenerateWeights& weights,
                               uint64_t graphs);

// Fuzzes the target that shows the fault or the mutant of that id with it planted.
Result<FaultScore> score_fault(const std::string& id, const ScoreOptions& options);

// The faults that weights may be tuned on, and those held out: by the id's number, odd and even.
bool is_held_out(std::string_view id);

// That many mutants' ids, in their order: all of them, or which the seed draws.
std::vector<std::string> draw_mutants(std::size_t count, uint64_t seed);

}  // namespace parallax
