#include "cli/score_rows.h"

#include <fmt/format.h>

namespace parallax {
namespace {

Json detection_json(const Detection& detection) {
  return {{"found", detection.found}, {"graphs", detection.graphs}, {"seconds", detection.seconds}};
}

Json score_json(const FaultScore& score) {
  Json json = {{"id", score.id}, {name(Detector::Values), detection_json(score.values)}};
  if (score.values.found) {
    json["verdict"] = score.verdict;
    json["nodes"] = score.nodes;
    json["blame"] = score.blame;
    json["blame_is_right"] = score.blame_is_right;
  }
  for (std::size_t d = 0; d < optional_detectors.size(); ++d) {
    json[std::string(name(optional_detectors[d]))] = detection_json(score.others[d]);
  }
  return json;
}

}  // namespace

Result<std::vector<Json>> score_in_children(const std::vector<std::string>& ids, const ScoreOptions& options, int jobs,
                                            const std::function<void(const Json&)>& tell) {
  const auto score = [&](std::size_t place) -> Result<Json> {
    TRY(const FaultScore scored, score_fault(ids[place], options));
    return score_json(scored);
  };
  return run_in_children({ids, score, jobs, 2 * options.seconds + options.reduce_seconds + 10, tell});
}

const Json& seen_by(const Json& row, Detector detector) { return row[std::string(name(detector))]; }

std::string detector_text(const Json& row) {
  std::string text;
  for (const Detector detector : optional_detectors) {
    const Json& seen = seen_by(row, detector);
    text += seen["found"].get<bool>() ? fmt::format("  {} {}", name(detector), seen["graphs"].get<uint64_t>())
                                      : fmt::format("  {} –", name(detector));
  }
  return text;
}

}  // namespace parallax
