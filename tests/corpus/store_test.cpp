#include "corpus/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "graph/case_json.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("parallax_store_{}", ::getpid());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  FindingStore opened() const {
    auto store = FindingStore::open(folder_);
    EXPECT_TRUE(store) << store.error().text();
    return *std::move(store);
  }
  fs::path folder_;
};

Finding sample(const std::string& signature) {
  auto test = parse_case(R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, 2]}})");
  EXPECT_TRUE(test);
  Finding finding;
  finding.target = "portable";
  finding.verdict = Verdict::Mismatch;
  finding.signature = signature;
  finding.original = *test;
  finding.reduced = *test;
  finding.explanation = "portable · mismatch\n";
  finding.reason = "out[0] a: expected 1, got 2";
  finding.planted = {"F01"};
  finding.seed = UINT64_MAX;
  finding.index = 12;
  finding.versions = {{"parallax", "0.1.0"}};
  return finding;
}

TEST_F(Store, WhatTheTargetCompiledLiesBesideTheFinding) {
  FindingStore store = opened();
  Finding finding = sample("crash | executorch-portable | run");
  finding.artifacts = {{"model.pte", std::string("\0ET12", 5)}, {"part/data", "more"}};
  const auto path = store.add(finding);
  ASSERT_TRUE(path) << path.error().text();
  for (const auto& [name, content] : finding.artifacts) EXPECT_EQ(read_text_file(*path / "artifact" / name), content);
}

TEST_F(Store, AFindingIsReadBackAsItWasWritten) {
  FindingStore store = opened();
  Finding finding = sample("mismatch | portable | values | neg");
  const auto path = store.add(finding);
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_EQ(*path, folder_ / finding.id);
  EXPECT_THAT(finding.id, testing::MatchesRegex("[0-9A-HJKMNP-TV-Z]{4}"));
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(*path)) files.insert(entry.path().filename());
  // No script drives a target of ours.
  EXPECT_EQ(files, (std::set<std::string>{"case.json", "reduced.json", "finding.json", "explanation.txt"}));

  const auto again = load_finding(*path);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->id, finding.id);
  EXPECT_EQ(again->target, finding.target);
  EXPECT_EQ(again->verdict, finding.verdict);
  EXPECT_EQ(again->signature, finding.signature);
  EXPECT_EQ(again->explanation, finding.explanation);
  EXPECT_EQ(again->planted, finding.planted);
  EXPECT_EQ(again->reason, finding.reason);
  EXPECT_EQ(again->seed, finding.seed);
  EXPECT_EQ(again->index, finding.index);
  EXPECT_EQ(again->versions, finding.versions);
  EXPECT_EQ(to_json(again->original), to_json(finding.original));
  EXPECT_EQ(to_json(again->reduced), to_json(finding.reduced));
}

TEST_F(Store, WhatTheTargetDidIsReadBackWithWhatWasFoundOutLater) {
  FindingStore store = opened();
  Finding finding = sample("mismatch | torch-inductor | values | neg");
  finding.sighting.emplace().detail = "Traceback";
  const auto path = store.add(finding);
  ASSERT_TRUE(path) << path.error().text();
  ASSERT_TRUE(store_releases(*path, {"torch", "2.5.0", "", true, {{"2.5.0", "mismatch", true}}}));
  ASSERT_TRUE(store_environment(*path, "PyTorch version: 2.13.0\n"));
  const auto again = load_finding(*path);
  ASSERT_TRUE(again) << again.error().text();
  ASSERT_TRUE(again->sighting && again->releases);
  EXPECT_EQ(again->sighting->detail, "Traceback");
  EXPECT_EQ(again->releases->first_bad, "2.5.0");
  EXPECT_EQ(again->environment, "PyTorch version: 2.13.0\n");
  ASSERT_TRUE(write_text_file(*path / "sighting.json", "{}"));
  const auto broken = load_finding(*path);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().file, (*path / "sighting.json").string());
}

TEST_F(Store, AKnownSignatureIsNotWrittenAgain) {
  FindingStore store = opened();
  Finding first = sample("one");
  Finding second = sample("one");
  ASSERT_TRUE(store.add(first));
  ASSERT_TRUE(store.add(second));
  EXPECT_EQ(first.id, second.id);
  const auto findings = load_findings(folder_);
  ASSERT_TRUE(findings);
  EXPECT_EQ(findings->size(), 1U);
}

TEST_F(Store, ALaterCampaignKnowsWhatIsThere) {
  Finding finding = sample("one");
  {
    FindingStore store = opened();
    EXPECT_EQ(store.find("one"), nullptr);
    ASSERT_TRUE(store.add(finding));
  }
  const FindingStore store = opened();
  ASSERT_NE(store.find("one"), nullptr);
  EXPECT_EQ(*store.find("one"), finding.id);
}

TEST_F(Store, TwoCampaignsMayWriteTheSameFinding) {
  FindingStore one = opened();
  FindingStore other = opened();
  Finding first = sample("one");
  Finding second = sample("one");
  ASSERT_TRUE(one.add(first));
  const auto path = other.add(second);
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_EQ(load_findings(folder_)->size(), 1U);
}

TEST_F(Store, LeavesNothingHalfWritten) {
  FindingStore store = opened();
  Finding finding = sample("one");
  ASSERT_TRUE(store.add(finding));
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().filename().string(), finding.id);
}

TEST_F(Store, AFolderThatCannotBeWrittenIsSaidSo) {
  ASSERT_TRUE(write_text_file(folder_, "a file where the folder should be"));
  const auto below = FindingStore::open(folder_ / "findings");
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().text(),
            (folder_ / "findings").string() + ": the findings folder cannot be made: Not a directory");
  const auto at = FindingStore::open(folder_);
  ASSERT_FALSE(at);
  EXPECT_THAT(at.error().text(), testing::StartsWith(folder_.string() + ": the findings folder cannot be"));
  fs::remove(folder_);
}

TEST_F(Store, ABrokenEntryIsReportedAndDoesNotStopTheOthers) {
  Finding finding = sample("one");
  {
    FindingStore store = opened();
    ASSERT_TRUE(store.add(finding));
  }
  fs::create_directory(folder_ / "ZZZZ");
  ASSERT_TRUE(write_text_file(folder_ / "ZZZZ" / "finding.json", R"({"id": "ZZZZ", "target": 3})"));
  EXPECT_TRUE(FindingStore::open(folder_));
  const auto findings = load_findings(folder_);
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->size(), 2U);
  EXPECT_TRUE((*findings)[0]);
  EXPECT_EQ((*findings)[1].error().text(), (folder_ / "ZZZZ/finding.json").string() + ": /target: must be a string");
}

TEST_F(Store, AnIdThatIsTakenByAnotherSignatureIsMadeLonger) {
  FindingStore store = opened();
  Finding finding = sample("one");
  fs::create_directory(folder_ / short_id("one", 4));
  ASSERT_TRUE(store.add(finding));
  EXPECT_EQ(finding.id, short_id("one", 5));
}

TEST(ShortId, IsStableAndSpreads) {
  EXPECT_EQ(short_id("one", 6).substr(0, 4), short_id("one", 4));
  std::set<std::string> ids;
  for (int i = 0; i < 200; ++i) ids.insert(short_id(fmt::format("signature {}", i), 4));
  EXPECT_GT(ids.size(), 195U);
}

}  // namespace
}  // namespace parallax
