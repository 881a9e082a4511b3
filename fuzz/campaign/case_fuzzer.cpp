#include "fuzz/campaign/case_fuzzer.h"

#include <fmt/format.h>

#include "fuzz/findings/adjudicate.h"
#include "fuzz/generate/semantic_coverage.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

// From one node on, so that an engine can make a crash small.
constexpr int min_nodes = 1;
constexpr int max_nodes = 22;
// The signature is that of the reduced case. Well under the 25 seconds after which OSS-Fuzz calls an input a hang.
constexpr double reduce_seconds = 8;

}  // namespace

Result<CaseFuzzer> CaseFuzzer::open(Options options) {
  CaseFuzzer fuzzer(options);
  fuzzer.options_.target_options.faults = options.faults;
  fuzzer.options_.reduce_seconds = reduce_seconds;
  TRY(fuzzer.target_, open_target(options.target, fuzzer.options_.target_options));
  fuzzer.words_ = Vocabulary::taken_by({fuzzer.target_.get()});
  return fuzzer;
}

Case CaseFuzzer::draw(Choices& choices) const { return generate(choices, {profile_, min_nodes, max_nodes, &*words_}); }

std::optional<MadeFinding> CaseFuzzer::examine_tape(std::span<const uint8_t> tape) {
  Choices choices(tape);
  Case test = draw(choices);
  count_semantic_coverage(test.graph);
  Examination examination = examine(*target_, test);
  if (examination.judgement.verdict == Verdict::Suspect) {
    if (Adjudication adjudication = adjudicate(*target_, test); adjudication.proof) {
      test = std::move(adjudication.proof->test);
      examination = std::move(adjudication.proof->examination);
    }
  }
  if (!is_finding(examination.judgement.verdict)) return std::nullopt;
  return make_finding(*target_, test, examination, options_);
}

std::string finding_text(const MadeFinding& found) {
  return fmt::format("{}\n{}", to_json(found.finding.reduced), found.finding.explanation);
}

}  // namespace parallax
