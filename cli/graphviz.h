// Graphviz: the program that draws a graph's picture, where it is installed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/finding_report.h"

namespace parallax {

struct Drawing {
  std::string dot;    // export/dot.h
  std::string label;  // what a screen reader says
};

// One picture a drawing, in order.
std::vector<Picture> draw(std::span<const Drawing> drawings);

}  // namespace parallax
