// Sighting: what a target did with a finding's reduced case when the finding was made: elements beside their bounds,
// what it wrote to standard error, what each stage and detector said. A report shows it where the target is not run
// again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpus/element_rows.h"

namespace parallax {

// What one stage or one detector of the target says of the case.
struct StageReport {
  std::string name;
  std::string said;  // the verdict, or what the detector saw
  bool wrong = false;
  std::vector<std::string> lines;  // more of it, line by line
};

struct Sighting {
  std::string detail;  // a traceback, the tail of standard error
  std::vector<TensorElements> tensors;
  std::vector<StageReport> stages;
};

// sighting.json of a finding's folder, and back; the error carries the JSON pointer.
std::string sighting_json(const Sighting& sighting);
Result<Sighting> parse_sighting(std::string_view json);

}  // namespace parallax
