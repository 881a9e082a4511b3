// GoogleTest cases as they are exported. The golden files are part of this program: they compile, and their verdicts
// hold.
#include "export/emit_gtest.h"

#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "graph/text_file.h"
#include "places.h"
#include "tests/support/golden.h"
#include "tests/support/sample_case.h"

namespace parallax {
namespace {

TEST(EmitGtest, OfEveryPartOfTheFormat) {
  const auto test = parse_case(full_case);
  ASSERT_TRUE(test) << test.error().text();
  expect_golden(emit_gtest(*test, {{"portable", {}, "match"}}), "exported_full_case.cpp");
}

TEST(EmitGtest, OfAPlantedFault) {
  const auto text = read_text_file(PARALLAX_SOURCE_DIR "/corpus/cases/seeds/s1-numeric-clone.json");
  ASSERT_TRUE(text);
  const auto test = parse_case(*text);
  ASSERT_TRUE(test) << test.error().text();
  expect_golden(emit_gtest(*test, {{"portable", {"F01"}, "mismatch"}, {"portable", {}, "match"}}),
                "exported_planted_fault.cpp");
}

TEST(EmitGtest, NamesAndTextStayInsideTheirLiterals) {
  auto test = parse_case(R"({"parallax": 1, "name": "9 */ \" \\ ??/", "graph": {"inputs": {"int": {"type": "f32[]"},
      "NULL": {"type": "f32[]"}}, "nodes": [{"out": "builder", "op": "aten.add.Tensor", "args": ["%int", "%NULL"]}],
      "outputs": ["%builder"]}, "feed": {"int": ["nan"], "NULL": [1]}})");
  ASSERT_TRUE(test) << test.error().text();
  const std::string text = emit_gtest(*test, {});
  EXPECT_NE(text.find("TEST(Exported, ACase)"), std::string::npos) << text;
  EXPECT_NE(text.find("const ValueId v_int = builder.add_source(SourceKind::Input, \"int\""), std::string::npos)
      << text;
  EXPECT_NE(text.find("const ValueId v_builder = builder.call(\"aten.add.Tensor\", {v_int, v_NULL}"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace parallax
