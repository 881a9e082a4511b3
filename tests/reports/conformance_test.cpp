#include "reports/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/conformance_page.h"
#include "tests/reports/well_formed.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;
using testing::xml_error;

ConformanceTable table(const std::string& ops, const std::string& version = "1") {
  auto read = parse_conformance(R"({"target": "t", "versions": {"lib": ")" + version + R"("}, "ops": )" + ops + "}");
  EXPECT_TRUE(read) << read.error().text();
  return read ? *std::move(read) : ConformanceTable();
}

TEST(ConformanceTest, ATableComesBackFromItsJson) {
  const ConformanceTable read =
      table(R"([{"op": "aten.neg.default", "dtypes": {"f32": "right", "i64": "declined"}, "why": "no i64"}])");
  EXPECT_EQ(conformance_line(read.rows[0]),
            "aten.neg.default                                 i64 declined; f32 right;\n");
  const Json json = conformance_json(read);
  EXPECT_EQ(json["totals"]["right"], 1);
  EXPECT_EQ(conformance_json(*parse_conformance(json.dump())), json);
}

TEST(ConformanceTest, ABrokenTableIsNamedByItsPlace) {
  EXPECT_EQ(parse_conformance(R"({"target": "t", "ops": [{"op": "o", "dtypes": {"f32": "fine"}}]})").error().pointer,
            "/ops/0/dtypes/f32");
  EXPECT_FALSE(parse_conformance(R"({"ops": []})"));
  EXPECT_FALSE(parse_conformance(R"({"target": "t", "ops": [{"op": "o", "dtypes": {"f33": "right"}}]})"));
}

TEST(ConformanceTest, ADifferenceSaysWhatIsWorse) {
  const auto before = table(R"([{"op": "a", "dtypes": {"f32": "right", "f64": "wrong", "i64": "right"}, "why": "old"},
                                {"op": "b", "dtypes": {"f32": "right"}}])");
  const auto after = table(R"([{"op": "a", "dtypes": {"f32": "crashed", "f64": "right", "i64": "right"}, "why": "new"},
                               {"op": "c", "dtypes": {"f32": "right"}}])",
                           "2");
  const ConformanceDifference changed = difference(before, after);
  ASSERT_EQ(changed.changes.size(), 4U);
  EXPECT_EQ(changed.same, 1);
  EXPECT_TRUE(changed.changes[0].is_worse() && changed.changes[0].diverges());
  EXPECT_EQ(changed.changes[0].why, "new");
  EXPECT_FALSE(changed.changes[1].is_worse() || changed.changes[1].diverges());
  EXPECT_EQ(changed.changes[1].why, "old");
  EXPECT_EQ(changed.changes[2].after, std::nullopt);
  EXPECT_EQ(changed.changes[3].before, std::nullopt);
  EXPECT_THAT(difference_text(changed), HasSubstr("4 changed, 1 of them for the worse, 1 the same"));
  EXPECT_EQ(difference_json(changed)["changes"].size(), 4U);
}

TEST(ConformanceTest, APageBeginsWithWhatIsUndecidedAndACellOpensItsCase) {
  const ConformanceTable some =
      table(R"([{"op": "a", "dtypes": {"f32": "right"}}, {"op": "b", "dtypes": {"f32": "wrong"}},
                                          {"op": "c", "dtypes": {"f32": "undecided"}}])");
  OpCells cells{"b", {}};
  cells.cells[static_cast<std::size_t>(DType::F32)] =
      CellCase{"wrong: 1 is 2", "x = b(y)", "{}", "parallax gen --op b"};
  const std::string page = conformance_page(some, {cells});
  EXPECT_EQ(xml_error(page), "");
  const auto row = [&](const char* op) { return page.find(std::string("<th scope=\"row\">") + op + "<"); };
  EXPECT_LT(row("c"), row("b"));
  EXPECT_LT(row("b"), row("a"));
  EXPECT_TRUE(page.contains("<a href=\"#c-b-f32\""));
  EXPECT_TRUE(page.contains("<section id=\"c-b-f32\""));
  EXPECT_TRUE(page.contains("wrong: 1 is 2"));
}

TEST(ConformanceTest, PagesAreWellFormedWhateverATargetSays) {
  ConformanceTable hostile = table(R"([{"op": "\"><script>", "dtypes": {"f32": "wrong"}, "why": "<b>&\u0001"}])");
  hostile.target = "\"><script>alert(1)";
  EXPECT_EQ(xml_error(conformance_page(hostile)), "");
  EXPECT_EQ(xml_error(difference_page(difference(hostile, table("[]")))), "");
  EXPECT_EQ(conformance_page(hostile).find("<script>alert"), std::string::npos);
}

}  // namespace
}  // namespace parallax
