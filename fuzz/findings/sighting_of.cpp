#include "fuzz/findings/sighting_of.h"

#include <algorithm>

#include "oracle/expected_runs.h"

namespace parallax {

Sighting sighting_of(const Target& target, const Case& test, const Examination& shown,
                     const std::vector<StageVerdict>& stages, std::vector<Diagnosis> diagnoses) {
  Sighting sighting;
  sighting.detail = shown.outcome.detail;
  if (const auto expected = expected_runs(target.profile(), test)) {
    sighting.tensors = elements_of_runs(test, *expected, shown.outcome);
  }
  for (const StageVerdict& stage : stages) {
    const Judgement& judgement = stage.judgement;
    const std::string reason = judgement.reason.empty() ? "" : ": " + judgement.reason;
    sighting.stages.push_back(
        {stage.name, std::string(name(judgement.verdict)) + reason, is_finding(judgement.verdict), {}});
  }
  for (Diagnosis& diagnosis : diagnoses) {
    // The passes are told of in any case, the others only where something is wrong.
    const bool wrong = diagnosis.detector != Detector::Passes || !diagnosis.blame.empty();
    const bool again =
        std::ranges::find(sighting.stages, diagnosis.lines, &StageReport::lines) != sighting.stages.end();
    if (again) diagnosis.lines.clear();
    sighting.stages.push_back(
        {std::string(name(diagnosis.detector)), std::move(diagnosis.summary), wrong, std::move(diagnosis.lines)});
  }
  return sighting;
}

}  // namespace parallax
