// Step view: a finding's program step by step. One step is a node of the graph, slots of the arena and a value; the
// page's script marks them together and plays the arena up to the overwrite.
#pragma once

#include "reports/finding_report.h"
#include "reports/html.h"

namespace parallax {

void write_step_view(Html& html, const FindingReport& report);

// A drawing of a graph with its heading, and the graph as text below it.
void write_picture(Html& html, std::string_view heading, const Graph& graph, const Picture& picture);

}  // namespace parallax
