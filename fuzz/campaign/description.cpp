#include "fuzz/campaign/description.h"

#include "corpus/finding.h"

namespace parallax {
namespace {

constexpr int id_length = 13;

}  // namespace

nlohmann::json Description::json_of(const Around& around) { return short_id(to_json(around.model()), id_length); }

nlohmann::json Description::json_of(const KnownFindings& known) {
  return known.text().empty() ? "" : short_id(known.text(), id_length);
}

std::string describe_cases(std::string_view version, const DrawOptions& options) {
  Description description;
  description.decides("parallax", version);
  for_each_draw_option(options, description);
  return description.text();
}

DescribedCampaign read_description(const std::string& text) {
  DescribedCampaign described;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return described;
  const auto seed = json.find("seed");
  if (seed != json.end() && seed->is_number_unsigned()) described.seed = *seed;
  const auto cases = json.find("cases");
  const bool is_apart = cases != json.end() && cases->is_string();  // earlier versions put the cases' options beside
  const auto drawn = is_apart ? nlohmann::json::parse(cases->get<std::string>(), nullptr, false) : json;
  if (drawn.is_object() && drawn.contains("profile") && drawn["profile"].is_string()) {
    described.profile = drawn["profile"];
  }
  const auto faults = json.find("faults");
  for (const auto& fault : faults != json.end() && faults->is_array() ? *faults : nlohmann::json::array()) {
    if (fault.is_string()) described.faults.push_back(fault);
  }
  return described;
}

std::string describe(const CampaignOptions& options) {
  Description description;
  for_each_campaign_option(options, description);
  return description.text();
}

}  // namespace parallax
