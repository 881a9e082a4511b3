#include "core/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using testing::HasSubstr;

Error error_of(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_FALSE(json) << text;
  return json ? Error() : json.error();
}

TEST(JsonText, SyntaxErrorsSayLineAndColumn) {
  const Error error = error_of("{\n  \"a\": [1, 2\n");
  EXPECT_EQ(error.pointer, "");
  EXPECT_THAT(error.reason, HasSubstr("line 3, column 1"));
  EXPECT_EQ(error_of(" \n").reason, "not JSON: there is nothing in it");
  EXPECT_THAT(error_of("{} {}").reason, HasSubstr("column 4"));
  EXPECT_THAT(error_of("[NaN]").reason, HasSubstr("not JSON"));
  EXPECT_THAT(error_of("[\"\xff\"]").reason, HasSubstr("not JSON"));
}

TEST(JsonText, RefusesNumbersOverTheRangeOfADouble) { EXPECT_THAT(error_of("[1e999]").reason, HasSubstr("1e999")); }

TEST(JsonText, RefusesARepeatedMemberWithItsPointer) {
  const Error error = error_of(R"({"a": [0, {"b/c": 1, "d": 2, "b/c": 3}]})");
  EXPECT_EQ(error.pointer, "/a/1/b~1c");
  EXPECT_EQ(error.reason, "the name 'b/c' is used twice");
}

TEST(JsonText, RefusesDeepNestingWithoutRecursion) {
  const std::string fits = std::string(max_json_depth, '[') + std::string(max_json_depth, ']');
  EXPECT_TRUE(parse_json(fits));
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).reason, "nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(error_of(objects).reason, "nested deeper than 64 levels");
  std::string pointer = "/a/1";  // the third level
  for (int level = 4; level <= max_json_depth + 1; ++level) pointer += "/0";
  EXPECT_EQ(error_of("{\"a\": [3, " + std::string(100, '[')).pointer, pointer);
}

TEST(JsonText, KeepsTheOrderOfMembers) {
  const auto json = parse_json(R"({"z": 1, "a": 2, "m": 3})");
  ASSERT_TRUE(json);
  EXPECT_EQ(write_json(*json), R"({"z":1,"a":2,"m":3})");
}

TEST(JsonText, WritesShortThingsOnOneLine) {
  const auto json = parse_json(
      R"({"name":"x","data":[1,2.0,"nan"],"nodes":[{"out":"a","args":["%x"]},{"out":"b","args":[]}],"empty":{}})");
  ASSERT_TRUE(json);
  EXPECT_EQ(write_json(*json, 2),
            "{\n"
            "  \"name\": \"x\",\n"
            "  \"data\": [1, 2.0, \"nan\"],\n"
            "  \"nodes\": [{\"out\": \"a\", \"args\": [\"%x\"]}, {\"out\": \"b\", \"args\": []}],\n"
            "  \"empty\": {}\n"
            "}");
  const auto again = parse_json(write_json(*json, 2));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *json);
}

}  // namespace
}  // namespace parallax
