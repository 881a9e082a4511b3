#include "backends/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_text.h"
#include "corpus/signature.h"

namespace parallax {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<AuditFinding> audited(const std::string& text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  const auto findings = audit_answer(parallax::Field(*json, ""));
  EXPECT_TRUE(findings) << findings.error().text();
  return findings ? *findings : std::vector<AuditFinding>();
}

auto finding(AuditKind kind, const std::string& part) {
  return AllOf(Field(&AuditFinding::kind, kind), Field(&AuditFinding::what, HasSubstr(part)));
}

std::string delegate(const std::string& declared) {
  return R"({"audit": 1, "delegates": [{"name": "d", "passed": ["v0", "v1", "v2"])" + declared + "}]}";
}

TEST(Audit, ADelegateThatDeclaresWhatItsCallPasses) {
  EXPECT_THAT(audited(delegate(R"(, "inputs": [0], "outputs": [4, 5])")), IsEmpty());
  EXPECT_THAT(audited(delegate("")), IsEmpty()) << "nobody can read its blob";
}

// What ExecuTorch 1.4.1 makes of S1: two outputs became one.
TEST(Audit, ASlotThatNoOutputIsWrittenTo) {
  EXPECT_THAT(audited(delegate(R"(, "inputs": [0], "outputs": [4])")),
              ElementsAre(finding(AuditKind::Delegate,
                                  "declares 1 inputs and 1 outputs, the call passes 3 values: two equal outputs")));
  EXPECT_THAT(audited(delegate(R"(, "inputs": [0, 1], "outputs": [4, 5])")),
              ElementsAre(finding(AuditKind::Delegate, "passes only 3 values")));
}

// What is passed through is copied: each output has a staging buffer of its own.
TEST(Audit, OutputsDeclaredTwiceOrPassedThrough) {
  EXPECT_THAT(audited(delegate(R"(, "inputs": [0], "outputs": [4, 4])")),
              ElementsAre(finding(AuditKind::Delegate, "value 4 is declared as an output twice")));
  EXPECT_THAT(audited(delegate(R"(, "inputs": [0], "outputs": [0, 5])")), IsEmpty());
}

std::string function(const std::string& outputs) {
  return R"({"functions": [{"name": "main", "outputs": )" + outputs +
         R"(, "state_writes": [{"state": "cache", "carries": ["cast_0", "slice_update", "merged"]}]}]})";
}

TEST(Audit, AnOutputThatIsTheSourceOfAStateUpdate) {
  EXPECT_THAT(audited(function(R"(["other", "merged"])")),
              ElementsAre(finding(AuditKind::State,
                                  "output 'merged' is also the source of the update of state 'cache' (written "
                                  "as 'cast_0', 'slice_update', 'merged'): ")));
  EXPECT_THAT(audited(function(R"(["sum"])")), IsEmpty()) << "a value computed from it is harmless";
}

// One cause has one signature, whichever values carry what is written.
TEST(Audit, NamesAreQuotedSoThatASignatureLeavesThemOut) {
  const auto signature = [](const std::string& carries) {
    const auto found = audited(R"({"functions": [{"name": "main", "outputs": ["a"], "state_writes": [{"state": "s", )"
                               R"("carries": [)" +
                               carries + "]}]}]}");
    return found.empty() ? "nothing found" : parallax::normalised_message(found[0].what, {});
  };
  EXPECT_EQ(signature(R"("a")"), signature(R"("cast", "relu", "a")"));
  EXPECT_THAT(signature(R"("a")"), HasSubstr("output <name> is also the source"));
}

// a's storage is reused by c while its alias b is still read.
std::string plan(int64_t end) {
  return fmt::format(R"({{"plan": 1, "arenas": {{"backend": {{"bytes": 24, "alignment": 8}}}},
    "storages": [{{"name": "a", "bytes": 8, "arena": "backend", "slot": [0, 8]}},
                 {{"name": "c", "bytes": 8, "arena": "backend", "slot": [{}, 8]}}],
    "values": [{{"name": "a", "storage": "a", "type": "f32[2]"}}, {{"name": "b", "storage": "a", "type": "f32[2]"}},
               {{"name": "c", "storage": "c", "type": "f32[2]"}}],
    "steps": [{{"name": "make", "makes": ["a"], "writes": ["a"]}}, {{"name": "overwrite", "makes": ["c"], "writes": ["c"]}},
              {{"name": "read", "reads": ["b"]}}],
    "outputs": []}})",
                     end);
}

TEST(Audit, APlanThatOverwritesALiveAlias) {
  EXPECT_THAT(audited(R"({"plans": [{"name": "forward", "plan": )" + plan(0) + "}]}"),
              ElementsAre(finding(AuditKind::Plan, "is overwritten by #1; its alias b is still read by #2")));
  EXPECT_THAT(audited(R"({"plans": [{"name": "forward", "plan": )" + plan(8) + "}]}"), IsEmpty());
}

TEST(Audit, AnAnswerThatIsNoneNamesThePlace) {
  struct Row {
    const char* text;
    const char* pointer;
  };
  for (const Row& row : {Row{"[]", ""}, Row{R"({"plans": 3})", "/plans"}, Row{R"({"plans": [{}]})", "/plans/0"},
                         Row{R"({"delegates": [{"name": "d", "passed": [1]}]})", "/delegates/0/passed/0"},
                         Row{R"({"functions": [{"name": "f", "outputs": []}]})", "/functions/0"},
                         Row{R"({"plans": [{"name": "p", "plan": {"plan": 1}}]})", "/plans/0/plan"}}) {
    const auto json = parse_json(row.text);
    ASSERT_TRUE(json) << row.text;
    const auto findings = audit_answer(parallax::Field(*json, ""));
    ASSERT_FALSE(findings) << row.text;
    EXPECT_TRUE(findings.error().pointer.starts_with(row.pointer)) << findings.error().text();
  }
}

}  // namespace
}  // namespace parallax
