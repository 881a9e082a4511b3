// Detector: what notices that something is wrong with a target. The values are judged for every target; the others look
// inside our own compiler and its run time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

enum class Detector : uint8_t {
  Values,           // the oracle's verdict over what comes out
  Plan,             // the plan checker
  Sanitizer,        // the arena sanitizer
  Passes,           // the pass checks
  Builds,           // the ladder of builds, of which one is the first to be wrong
  Program,          // the checks of partitions and fused loops
  Redzone,          // bytes of the arena that are in nobody's slot
  ValidationLayer,  // Vulkan's own
  WriteOrder,       // whether barriers keep a device's writes in order
};

struct DetectorRow {
  Detector detector;
  std::string_view name;    // in --detect, in scores and in explanations
  std::string_view raises;  // Outcome::kind of a finding that it raises; empty where it raises none
};
inline constexpr std::array detector_rows = {
    DetectorRow{Detector::Values, "values", ""},
    DetectorRow{Detector::Plan, "plan", "PlanChecker"},
    DetectorRow{Detector::Sanitizer, "sanitizer", "ArenaSanitizer"},
    DetectorRow{Detector::Passes, "passes", "PassCheck"},
    DetectorRow{Detector::Builds, "builds", ""},
    DetectorRow{Detector::Program, "program", ""},
    DetectorRow{Detector::Redzone, "redzone", "Redzone"},
    DetectorRow{Detector::ValidationLayer, "validation layer", "ValidationLayer"},
    DetectorRow{Detector::WriteOrder, "write order", "WriteOrder"},
};

std::string_view name(Detector detector);
// DetectorRow::raises of a detector; and the detector that raises findings of this kind, nothing for an exception of
// the target's own.
std::string_view kind_raised_by(Detector detector);
std::optional<Detector> detector_raising(std::string_view kind);

// Those that raise a finding only where they are asked to. The others only explain one, or always raise it.
inline constexpr std::array optional_detectors = {Detector::Plan, Detector::Sanitizer, Detector::Passes};

// What may raise a finding beside the values: some of the optional detectors.
using DetectorSet = std::set<Detector>;
// As --detect takes it: "values" for none, "all" for all of them, else their names.
std::string detect_text(const DetectorSet& detectors);
// The set of such a text, which is one of detect_choices(); nothing for any other.
std::optional<DetectorSet> parse_detect(std::string_view text);
// "values", each optional detector, "all".
std::vector<std::string> detect_choices();

}  // namespace parallax
