// A tally as JSON: lists by position (dtype, verdict, reason), maps by name.
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "fuzz/campaign/tally.h"

namespace parallax {
namespace {

template <class Map>
Json pairs_of(const Map& map) {
  Json pairs = Json::array();
  for (const auto& [key, value] : map) pairs.push_back({key, value});
  return pairs;
}

}  // namespace

std::string Tally::to_json() const {
  Json families = Json::object();
  for (const auto& [family, buckets] : family_buckets_) families[family] = pairs_of(buckets);
  const Json json = {{"verdicts", verdicts},
                     {"cases", cases},
                     {"delegated", delegated},
                     {"fell_back", fell_back},
                     {"fused", fused},
                     {"left_in_floats", left_in_floats},
                     {"executed", executed},
                     {"with_undecided", with_undecided},
                     {"hidden_by_packing", hidden_by_packing},
                     {"base_diverges", base_diverges},
                     {"base_is_silent", base_is_silent},
                     {"related", related},
                     {"with_reused_slot", with_reused_slot},
                     {"dynamic", dynamic},
                     {"at_three_sizes", at_three_sizes},
                     {"specialized", specialized},
                     {"recompiled", recompiled},
                     {"elements",
                      {{"total", elements.total},
                       {"undecided", elements.undecided},
                       {"weak", elements.weak},
                       {"by_ensemble", elements.by_ensemble},
                       {"exact", elements.exact},
                       {"outside", elements.outside},
                       {"suspect", elements.suspect},
                       {"inexact", elements.inexact},
                       {"sharp", elements.sharp},
                       {"by_reason", elements.by_reason}}},
                     {"proof_bits", proof_bits.by_bits},
                     {"ensemble_bits", ensemble_bits.by_bits},
                     {"undecided_cases", undecided_cases},
                     {"refusals", refusals},
                     {"calls", calls},
                     {"seconds", seconds},
                     {"drawing_seconds", spent.drawing},
                     {"related_seconds", spent.related},
                     {"finding_seconds", spent.findings},
                     {"radii", pairs_of(radius_buckets_)},
                     {"families", families}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Tally> Tally::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Tally tally;
    json.at("verdicts").get_to(tally.verdicts);
    json.at("cases").get_to(tally.cases);
    json.at("delegated").get_to(tally.delegated);
    json.at("fell_back").get_to(tally.fell_back);
    tally.fused = json.value("fused", int64_t{0});
    tally.left_in_floats = json.value("left_in_floats", int64_t{0});
    json.at("executed").get_to(tally.executed);
    json.at("with_undecided").get_to(tally.with_undecided);
    json.at("hidden_by_packing").get_to(tally.hidden_by_packing);
    json.at("base_diverges").get_to(tally.base_diverges);
    json.at("base_is_silent").get_to(tally.base_is_silent);
    json.at("with_reused_slot").get_to(tally.with_reused_slot);
    const Json& elements = json.at("elements");
    elements.at("total").get_to(tally.elements.total);
    elements.at("undecided").get_to(tally.elements.undecided);
    elements.at("weak").get_to(tally.elements.weak);
    elements.at("by_ensemble").get_to(tally.elements.by_ensemble);
    elements.at("exact").get_to(tally.elements.exact);
    elements.at("outside").get_to(tally.elements.outside);
    elements.at("suspect").get_to(tally.elements.suspect);
    elements.at("inexact").get_to(tally.elements.inexact);
    elements.at("sharp").get_to(tally.elements.sharp);
    elements.at("by_reason").get_to(tally.elements.by_reason);
    json.at("proof_bits").get_to(tally.proof_bits.by_bits);
    json.at("ensemble_bits").get_to(tally.ensemble_bits.by_bits);
    json.at("undecided_cases").get_to(tally.undecided_cases);
    json.at("refusals").get_to(tally.refusals);
    json.at("seconds").get_to(tally.seconds);
    // An earlier version did not count these.
    tally.related = json.value("related", int64_t{0});
    tally.spent.drawing = json.value("drawing_seconds", 0.0);
    tally.spent.related = json.value("related_seconds", 0.0);
    tally.spent.findings = json.value("finding_seconds", 0.0);
    tally.dynamic = json.value("dynamic", int64_t{0});
    tally.at_three_sizes = json.value("at_three_sizes", int64_t{0});
    tally.specialized = json.value("specialized", int64_t{0});
    tally.recompiled = json.value("recompiled", int64_t{0});
    if (const auto calls = json.find("calls"); calls != json.end()) {
      for (const auto& [op, count] : calls->items()) tally.calls[op] = count.get<int64_t>();
    }
    for (const Json& pair : json.at("radii")) tally.radius_buckets_[pair.at(0).get<int>()] = pair.at(1).get<int64_t>();
    for (const auto& [family, buckets] : json.at("families").items()) {
      for (const Json& pair : buckets) tally.family_buckets_[family][pair.at(0).get<int>()] = pair.at(1).get<int64_t>();
    }
    return tally;
  } catch (const Json::exception& error) {
    return fail("a tally cannot be read: {}", error.what());
  }
}

}  // namespace parallax
