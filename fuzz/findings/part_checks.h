// Part checks: a program that the proof does not reach, judged part by part. Each window is lowered on the target and
// held against the proof, on what eager's own values are.
#pragma once

#include <functional>
#include <optional>

#include "backends/examine.h"
#include "oracle/case_windows.h"

namespace parallax {

// A part that diverges.
struct WrongPart {
  Window window;
  Case test;
  Examination examination;
};

struct PartChecks {
  std::size_t windows = 0;    // of the program
  std::size_t judged = 0;     // of which something could be said
  std::size_t undecided = 0;  // likewise not
  std::size_t refused = 0;    // by the target, or no case of their own
  bool in_time = true;        // all windows were looked at
  std::optional<WrongPart> wrong;

  // "78 of 80 parts of 8 nodes agree by proof, 2 are refused".
  std::string text(std::size_t width) const;
};

// How many nodes a part has where nothing else is said.
inline constexpr std::size_t part_width = 8;

// Looks at window after window until one is wrong or `seconds` have passed; `progress` is told after each.
PartChecks check_parts(Target& target, const Case& test, std::size_t width, double seconds,
                       const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace parallax
