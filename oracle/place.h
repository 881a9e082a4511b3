// Place: a tensor that a run of a graph hands back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace parallax {

enum class PlaceKind : uint8_t {
  Output,
  Input,     // as it is after the run
  Buffer,    // likewise
  Gradient,  // of an input
  Outputs,   // all of them: their number is wrong
};

struct Place {
  PlaceKind kind = PlaceKind::Output;
  int index = 0;          // among those of its kind
  std::string name = {};  // the value's; empty for Outputs

  friend bool operator==(const Place&, const Place&) = default;
};

// The places of a graph's runs, by kind and in its order.
struct GraphPlaces {
  std::vector<Place> outputs, inputs, buffers;

  explicit GraphPlaces(const Graph& graph);
};

}  // namespace parallax
