// MakeFinding: from a diverging case to what a person reads: seen again, reduced, its cause named, signed, explained.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "corpus/finding.h"
#include "reducers/reduce.h"

namespace parallax {

struct FindingOptions {
  TargetOptions target_options = {};  // that the target was opened with; controls are opened with them too
  std::optional<uint64_t> seed = {};  // that the case was generated from
  bool reduce = true;
  bool controls = true;        // run its stages and its controls, and keep what the target compiles it to
  double reduce_seconds = 30;  // the most processor time that one reduction may take, the target's included
  int least_checks = 0;  // what it may ask even if that takes longer: a second a question is too slow for the above
  int jobs = 1;          // copies of the target that look at candidates side by side
  std::function<void(const ReduceProgress&)> progress = nullptr;  // of the reduction
  std::function<bool()> interrupted = nullptr;  // true ends the reduction with the best so far, and all further looks
  int repeat = 0;  // runs in which to see how often it diverges; 0: as many as its reduction takes to tell
};

// A case that diverged while another one was reduced, for another cause by its looks. It was not followed.
struct SlippedCase {
  Case test;
  std::string look;  // its failure class, and the part that is to blame where the target tells
};

struct MadeFinding {
  Finding finding;
  int checks = 0;  // of the reduction
  double reduce_seconds = 0;
  std::vector<SlippedCase> slipped;  // one a look, and few
};

// `target` must be the one that diverged, `examination` what it did. Where `base` is given, what is kept is right on
// it; it must have been right on `test`. Where `target` is a configuration of the base, the finding is of the one with
// the fewest switches that still diverges.
MadeFinding make_finding(Target& target, const Case& test, const Examination& examination,
                         const FindingOptions& options, Target* base = nullptr);

}  // namespace parallax
