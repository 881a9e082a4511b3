// Step view: a finding's program step by step. One step is a node of the graph, slots of the arena and a value; the
// page's script marks them together and plays the arena up to the overwrite.
#pragma once

#include "reports/finding_report.h"
#include "reports/html.h"

namespace parallax {

// Whether anything is known of the steps: their memory, or what each of them makes.
bool tells_of_steps(const FindingReport& report);
void write_step_view(Html& html, const FindingReport& report);

// The drawn graph, where nothing is known of its steps.
void write_graph_alone(Html& html, const FindingReport& report);

// A drawing of a graph with its heading, and the graph as text below it.
void write_picture(Html& html, std::string_view heading, const Graph& graph, const Picture& picture);

}  // namespace parallax
