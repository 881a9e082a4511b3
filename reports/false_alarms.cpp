#include "reports/false_alarms.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/json_lines.h"

namespace parallax {
namespace {

Result<int64_t> read_count(const Field& field) {
  TRY(const int64_t count, field.integer());
  if (count < 0) return field.fail("a count is not below 0");
  return count;
}

Result<void> read_targets(const Field& field, ExaminedCampaign& campaign) {
  TRY_VOID(field.expect_object());
  return for_each_member(field, [&](const std::string& name, const Field& target) -> Result<void> {
    TRY_VOID(target.expect_object());
    ExaminedTarget& examined = campaign.targets[name];
    return for_each_member(target, [&](const std::string& key, const Field& value) -> Result<void> {
      if (key != "seconds" && key != "graphs") return value.fail("'{}' is no member of a target", key);
      TRY((key == "seconds" ? examined.seconds : examined.graphs), read_count(value));
      return {};
    });
  });
}

Result<void> read_names(const Field& field, std::vector<std::string>& names) {
  TRY_VOID(field.expect_array());
  for (std::size_t i = 0; i < field.json().size(); ++i) {
    TRY(names.emplace_back(), field.element(i).text());
  }
  return {};
}

Result<void> read_member(const std::string& key, const Field& value, ExaminedCampaign& campaign) {
  if (key == "targets") return read_targets(value, campaign);
  if (key == "ours_on") return read_names(value, campaign.ours_on);
  if (key == "unexamined_on") return read_names(value, campaign.unexamined_on);
  std::optional<int64_t>* count = key == "seed"       ? &campaign.seed
                                  : key == "graphs"   ? &campaign.graphs
                                  : key == "findings" ? &campaign.findings
                                  : key == "ours"     ? &campaign.ours
                                                      : nullptr;
  std::string* text = key == "date"     ? &campaign.date
                      : key == "commit" ? &campaign.commit
                      : key == "note"   ? &campaign.note
                                        : nullptr;
  if (count != nullptr) {
    TRY(*count, read_count(value));
  } else if (text != nullptr) {
    TRY(*text, value.text());
  } else {
    return value.fail("'{}' is no member of an examined campaign", key);
  }
  return {};
}

Result<void> check_names(const Field& object, std::string_view key, const std::vector<std::string>& names,
                         const ExaminedCampaign& campaign) {
  for (const std::string& name : names) {
    if (!campaign.targets.contains(name)) return object.fail("'{}' names '{}', which is none of 'targets'", key, name);
  }
  return {};
}

Result<void> check_together(const Field& object, const ExaminedCampaign& campaign) {
  if (campaign.targets.empty()) return object.fail("'targets' is missing or empty");
  TRY_VOID(check_names(object, "ours_on", campaign.ours_on, campaign));
  TRY_VOID(check_names(object, "unexamined_on", campaign.unexamined_on, campaign));
  if (campaign.ours && *campaign.ours < static_cast<int64_t>(campaign.ours_on.size())) {
    return object.fail("'ours' is less than the number of targets in 'ours_on'");
  }
  if (campaign.ours.value_or(0) > 0 && campaign.ours_on.empty()) return object.fail("'ours_on' is missing");
  return {};
}

Result<void> read_campaign(const Field& object, ExaminedCampaign& campaign) {
  TRY_VOID(for_each_member(
      object, [&](const std::string& key, const Field& value) { return read_member(key, value, campaign); }));
  return check_together(object, campaign);
}

std::string count_text(const std::optional<int64_t>& count) { return count ? fmt::format("{}", *count) : ""; }

// "300", or "180 to 540" where the targets ran for different times.
std::string seconds_text(const ExaminedCampaign& campaign) {
  std::set<int64_t> seconds;
  for (const auto& [name, target] : campaign.targets) {
    if (target.seconds) seconds.insert(*target.seconds);
  }
  if (seconds.empty()) return "";
  if (seconds.size() == 1) return fmt::format("{}", *seconds.begin());
  return fmt::format("{} to {}", *seconds.begin(), *seconds.rbegin());
}

std::string clean_table(const std::vector<ExaminedCampaign>& campaigns) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [target, run] : clean_runs(campaigns)) {
    const std::string graphs = !run.graphs_missing ? fmt::format("{}", run.graphs)
                               : run.graphs > 0    ? fmt::format("at least {}", run.graphs)
                                                   : "";
    rows.push_back({fmt::format("`{}`", target), fmt::format("{}", run.campaigns),
                    fmt::format("{}", (run.seconds + 30) / 60), graphs, run.last_alarm});
  }
  return markdown_table({"target", "campaigns", "minutes", "graphs", "last false alarm"}, rows);
}

std::string campaign_table(const std::vector<ExaminedCampaign>& campaigns) {
  std::vector<std::vector<std::string>> rows;
  for (const ExaminedCampaign& campaign : campaigns) {
    const std::string targets =
        campaign.targets.size() == 1 ? campaign.targets.begin()->first : fmt::format("{}", campaign.targets.size());
    rows.push_back({campaign.date, campaign.commit, count_text(campaign.seed), targets, seconds_text(campaign),
                    count_text(campaign.graphs), count_text(campaign.findings), count_text(campaign.ours),
                    fmt::format("{}", fmt::join(campaign.ours_on, ", ")),
                    fmt::format("{}", fmt::join(campaign.unexamined_on, ", ")), markdown_cell(campaign.note)});
  }
  return markdown_table({"date", "commit", "seed", "targets", "seconds per target", "graphs", "findings",
                         "false alarms", "on targets", "not all looked at", "note"},
                        rows);
}

}  // namespace

Result<std::vector<ExaminedCampaign>> parse_examined(const std::string& file, std::string_view text,
                                                     std::vector<Error>* broken) {
  std::vector<ExaminedCampaign> campaigns;
  const auto read = [&](const Field& object) -> Result<void> {
    ExaminedCampaign campaign;
    TRY_VOID(read_campaign(object, campaign));
    campaigns.push_back(std::move(campaign));
    return {};
  };
  TRY_VOID(for_each_json_line(file, text, read, broken));
  return campaigns;
}

std::map<std::string, CleanRun> clean_runs(const std::vector<ExaminedCampaign>& campaigns) {
  std::map<std::string, CleanRun> runs;
  for (const ExaminedCampaign& campaign : campaigns) {
    for (const auto& [name, target] : campaign.targets) {
      CleanRun& run = runs[name];
      const bool is_alarm = std::ranges::count(campaign.ours_on, name) > 0;
      if (is_alarm || std::ranges::count(campaign.unexamined_on, name) > 0) {
        run = {.last_alarm = is_alarm ? campaign.date : run.last_alarm};
        continue;
      }
      const auto graphs = campaign.targets.size() == 1 && !target.graphs ? campaign.graphs : target.graphs;
      ++run.campaigns;
      run.seconds += target.seconds.value_or(0);
      run.graphs += graphs.value_or(0);
      run.graphs_missing |= !graphs;
    }
  }
  return runs;
}

GeneratedPage false_alarm_page(const std::vector<ExaminedCampaign>& campaigns) {
  std::string text = generated_note("bugs/false-alarms.jsonl");
  text += R"(# Graphs without a false alarm

A false alarm is a finding whose fault is in Parallax: a bound that is too narrow for what the system may do, an error
in an adapter, or a documented limit of the system that is taken for a bug. The findings of the campaigns below were
looked at by hand; notes tell where they were only read. [Targets](../docs/targets.md#false-alarms) tells how to
recognize a false alarm.

## Since the last false alarm

)";
  text += clean_table(campaigns);
  text += R"(
Campaigns count from the last one with a false alarm, or with a finding that nobody looked at. "At least": some counted
their graphs over all targets together.

## Campaigns

Of a campaign with several targets, the counts are totals. An empty cell is not known.

)";
  text += campaign_table(campaigns);
  return {"false-alarms.md", std::move(text)};
}

}  // namespace parallax
