// Description: the text by which the ledger of a folder knows a campaign. A campaign that was cut off goes on where the
// description is the same.
//
// It is made of the options themselves. for_each_field names every field of a struct of options, and says of each
// whether it decides what the cases are or what is said of them. A field that is added does not compile until it is
// named there.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drawn_cases.h"

namespace parallax {

// Each calls visit.decides(name, field) or visit.leaves_open(name, field), once for every field. `options` is the
// struct of the name, const or not.
template <class Options, class Visit>
void for_each_draw_option(Options& options, Visit& visit) {
  auto& [profile, graphs, min_nodes, max_nodes, feeds, gradients, around] = options;
  visit.decides("profile", profile);
  visit.decides("graphs", graphs);
  visit.decides("min_nodes", min_nodes);
  visit.decides("max_nodes", max_nodes);
  visit.decides("feeds", feeds);
  visit.decides("gradients", gradients);
  visit.decides("around", around);
}

template <class Options, class Visit>
void for_each_target_option(Options& options, Visit& visit) {
  auto& [faults, detect, selection, threads, given_up] = options;
  auto& [passes, stop_after] = selection;
  visit.decides("faults", faults);
  visit.decides("detect", detect);
  visit.decides("passes", passes);
  visit.decides("stop_after", stop_after);
  visit.decides("threads", threads);
  visit.leaves_open("given_up", given_up);
}

template <class Options, class Visit>
void for_each_campaign_option(Options& options, Visit& visit) {
  auto& [targets, target_options, source, cases, seconds, cases_a_turn, shard, shards, jobs, seed, pack, reduce,
         controls, reduce_seconds, reduce_checks, repeat, base, defaults, related, known, findings, fresh, jury,
         interrupted, callbacks] = options;
  visit.decides("targets", targets);
  for_each_target_option(target_options, visit);
  visit.decides("cases", cases);
  visit.decides("seconds", seconds);
  visit.decides("cases_a_turn", cases_a_turn);
  visit.decides("shard", shard);
  visit.decides("shards", shards);
  visit.decides("seed", seed);
  visit.decides("pack", pack);
  visit.decides("reduce", reduce);
  visit.decides("controls", controls);
  visit.decides("reduce_seconds", reduce_seconds);
  visit.decides("reduce_checks", reduce_checks);
  visit.decides("repeat", repeat);
  visit.decides("base", base);
  visit.decides("defaults", defaults);
  visit.decides("related", related);
  visit.decides("known", known);
  visit.leaves_open("source", source);  // `cases` says what it gives
  visit.leaves_open("jobs", jobs);
  visit.leaves_open("findings", findings);  // where the ledger lies
  visit.leaves_open("fresh", fresh);
  visit.leaves_open("jury", jury);  // it may be asked later, too
  visit.leaves_open("interrupted", interrupted);
  visit.leaves_open("callbacks", callbacks);
}

// A visitor that takes down the fields that decide.
class Description {
 public:
  template <class Field>
  void decides(std::string_view name, const Field& field) {
    json_[std::string(name)] = json_of(field);
  }
  template <class Field>
  void leaves_open(std::string_view, const Field&) {}

  std::string text() const { return json_.dump(); }

 private:
  template <class Field>
  static nlohmann::json json_of(const Field& field) {
    return field;
  }
  template <class Field>
  static nlohmann::json json_of(const std::optional<Field>& field) {
    return field ? json_of(*field) : nlohmann::json();
  }
  static nlohmann::json json_of(GenerateProfile profile) { return name(profile); }
  static nlohmann::json json_of(const DetectorSet& detectors) { return detect_text(detectors); }
  // Of what is long, a short name.
  static nlohmann::json json_of(const Around& around);
  static nlohmann::json json_of(const KnownFindings& known);

  nlohmann::json json_ = nlohmann::json::object();
};

// What CampaignOptions::cases says of cases that this version draws, as JSON on one line.
std::string describe_cases(std::string_view version, const DrawOptions& options);

// The description of a campaign, as JSON on one line.
std::string describe(const CampaignOptions& options);

// What a report shows of a description. What a description of another version does not say is empty.
struct DescribedCampaign {
  std::optional<uint64_t> seed;
  std::string profile;
  std::vector<std::string> faults;
};
DescribedCampaign read_description(const std::string& text);

}  // namespace parallax
