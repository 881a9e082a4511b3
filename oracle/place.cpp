#include "oracle/place.h"

namespace parallax {

GraphPlaces::GraphPlaces(const Graph& graph) {
  const auto add = [&](std::vector<Place>& places, PlaceKind kind, ValueId value) {
    places.push_back({kind, static_cast<int>(places.size()), graph.name(value)});
  };
  for (const ValueId output : graph.outputs) add(outputs, PlaceKind::Output, output);
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Input) add(inputs, PlaceKind::Input, source.value);
    if (source.kind == SourceKind::Buffer) add(buffers, PlaceKind::Buffer, source.value);
  }
}

}  // namespace parallax
