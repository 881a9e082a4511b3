#include "corpus/sighting.h"

#include <gtest/gtest.h>

#include "oracle/judgement_text.h"

namespace parallax {
namespace {

Sighting sample() {
  Sighting sighting;
  sighting.detail = "Traceback\nKeyError: \"b\"\n";
  sighting.tensors = {{.run = {RunKind::Later, 2},
                       .place = {PlaceKind::Buffer, 1, "cache"},
                       .type = "f32[3]",
                       .total = 3,
                       .outside = 1,
                       .undecided = 1,
                       .other = "",
                       .rows = {{"[0]", "1", "[0.9, 1.1]", "2", "8.4e+06", ElementState::Outside},
                                {"[1]", "unbounded", "", "3", "", ElementState::Undecided}}},
                      {.run = {}, .place = {}, .type = "f32[]", .other = "has the type f32[1]", .rows = {}}};
  sighting.stages = {{"export", "match", false, {}}, {"lower", "mismatch: a", true, {"one", "two"}}};
  return sighting;
}

TEST(SightingTest, ComesBackFromItsJson) {
  const std::string json = sighting_json(sample());
  const auto read = parse_sighting(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(sighting_json(*read), json);
  EXPECT_EQ(read->detail, sample().detail);
  EXPECT_EQ(read->tensors[0].run, (RunId{RunKind::Later, 2}));
  EXPECT_EQ(read->tensors[0].place, sample().tensors[0].place);
  EXPECT_EQ(read->tensors[0].rows[1].state, ElementState::Undecided);
  EXPECT_EQ(read->tensors[1].other, "has the type f32[1]");
  EXPECT_TRUE(read->stages[1].wrong);
  EXPECT_EQ(read->stages[1].lines.size(), 2U);
}

TEST(SightingTest, EveryKindOfRunComesBack) {
  for (int kind = 0; kind <= static_cast<int>(RunKind::LaterOnFreshInstance); ++kind) {
    Sighting sighting = sample();
    sighting.tensors[0].run.kind = static_cast<RunKind>(kind);
    const auto read = parse_sighting(sighting_json(sighting));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->tensors[0].run.kind, sighting.tensors[0].run.kind) << run_text(sighting.tensors[0].run);
  }
}

TEST(SightingTest, WhatIsBrokenIsNamedByItsPlace) {
  EXPECT_EQ(parse_sighting(R"({"tensors": [], "stages": [{"name": "a", "said": "b", "wrong": 1}]})").error().pointer,
            "/stages/0/wrong");
  EXPECT_FALSE(parse_sighting(R"({"stages": []})"));
  EXPECT_FALSE(parse_sighting("{"));
  std::string json = sighting_json(sample());
  json.replace(json.find("\"buffer\""), 8, "\"pocket\"");
  EXPECT_EQ(parse_sighting(json).error().pointer, "/tensors/0/place");
}

}  // namespace
}  // namespace parallax
