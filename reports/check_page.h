// Check page: one case as one or more targets ran it: the verdict, and the graph coloured by error, target beside
// eager.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/value_error.h"
#include "oracle/verdict.h"
#include "reports/finding_report.h"

namespace parallax {

struct CheckedTarget {
  std::string target;
  Verdict verdict = Verdict::Match;
  std::string reason;
  std::string more;  // lines for a person: the explanation, what parts show
  std::optional<ValueErrors> errors;
  std::string drawn;  // which part of the graph: "The graph", "Nodes 40 to 159 of 900"
  Picture picture;
};

struct CheckReport {
  std::string name;  // of the case
  std::string made;  // the day
  std::string version;
  std::string graph;  // as text
  std::vector<CheckedTarget> targets;
};

std::string check_page(const CheckReport& report);

}  // namespace parallax
