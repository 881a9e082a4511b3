// How far a campaign is, written down: a state comes back as it was, and a campaign that is killed again and again ends
// as one that was let alone.
#include "fuzz/campaign/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "fuzz/campaign/description.h"
#include "graph/text_file.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LedgerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / fmt::format("parallax_ledger_{}", ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A campaign with faults that are found among its cases. `also` is told of each judged case.
  CampaignOptions campaign(const std::string& folder, std::function<void(uint64_t k)> also = nullptr) {
    CampaignOptions options;
    options.targets = {"portable"};
    options.target_options.faults = {"F01", "F03", "F06", "F07", "F08", "F36", "F39"};
    options.cases = "the same";
    options.seed = 31;
    options.reduce_seconds = 1000;  // how far a reduction comes must not depend on the machine
    options.findings = folder_ / folder;
    options.source = [](uint64_t k) -> std::optional<Case> {
      if (k >= 240) return std::nullopt;
      Choices choices(31, k);
      GenerateOptions small = testing::portable_options();
      small.max_nodes = 8;
      return generate(choices, small);
    };
    options.callbacks.on_case = [also = std::move(also)](const std::string&, uint64_t k, const Case&,
                                                         const Examination&) {
      if (also) also(k);
    };
    return options;
  }

  fs::path folder_;
};

std::vector<std::string> signatures_of(const CampaignResult& result) {
  std::vector<std::string> signatures;
  for (const CampaignFinding& found : result.findings) {
    signatures.push_back(
        fmt::format("{} {} {}", *found.finding.index, found.finding.signature, found.folder.filename().string()));
  }
  return signatures;
}

Tally without_seconds(Tally tally) {
  tally.seconds = 0;
  tally.spent = {};
  return tally;
}

TEST_F(LedgerTest, ACampaignThatIsKilledEndsAsOneThatIsNot) {
  const auto whole = run_campaign(campaign("whole"));
  ASSERT_TRUE(whole) << whole.error().text();
  ASSERT_GT(whole->findings.size(), 2U);
  int kills = 0;
  for (uint64_t until = 15; until < 240; until += 30) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      static_cast<void>(run_campaign(campaign("killed", [&](uint64_t k) {
        if (k == until) ::kill(::getpid(), SIGKILL);
      })));
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    kills += WIFSIGNALED(status);
  }
  EXPECT_GT(kills, 3);
  int64_t judged_before = 0;
  CampaignOptions last = campaign("killed");
  last.callbacks.on_resume = [&](int64_t cases) { judged_before = cases; };
  const auto resumed = run_campaign(last);
  ASSERT_TRUE(resumed) << resumed.error().text();
  EXPECT_GT(judged_before, 0);
  EXPECT_EQ(signatures_of(*resumed), signatures_of(*whole));
  EXPECT_EQ(without_seconds(resumed->tallies.at("portable")), without_seconds(whole->tallies.at("portable")));
}

TEST_F(LedgerTest, AFinishedCampaignBeginsAnew) {
  CampaignOptions options = campaign("findings");
  options.reduce = false;
  bool resumed = false;
  options.callbacks.on_resume = [&](int64_t) { resumed = true; };
  const auto first = run_campaign(options);
  const auto second = run_campaign(options);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(resumed);
  EXPECT_EQ(signatures_of(*second), signatures_of(*first));
}

TEST_F(LedgerTest, AStateComesBackAsItWas) {
  CampaignState state;
  state.seconds = 2.5;
  state.more = "a \"text\"";
  state.looks["look | \n x"] = {3, 9};
  state.lanes["portable"] = {8, {16, 24}, 1.25, {}};
  state.lanes["portable"].tally.refusals["no kernel"] = 2;
  CampaignFinding known;
  known.finding.signature = "mismatch | s";
  known.finding.target = "portable";
  known.finding.index = 4;
  known.known_cases = 3;
  known.known = KnownFinding{"mismatch | s", "", {}, "", ""};
  state.findings = {known};
  ASSERT_TRUE(write_text_file(folder_ / "known.jsonl", "{\"signature\": \"mismatch | s\"}\n"));
  const auto entries = KnownFindings::read(folder_ / "known.jsonl", "2026-01-01");
  ASSERT_TRUE(entries) << entries.error().text();
  const auto no_case = [](uint64_t) -> std::optional<Case> { return std::nullopt; };
  {
    auto ledger = Ledger::open(folder_, "d", false);
    ASSERT_TRUE(ledger) << ledger.error().text();
    EXPECT_FALSE(*ledger->unfinished(*entries, no_case));
    ASSERT_TRUE(ledger->save(state, false));
    state.findings.front().known_cases = 5;
    ASSERT_TRUE(ledger->save(state, false));
  }
  EXPECT_FALSE(*Ledger::open(folder_, "another", false)->unfinished(*entries, no_case));
  auto again = Ledger::open(folder_, "d", false);
  ASSERT_TRUE(again);
  const auto back = again->unfinished(*entries, no_case);
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_TRUE(*back);
  EXPECT_EQ((*back)->seconds, 2.5);
  EXPECT_EQ((*back)->more, state.more);
  EXPECT_EQ((*back)->looks, state.looks);
  EXPECT_EQ((*back)->lanes.at("portable").next, 8U);
  EXPECT_EQ((*back)->lanes.at("portable").ahead, (std::set<uint64_t>{16, 24}));
  EXPECT_EQ((*back)->lanes.at("portable").tally, state.lanes.at("portable").tally);
  ASSERT_EQ((*back)->findings.size(), 1U);
  EXPECT_EQ((*back)->findings[0].known_cases, 5);
  ASSERT_TRUE((*back)->findings[0].known);
  EXPECT_FALSE(*Ledger::open(folder_, "d", true)->unfinished(*entries, no_case));
}

// What an earlier process served out of order is not served again, whichever turn is finished first.
TEST_F(LedgerTest, TurnsThatAreAheadAreNotServedAgain) {
  std::multiset<uint64_t> served;
  CampaignOptions options = campaign("ahead", [&](uint64_t k) { served.insert(k); });
  options.cases_a_turn = 1;
  options.jobs = 1;
  options.reduce = false;
  fs::create_directories(folder_ / "ahead");
  CampaignState state;
  state.lanes["portable"] = {0, {1, 2, 5}, 1, {}};
  auto ledger = Ledger::open(folder_ / "ahead", describe(options), false);
  ASSERT_TRUE(ledger && ledger->save(state, false));
  ledger = fail("closed");
  const auto result = run_campaign(options);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(served.size(), 237U);
  for (uint64_t k = 0; k < 240; ++k) EXPECT_EQ(served.count(k), k == 1 || k == 2 || k == 5 ? 0U : 1U) << k;
}

TEST_F(LedgerTest, WhatIsNoLedgerIsRefusedAndLeftAlone) {
  const std::string nonsense(4096, 'x');
  ASSERT_TRUE(write_text_file(folder_ / "campaigns.db", nonsense));
  const auto refused = run_campaign(campaign(""));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("campaigns.db"));
  EXPECT_THAT(refused.error().text(), HasSubstr("not a database"));
  EXPECT_EQ(*read_text_file(folder_ / "campaigns.db"), nonsense);
  fs::remove(folder_ / "campaigns.db");
  {
    auto newer = Database::open(folder_ / "campaigns.db", 7, "CREATE TABLE t (x);");
    ASSERT_TRUE(newer) << newer.error().text();
  }
  const auto of_another = Ledger::open(folder_, "d", false);
  ASSERT_FALSE(of_another);
  EXPECT_THAT(of_another.error().text(), HasSubstr("is of format 7"));
}

TEST_F(LedgerTest, AStateThatWasTamperedWithIsSaidSo) {
  {
    auto ledger = Ledger::open(folder_, "d", false);
    CampaignState state;
    state.lanes["portable"];
    ASSERT_TRUE(ledger && ledger->save(state, false));
    auto database = Database::open(folder_ / "campaigns.db", 1, "");
    ASSERT_TRUE(database && database->run("UPDATE lanes SET tally = '{}'"));
  }
  const auto back =
      Ledger::open(folder_, "d", false)->unfinished({}, [](uint64_t) -> std::optional<Case> { return std::nullopt; });
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().text(), HasSubstr("a tally cannot be read"));
}

TEST_F(LedgerTest, AReportReadsWhatCampaignsWrote) {
  EXPECT_TRUE(recorded_campaigns(folder_)->empty());
  const auto result = run_campaign(campaign(""));
  ASSERT_TRUE(result) << result.error().text();
  const auto records = recorded_campaigns(folder_);
  ASSERT_TRUE(records) << records.error().text();
  ASSERT_EQ(records->size(), 1U);
  const CampaignRecord& record = records->front();
  EXPECT_EQ(record.description, describe(campaign("")));
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.tallies, result->tallies);
  ASSERT_EQ(record.findings.size(), result->findings.size());
  for (std::size_t i = 1; i < record.findings.size(); ++i) {
    EXPECT_LE(record.findings[i - 1].graph, record.findings[i].graph);
  }
  auto database = Database::open(folder_ / "campaigns.db", 1, "");
  ASSERT_TRUE(database && database->run("UPDATE campaigns SET seconds = 'x'"));
  EXPECT_THAT(recorded_campaigns(folder_).error().text(), HasSubstr("a campaign cannot be read"));
}

TEST_F(LedgerTest, CampaignsAreCopiedUntilTheyAreThere) {
  const fs::path part = folder_ / "part", whole = folder_ / "whole";
  fs::create_directories(part);
  fs::create_directories(whole);
  const auto copy = [&] {
    return copy_campaigns(part, whole, [&](const std::string& signature) { return "kept as " + signature; });
  };
  EXPECT_EQ(*copy(), 0);  // no ledger
  CampaignState state;
  state.seconds = 2;
  state.more = "more";
  state.looks["look"] = {3};
  state.lanes["portable"] = {8, {16}, 1.25, {}};
  state.lanes["portable"].tally.refusals["no kernel"] = 2;
  CampaignFinding found;
  found.finding.signature = "s";
  found.finding.target = "portable";
  found.finding.index = 4;
  found.folder = part / "s";
  state.findings = {found};
  auto ledger = Ledger::open(part, "d", false);
  ASSERT_TRUE(ledger && ledger->save(state, false));
  ASSERT_TRUE(Ledger::open(part, "wrote nothing", false));
  EXPECT_EQ(*copy(), 1);
  EXPECT_EQ(*copy(), 0);
  state.seconds = 3;
  state.lanes["portable"].next = 32;
  ASSERT_TRUE(ledger->save(state, true));
  EXPECT_EQ(*copy(), 1);
  const auto records = recorded_campaigns(whole);
  ASSERT_TRUE(records && records->size() == 1);
  const CampaignRecord& record = records->front();
  EXPECT_EQ(record.description, "d");
  EXPECT_EQ(record.begun, recorded_campaigns(part)->front().begun);
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.seconds, 3);
  EXPECT_EQ(record.more, "more");
  EXPECT_EQ(record.tallies.at("portable").refusals, state.lanes["portable"].tally.refusals);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].graph, 4U);
  auto database = Database::open(whole / "campaigns.db", 1, "");
  ASSERT_TRUE(database);
  EXPECT_EQ(std::get<std::string>(database->run("SELECT folder FROM findings")->at(0).at(0)), "kept as s");
  EXPECT_EQ(std::get<std::string>(database->run("SELECT ahead FROM lanes")->at(0).at(0)), "[16]");
}

}  // namespace
}  // namespace parallax
