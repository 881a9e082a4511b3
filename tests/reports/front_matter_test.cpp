#include "reports/front_matter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parallax {
namespace {

using ::testing::ElementsAre;

TEST(FrontMatterTest, ValuesArePlainQuotedOrLists) {
  const auto matter = parse_front_matter(
      "---\nplain: 1 - 2, 3\nquoted: \"a: \\\"b\\\" \\\\\"\nlist: [a, \"b, c\"]\nempty: []\n---\nText\n---\n");
  ASSERT_TRUE(matter) << matter.error().text();
  ASSERT_EQ(matter->fields.size(), 4U);
  EXPECT_EQ(matter->fields[0].key, "plain");
  EXPECT_EQ(matter->fields[0].line, 2);
  EXPECT_EQ(matter->fields[0].value, FrontValue("1 - 2, 3"));
  EXPECT_EQ(matter->fields[1].value, FrontValue("a: \"b\" \\"));
  EXPECT_THAT(std::get<1>(matter->fields[2].value), ElementsAre("a", "b, c"));
  EXPECT_TRUE(std::get<1>(matter->fields[3].value).empty());
  EXPECT_EQ(matter->body, "Text\n---\n");
}

struct Broken {
  const char* text;
  const char* error;
};

class BrokenFrontMatter : public testing::TestWithParam<Broken> {};

TEST_P(BrokenFrontMatter, IsNamedByItsLine) {
  const auto matter = parse_front_matter(GetParam().text);
  ASSERT_FALSE(matter);
  EXPECT_EQ(matter.error().text(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenFrontMatter,
    testing::Values(
        Broken{"", "line 1: front matter is missing: '---' is expected"},
        Broken{"# A heading\n", "line 1: front matter is missing: '---' is expected"},
        Broken{"---\na: b\n", "front matter has no end: a second line '---' is missing"},
        Broken{"---\nno field\n---\n", "line 2: 'key: value' is expected, not 'no field'"},
        Broken{"---\n\n---\n", "line 2: 'key: value' is expected, not ''"},
        Broken{"---\n- item\n---\n", "line 2: 'key: value' is expected, not '- item'"},
        Broken{"---\nA key: b\n---\n", "line 2: 'key: value' is expected, not 'A key: b'"},
        Broken{"---\na:b\n---\n", "line 2: field 'a': a space and a value must follow"},
        Broken{"---\na:\n---\n", "line 2: field 'a': a space and a value must follow"},
        Broken{"---\na: \n---\n", "line 2: field 'a': a value is missing"},
        Broken{"---\na:  b\n---\n", "line 2: field 'a': there is one space too many beside the value"},
        Broken{"---\na: b\na: c\n---\n", "line 3: field 'a' is there twice"},
        Broken{"---\na: b: c\n---\n", "line 2: field 'a': the value 'b: c' must be quoted"},
        Broken{"---\na: b # c\n---\n", "line 2: field 'a': the value 'b # c' must be quoted"},
        Broken{"---\na: b:\n---\n", "line 2: field 'a': the value 'b:' must be quoted"},
        Broken{"---\na: *b\n---\n", "line 2: field 'a': the value '*b' must be quoted"},
        Broken{"---\na: |\n---\n", "line 2: field 'a': the value '|' must be quoted"},
        Broken{"---\na: \"b\n---\n", "line 2: field 'a': a closing quote is missing"},
        Broken{"---\na: \"b\" c\n---\n", "line 2: field 'a': ' c' follows the closing quote"},
        Broken{"---\na: \"\\n\"\n---\n", "line 2: field 'a': a backslash must be followed by a quote or a backslash"},
        Broken{"---\na: [b\n---\n", "line 2: field 'a': ', ' or a closing bracket is expected after 'b'"},
        Broken{"---\na: [b,c]\n---\n", "line 2: field 'a': ', ' or a closing bracket is expected after 'b'"},
        Broken{"---\na: [b] c\n---\n", "line 2: field 'a': ', ' or a closing bracket is expected after 'b'"},
        Broken{"---\na: [, b]\n---\n", "line 2: field 'a': a value is missing"},
        Broken{"---\na: [[b]]\n---\n", "line 2: field 'a': the value '[b' must be quoted"}));

}  // namespace
}  // namespace parallax
