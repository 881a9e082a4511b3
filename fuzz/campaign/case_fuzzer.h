// Case fuzzer: a target under a fuzzing engine: bytes are a tape, the tape is a case, the case is examined.
//
// What the entry points in fuzz/targets/ share. Everything that `parallax fuzz` does to one case is done here, but the
// engine chooses the tapes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backends/open_target.h"
#include "fuzz/generate/generate.h"
#include "fuzz/findings/make_finding.h"

namespace parallax {

class CaseFuzzer {
 public:
  struct Options {
    std::string target;
    std::vector<std::string> faults = {};
    GenerateProfile profile = GenerateProfile::All;
  };
  // Opens the target. An error says why it cannot be driven.
  static Result<CaseFuzzer> open(Options options);

  // The case of a tape, of what the target takes.
  Case draw(Choices& choices) const;
  // What is found with the case of a tape: reduced, explained and signed, or nothing. Counts semantic coverage.
  std::optional<MadeFinding> examine_tape(std::span<const uint8_t> tape);

 private:
  explicit CaseFuzzer(Options options) : profile_(options.profile) {}

  GenerateProfile profile_;
  FindingOptions options_;
  std::unique_ptr<Target> target_;
  std::optional<Vocabulary> words_;
};

// What a person and the next tool need of a finding: the reduced case as JSON and its explanation.
std::string finding_text(const MadeFinding& found);

}  // namespace parallax
