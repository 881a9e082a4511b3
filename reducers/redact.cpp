#include "reducers/redact.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/runs.h"
#include "reducers/canonical.h"

namespace parallax {
namespace {

// In the order of the file.
using Json = nlohmann::ordered_json;

// Where a case file has one tensor's data.
struct Place {
  Json::json_pointer at;
  std::string name;
  const Tensor* data = nullptr;
};

std::vector<Place> places_of(const Case& test, const Json& file) {
  std::vector<Place> places;
  const Json::json_pointer graph("/graph");
  for (const Source& source : test.graph.sources) {
    if (source.kind == SourceKind::Input || source.window) continue;
    const std::string& name = test.graph.name(source.value);
    const char* section = source.kind == SourceKind::Constant ? "constants" : "buffers";
    places.push_back({graph / section / name / "data", name, &source.data});
  }
  for (const Storage& storage : test.graph.storages) {
    if (storage.data) places.push_back({graph / "storages" / storage.name / "data", storage.name, &*storage.data});
  }
  const std::vector<FeedSlot> slots = feed_slots(test.graph);
  for (std::size_t run = 0; run <= test.later.size(); ++run) {
    const auto feed = file.contains("runs") ? Json::json_pointer("/runs") / run / "feed" : Json::json_pointer("/feed");
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto at = feed / slots[i].name;
      const bool typed = file[at].is_object() && file[at].contains("type");
      places.push_back({typed ? at / "data" : at, slots[i].name, &feed_of_run(test, run)[i]});
    }
  }
  std::erase_if(places, [](const Place& place) { return place.data->numel() == 0; });
  std::ranges::stable_sort(places, std::greater(), [](const Place& place) { return place.data->numel(); });
  return places;
}

// Integers are 0 or 1, so that what is an index stays one; floats that all are positive stay so, as variances do.
Json random_data(const Tensor& data, int64_t seed) {
  bool negative = false;
  for (int64_t i = 0; i < data.numel(); ++i) negative = negative || data.get_double(i) < 0;
  const bool signed_floats = is_floating(data.dtype) && negative;
  return {{"random", {{"seed", seed}, {"low", signed_floats ? -2 : 0}, {"high", 2}}}};
}

}  // namespace

Redaction redact(const Case& test, const Interesting& survives) {
  Case renamed = canonical_case(test);
  renamed.name = "redacted";
  const Origin origin = origin_of(test);
  renamed.origin =
      origin.target.empty()
          ? ""
          : Json{{"target", origin.target}, {"version", origin.version}, {"signature", origin.signature}}.dump();
  Json file = Json::parse(to_json(renamed));
  const std::vector<Place> places = places_of(renamed, file);
  Redaction redaction{.test = renamed, .text = {}};
  for (const Place& place : places) redaction.values += place.data->numel();
  // Everything at once, else one tensor after the other.
  Json whole = file;
  for (std::size_t i = 0; i < places.size(); ++i)
    whole[places[i].at] = random_data(*places[i].data, static_cast<int64_t>(i));
  const auto take = [&](const Json& tried) {
    Result<Case> read = parse_case(tried.dump());
    if (!read || !survives(*read)) return false;
    redaction.test = *std::move(read);
    file = tried;
    return true;
  };
  const bool all = take(whole);
  for (std::size_t i = 0; i < places.size() && !all; ++i) {
    Json tried = file;
    tried[places[i].at] = random_data(*places[i].data, static_cast<int64_t>(i));
    if (take(tried)) continue;
    redaction.left += places[i].data->numel();
    redaction.kept.push_back(places[i].name);
  }
  redaction.text = file.dump(2) + "\n";
  return redaction;
}

}  // namespace parallax
