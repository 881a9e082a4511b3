// docs/schemas: what is written is as they say, the cases of the corpus first of all, and what is not is seen.
#include <gtest/gtest.h>

#include <filesystem>

#include "corpus/finding.h"
#include "graph/case_json.h"
#include "graph/text_file.h"
#include "places.h"
#include "reports/conformance.h"
#include "tests/support/json_schema.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using testing::JsonSchema;

nlohmann::json read_json(const fs::path& path) {
  const auto text = read_text_file(path);
  EXPECT_TRUE(text) << path;
  return nlohmann::json::parse(text.value_or("null"));
}

JsonSchema schema(const std::string& name) {
  return JsonSchema(read_json(fs::path(PARALLAX_SOURCE_DIR) / "docs/schemas" / (name + ".schema.json")));
}

TEST(Schemas, TheCasesOfTheCorpusAreAsTheySay) {
  const JsonSchema cases = schema("case");
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PARALLAX_SOURCE_DIR) / "corpus/cases")) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_EQ(cases.complaint(read_json(entry.path())), "") << entry.path();
    ++checked;
  }
  EXPECT_GT(checked, 700);
}

TEST(Schemas, WhatIsWrittenIsAsTheySay) {
  const auto test = parse_case(R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, 2]}})");
  ASSERT_TRUE(test);
  EXPECT_EQ(schema("case").complaint(nlohmann::json::parse(to_json(*test))), "");
  Finding finding;
  finding.id = "7KQ2";
  finding.target = "torch-inductor";
  finding.signature = "mismatch | torch-inductor | values | neg";
  finding.reduced = finding.original = *test;
  finding.controls = {{"views made copies", Verdict::Match}};
  finding.repeats = Repeats{3, 20};
  finding.wrong_calls = WrongCalls::LaterAlone;
  finding.wrong_call = WrongCall{3, true, {1}};
  finding.grade = Grade::Gross;
  finding.evidence = NumericEvidence{};
  finding.evidence->eager = NumericError{};
  finding.jury = {{"pytorch-eager", Answer::Agrees, "it gives 1"}};
  finding.planted = {"F01"};
  finding.seed = finding.index = 3;
  finding.versions = {{"torch", "2.13.0"}};
  EXPECT_EQ(schema("finding").complaint(nlohmann::json::parse(finding_json(finding))), "");
  Sighting sighting;
  sighting.detail = "Traceback";
  sighting.tensors = {{.run = {},
                       .place = {PlaceKind::Output, 0, "a"},
                       .type = "f32[1]",
                       .total = 1,
                       .outside = 1,
                       .undecided = 0,
                       .other = "",
                       .rows = {{"[0]", "1", "", "-1", "1.7e+07", ElementState::Outside}}}};
  sighting.stages = {{"export", "match", false, {"line"}}};
  EXPECT_EQ(schema("sighting").complaint(nlohmann::json::parse(sighting_json(sighting))), "");
  const VersionHistory history{"onnxruntime", "1.20.0", "", true, {{"1.20.0", "mismatch", true}}};
  EXPECT_EQ(schema("versions").complaint(nlohmann::json::parse(version_history_json(history))), "");
  const auto table = parse_conformance(R"({"target": "t", "ops": [{"op": "o", "dtypes": {"f32": "right"}}]})");
  ASSERT_TRUE(table);
  EXPECT_EQ(schema("conformance").complaint(nlohmann::json::parse(conformance_json(*table).dump())), "");
}

TEST(Schemas, WhatIsNotAsTheySayIsSeen) {
  const JsonSchema cases = schema("case");
  EXPECT_EQ(cases.complaint(nlohmann::json::parse(R"({"parallax": 1, "name": "n"})")), ": graph is missing");
  EXPECT_EQ(
      cases.complaint(nlohmann::json::parse(
          R"({"parallax": 1, "name": "n", "graph": {"inputs": {}, "nodes": [{"out": "1", "op": "o"}], "outputs": []}})")),
      "/graph/nodes/0/out: \"1\"");
  EXPECT_EQ(
      cases.complaint(nlohmann::json::parse(
          R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": 3}}, "nodes": [], "outputs": []}})")),
      "/graph/inputs/x/type: is no string");
  EXPECT_EQ(schema("versions")
                .complaint(nlohmann::json::parse(
                    R"({"first_bad": null, "first_fixed": null, "still_there": true, "judged": [], "more": 1})")),
            "/more: no such member");
}

}  // namespace
}  // namespace parallax
