#include "oracle/detector.h"

#include <algorithm>

namespace parallax {
namespace {

static_assert(std::ranges::is_sorted(detector_rows, {}, &DetectorRow::detector), "rows are found by their place");

constexpr std::string_view every_optional_detector = "all";

const DetectorRow& row_of(Detector detector) { return detector_rows[static_cast<std::size_t>(detector)]; }

DetectorSet all_optional() { return {optional_detectors.begin(), optional_detectors.end()}; }

}  // namespace

std::string_view name(Detector detector) { return row_of(detector).name; }

std::string_view kind_raised_by(Detector detector) { return row_of(detector).raises; }

std::optional<Detector> detector_raising(std::string_view kind) {
  if (kind.empty()) return std::nullopt;
  const auto row = std::ranges::find(detector_rows, kind, &DetectorRow::raises);
  return row == detector_rows.end() ? std::nullopt : std::optional(row->detector);
}

std::string detect_text(const DetectorSet& detectors) {
  if (detectors.empty()) return std::string(name(Detector::Values));
  if (detectors == all_optional()) return std::string(every_optional_detector);
  std::string text;
  for (const Detector detector : detectors) text.append(text.empty() ? "" : ",").append(name(detector));
  return text;
}

std::optional<DetectorSet> parse_detect(std::string_view text) {
  if (text == name(Detector::Values)) return DetectorSet();
  if (text == every_optional_detector) return all_optional();
  const auto asked = std::ranges::find(optional_detectors, text, [](Detector detector) { return name(detector); });
  return asked == optional_detectors.end() ? std::nullopt : std::optional(DetectorSet{*asked});
}

std::vector<std::string> detect_choices() {
  std::vector<std::string> choices = {detect_text({})};
  for (const Detector detector : optional_detectors) choices.emplace_back(name(detector));
  choices.push_back(detect_text(all_optional()));
  return choices;
}

}  // namespace parallax
