#include "fuzz/campaign/ledger.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "core/json_text.h"
#include "corpus/store.h"

namespace parallax {
namespace {

constexpr std::string_view ledger_file = "campaigns.db";
constexpr int format = 1;
constexpr std::string_view schema = R"sql(
CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY,
  description TEXT NOT NULL,
  begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  process INTEGER NOT NULL,            -- that runs it, or ran it last
  finished INTEGER NOT NULL DEFAULT 0,
  seconds REAL NOT NULL DEFAULT 0,
  looks TEXT NOT NULL DEFAULT '{}',    -- cases that were reduced, by failure class
  more TEXT NOT NULL DEFAULT ''
);
CREATE INDEX campaigns_by_description ON campaigns (description);
CREATE TABLE lanes (
  campaign INTEGER NOT NULL REFERENCES campaigns (id),
  target TEXT NOT NULL,
  next INTEGER NOT NULL,
  ahead TEXT NOT NULL,
  seconds REAL NOT NULL,
  tally TEXT NOT NULL,
  PRIMARY KEY (campaign, target)
);
CREATE TABLE findings (
  campaign INTEGER NOT NULL REFERENCES campaigns (id),
  signature TEXT NOT NULL,
  target TEXT NOT NULL,
  verdict TEXT NOT NULL,
  graph INTEGER NOT NULL,              -- its number in the campaign
  folder TEXT NOT NULL,                -- empty for a known finding
  reason TEXT NOT NULL,
  checks INTEGER NOT NULL,
  seconds REAL NOT NULL,               -- that the reduction took
  known_cases INTEGER NOT NULL,        -- 0 for one that is not known
  PRIMARY KEY (campaign, signature)
);
)sql";

// What is read of each table, in this order.
constexpr std::string_view campaign_columns = "id, description, begun, finished, seconds, more, looks";
constexpr std::string_view lane_columns = "target, next, ahead, seconds, tally";
constexpr std::string_view finding_columns =
    "signature, target, verdict, graph, folder, reason, checks, seconds, known_cases";

using Rows = Result<std::vector<Database::Row>>;

Rows lanes_of(Database& database, const Database::Value& campaign) {
  return database.run(fmt::format("SELECT {} FROM lanes WHERE campaign = ?", lane_columns), {campaign});
}

Rows findings_of(Database& database, const Database::Value& campaign) {
  return database.run(fmt::format("SELECT {} FROM findings WHERE campaign = ? ORDER BY rowid", finding_columns),
                      {campaign});
}

int64_t integer(const Database::Row& row, std::size_t i) { return std::get<int64_t>(row.at(i)); }
double real(const Database::Row& row, std::size_t i) { return std::get<double>(row.at(i)); }
const std::string& text(const Database::Row& row, std::size_t i) { return std::get<std::string>(row.at(i)); }

bool runs_elsewhere(int64_t process) {
  return process != ::getpid() && process > 0 && ::kill(static_cast<pid_t>(process), 0) == 0;
}

// A finding as it was when it was written. What its folder or the known findings say is read from there.
Result<CampaignFinding> finding_of(const Database::Row& row, const KnownFindings& known,
                                   const std::function<std::optional<Case>(uint64_t k)>& source) {
  CampaignFinding found;
  const std::string& signature = text(row, 0);
  const auto graph = static_cast<uint64_t>(integer(row, 3));
  if (const std::string& folder = text(row, 4); !folder.empty()) {
    TRY(found.finding, load_finding(folder));
    found.folder = folder;
  } else {
    found.finding.signature = signature;
    if (auto test = source(graph)) found.finding.original = found.finding.reduced = *std::move(test);
  }
  found.finding.target = text(row, 1);
  found.finding.index = graph;
  if (const auto verdict = parse_verdict(text(row, 2))) found.finding.verdict = *verdict;
  found.finding.reason = text(row, 5);
  found.checks = static_cast<int>(integer(row, 6));
  found.reduce_seconds = real(row, 7);
  found.known_cases = integer(row, 8);
  if (found.known_cases > 0) {
    const auto entry = std::ranges::find(known.entries(), signature, &KnownFinding::signature);
    if (entry != known.entries().end()) found.known = *entry;
  }
  return found;
}

}  // namespace

Result<Ledger> Ledger::open(const std::filesystem::path& folder, const std::string& description, bool fresh) {
  TRY(Database opened, Database::open(folder / ledger_file, format, schema));
  Ledger ledger(std::move(opened));
  Database& database = ledger.database_;
  const auto find_or_begin = [&]() -> Result<void> {
    TRY(const auto rows, database.run("SELECT id, process FROM campaigns WHERE description = ? AND finished = 0 "
                                      "ORDER BY id DESC",
                                      {description}));
    for (const Database::Row& row : rows) {
      if (fresh || runs_elsewhere(integer(row, 1))) continue;
      ledger.campaign_ = integer(row, 0);
      ledger.begun_before_ = true;
      TRY_VOID(database.run("UPDATE campaigns SET process = ? WHERE id = ?", {int64_t{::getpid()}, ledger.campaign_}));
      return {};
    }
    TRY_VOID(
        database.run("INSERT INTO campaigns (description, process) VALUES (?, ?)", {description, int64_t{::getpid()}}));
    ledger.campaign_ = database.last_row();
    return {};
  };
  TRY_VOID(database.in_transaction(find_or_begin));
  return ledger;
}

Result<std::optional<CampaignState>> Ledger::unfinished(const KnownFindings& known,
                                                        const std::function<std::optional<Case>(uint64_t k)>& source) {
  if (!begun_before_) return std::nullopt;
  CampaignState state;
  try {
    TRY(const auto campaigns, database_.run("SELECT seconds, looks, more FROM campaigns WHERE id = ?", {campaign_}));
    state.seconds = real(campaigns.at(0), 0);
    const Json looks = Json::parse(text(campaigns.at(0), 1));
    for (const auto& [look, cases] : looks.items()) {
      cases.get_to(state.looks[look]);
    }
    state.more = text(campaigns.at(0), 2);
    TRY(const auto lanes, lanes_of(database_, campaign_));
    for (const Database::Row& row : lanes) {
      LaneState& lane = state.lanes[text(row, 0)];
      lane.next = static_cast<uint64_t>(integer(row, 1));
      Json::parse(text(row, 2)).get_to(lane.ahead);
      lane.seconds = real(row, 3);
      TRY(lane.tally, Tally::from_json(text(row, 4)));
    }
    TRY(const auto findings, findings_of(database_, campaign_));
    for (const Database::Row& row : findings) {
      TRY(state.findings.emplace_back(), finding_of(row, known, source));
    }
  } catch (const std::exception& error) {  // a broken text, or a value of another type
    return std::unexpected(Error{ErrorKind::Invalid, database_.path().string(), "",
                                 fmt::format("the campaign {} cannot be gone on with: {}", campaign_, error.what())});
  }
  if (state.lanes.empty()) return std::nullopt;  // it was killed before it wrote anything
  return state;
}

Result<int64_t> Ledger::unfinished_others(const std::string& description) {
  TRY(const auto rows, database_.run("SELECT process FROM campaigns WHERE description != ? AND finished = 0 "
                                     "AND id IN (SELECT campaign FROM lanes)",
                                     {description}));
  return std::ranges::count_if(rows, [](const Database::Row& row) { return !runs_elsewhere(integer(row, 0)); });
}

Result<void> Ledger::save_findings(const std::vector<CampaignFinding>& findings) {
  for (const CampaignFinding& found : findings) {
    TRY_VOID(database_.run(
        "INSERT INTO findings (campaign, signature, target, verdict, graph, folder, reason, checks, seconds, "
        "known_cases) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (campaign, signature) DO UPDATE SET known_cases = excluded.known_cases",
        {campaign_, found.finding.signature, found.finding.target, std::string(name(found.finding.verdict)),
         static_cast<int64_t>(found.finding.index.value_or(0)), found.folder.string(), found.finding.reason,
         int64_t{found.checks}, found.reduce_seconds, found.known ? found.known_cases : int64_t{0}}));
  }
  return {};
}

Result<void> Ledger::save(const CampaignState& state, bool finished) {
  return database_.in_transaction([&]() -> Result<void> {
    TRY_VOID(database_.run("UPDATE campaigns SET finished = ?, seconds = ?, looks = ?, more = ? WHERE id = ?",
                           {int64_t{finished}, state.seconds, Json(state.looks).dump(), state.more, campaign_}));
    for (const auto& [target, lane] : state.lanes) {
      TRY_VOID(database_.run(
          "INSERT OR REPLACE INTO lanes (campaign, target, next, ahead, seconds, tally) VALUES (?, ?, ?, ?, ?, ?)",
          {campaign_, target, static_cast<int64_t>(lane.next), Json(lane.ahead).dump(), lane.seconds,
           lane.tally.to_json()}));
    }
    return save_findings(state.findings);
  });
}

namespace {

// The ledger of a folder; nothing where there is none.
Result<std::optional<Database>> open_if_there(const std::filesystem::path& folder) {
  std::error_code unreadable;  // then there is none
  if (!std::filesystem::exists(folder / ledger_file, unreadable)) return std::nullopt;
  TRY(Database database, Database::open(folder / ledger_file, format, schema));
  return database;
}

// The campaigns that there is a state of, the latest first.
Rows written_campaigns(Database& database) {
  return database.run(fmt::format("SELECT {} FROM campaigns WHERE id IN (SELECT campaign FROM lanes) ORDER BY id DESC",
                                  campaign_columns));
}

Error unreadable_campaign(const Database& database, const std::exception& error) {
  return {ErrorKind::Invalid, database.path().string(), "", fmt::format("a campaign cannot be read: {}", error.what())};
}

Result<CampaignRecord> record_of(Database& database, const Database::Row& campaign) {
  CampaignRecord record{
      text(campaign, 1), text(campaign, 2), integer(campaign, 3) != 0, real(campaign, 4), {}, text(campaign, 5), {}};
  TRY(const auto lanes, database.run("SELECT target, tally FROM lanes WHERE campaign = ?", {integer(campaign, 0)}));
  for (const Database::Row& lane : lanes) {
    TRY(record.tallies[text(lane, 0)], Tally::from_json(text(lane, 1)));
  }
  TRY(const auto findings, database.run("SELECT target, signature, graph FROM findings WHERE campaign = ? "
                                        "AND known_cases = 0 ORDER BY graph",
                                        {integer(campaign, 0)}));
  for (const Database::Row& found : findings) {
    record.findings.push_back({text(found, 0), text(found, 1), static_cast<uint64_t>(integer(found, 2))});
  }
  return record;
}

}  // namespace

Result<std::vector<CampaignRecord>> recorded_campaigns(const std::filesystem::path& folder) {
  std::vector<CampaignRecord> records;
  TRY(std::optional<Database> database, open_if_there(folder));
  if (!database) return records;
  TRY(const auto campaigns, written_campaigns(*database));
  try {
    for (const Database::Row& campaign : campaigns) {
      TRY(records.emplace_back(), record_of(*database, campaign));
    }
  } catch (const std::exception& error) {  // a value of another type
    return std::unexpected(unreadable_campaign(*database, error));
  }
  return records;
}

namespace {

// Removes the state of the campaign that is there, if it is an earlier one. False where it is as late.
Result<bool> make_way(Database& to, const Database::Row& campaign) {
  TRY(const auto there, to.run("SELECT id, seconds, finished FROM campaigns WHERE description = ? AND begun = ?",
                               {campaign.at(1), campaign.at(2)}));
  for (const Database::Row& row : there) {
    if (real(row, 1) >= real(campaign, 4) && integer(row, 2) >= integer(campaign, 3)) return false;
    for (const std::string_view table : {"lanes WHERE campaign", "findings WHERE campaign", "campaigns WHERE id"}) {
      TRY_VOID(to.run(fmt::format("DELETE FROM {} = ?", table), {row.at(0)}));
    }
  }
  return true;
}

Result<void> copy_campaign(Database& from, Database& to, const Database::Row& campaign,
                           const std::function<std::string(const std::string& signature)>& folder_of) {
  // No process runs the copy.
  TRY_VOID(
      to.run("INSERT INTO campaigns (process, description, begun, finished, seconds, more, looks) "
             "VALUES (0, ?, ?, ?, ?, ?, ?)",
             {campaign.begin() + 1, campaign.end()}));
  const Database::Value id = to.last_row();
  TRY(const auto lanes, lanes_of(from, campaign.at(0)));
  for (Database::Row lane : lanes) {
    lane.push_back(id);
    TRY_VOID(to.run(fmt::format("INSERT INTO lanes ({}, campaign) VALUES (?, ?, ?, ?, ?, ?)", lane_columns), lane));
  }
  TRY(const auto findings, findings_of(from, campaign.at(0)));
  for (Database::Row found : findings) {
    if (!text(found, 4).empty()) found[4] = folder_of(text(found, 0));
    found.push_back(id);
    TRY_VOID(to.run(
        fmt::format("INSERT INTO findings ({}, campaign) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", finding_columns),
        found));
  }
  return {};
}

}  // namespace

Result<int> copy_campaigns(const std::filesystem::path& from, const std::filesystem::path& to,
                           const std::function<std::string(const std::string& signature)>& folder_of) {
  TRY(std::optional<Database> source, open_if_there(from));
  if (!source) return 0;
  TRY(Database target, Database::open(to / ledger_file, format, schema));
  TRY(const auto campaigns, written_campaigns(*source));
  int copied = 0;
  try {
    for (const Database::Row& campaign : std::views::reverse(campaigns)) {  // so that the latest stays that
      bool new_there = false;
      TRY_VOID(target.in_transaction([&]() -> Result<void> {
        TRY(new_there, make_way(target, campaign));
        return new_there ? copy_campaign(*source, target, campaign, folder_of) : Result<void>();
      }));
      copied += new_there ? 1 : 0;
    }
  } catch (const std::exception& error) {  // a value of another type
    return std::unexpected(unreadable_campaign(*source, error));
  }
  return copied;
}

}  // namespace parallax
