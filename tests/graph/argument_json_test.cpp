#include "graph/argument_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace parallax {
namespace {

// "%a" and "%b" are values 0 and 1, "%list" is the list of both.
Result<Reference> resolve(const Field& field) {
  TRY(std::string text, field.text());
  if (text == "%a") return Reference(ValueId(0));
  if (text == "%b") return Reference(ValueId(1));
  if (text == "%list") return Reference(ValueList{ValueId(0), ValueId(1)});
  return field.fail("no value is named '{}'", text.substr(1));
}

Result<Argument> read(std::string_view text, const std::string& parameter) {
  TRY(Schema schema, parse_schema("op(" + parameter + ") -> Tensor"));
  TRY(Json json, parse_json(text));
  return read_argument(Field(json, "/args/0"), schema.parameters.front(), resolve);
}

TEST(ArgumentJson, ReadsEachKindAndWritesItBack) {
  const std::pair<std::string, std::string> rows[] = {
      {"Tensor p", R"("%a")"},
      {"Tensor? p", "null"},
      {"Tensor[] p", R"(["%a","%b"])"},
      {"Tensor[] p", "[]"},
      {"Tensor?[] p", R"([null,"%b"])"},
      {"int p", "-3"},
      {"SymInt p", "9223372036854775807"},
      {"int[] p", "[1,-2]"},
      {"int[] p", "[]"},
      {"int[1]? p", "null"},
      {"float p", "0.5"},
      {"float p", "\"nan\""},
      {"float[] p", "[1.0,\"-inf\"]"},
      {"bool p", "true"},
      {"bool[2] p", "[true,false]"},
      {"Scalar p", "1"},
      {"Scalar p", "1.0"},
      {"Scalar p", "true"},
      {"Scalar p", "\"inf\""},
      {"Scalar[] p", "[1,2.5]"},
      {"ScalarType? p", "\"bf16\""},
      {"MemoryFormat? p", "\"channels_last_3d\""},
      {"str p", "\"nan\""},
      {"str p", "\"%a\""},
  };
  Graph graph;
  graph.names = {"a", "b"};
  for (const auto& [parameter, text] : rows) {
    const auto argument = read(text, parameter);
    ASSERT_TRUE(argument) << parameter << " " << text << ": " << argument.error().text();
    EXPECT_EQ(write_json(argument_json(*argument, graph)), text) << parameter;
  }
}

TEST(ArgumentJson, BringsAnArgumentIntoTheParametersForm) {
  EXPECT_EQ(*read("2", "float p"), Argument(Scalar(2.0)));
  EXPECT_EQ(*read("2", "int[2] p"), Argument(IntList{2, 2}));
  EXPECT_EQ(*read("\"%list\"", "Tensor[] p"), Argument(ValueList{ValueId(0), ValueId(1)}));
  EXPECT_TRUE(std::isnan(as_double(std::get<Scalar>(*read("\"nan\"", "Scalar p")))));
}

TEST(ArgumentJson, SaysWhatIsWrong) {
  const struct {
    std::string parameter;
    std::string_view text, pointer, reason;
  } rows[] = {
      {"Tensor p", "1", "/args/0", "a number for the tensor 'p' is not run by this version"},
      {"Tensor p", "\"a\"", "/args/0", "'a' is not a value; a value is written \"%name\""},
      {"Tensor p", "\"%nope\"", "/args/0", "no value is named 'nope'"},
      {"Tensor p", "\"%list\"", "/args/0", "%list is a list; take an element with getitem"},
      {"Tensor p", "null", "/args/0", "argument 'p' must be given"},
      {"Tensor p", "[\"%a\"]", "/args/0", "argument 'p' takes no list"},
      {"Tensor[] p", "\"%a\"", "/args/0", "argument 'p' must be a list of values"},
      {"Tensor[] p", "[\"%list\"]", "/args/0/0", "%list is a list; one list cannot stand inside another"},
      {"Tensor[] p", "[null]", "/args/0", "argument 'p' must be a list of values without null"},
      {"Tensor[] p", "[\"%a\", 1]", "/args/0/1", "must be a value, written \"%name\""},
      {"int p", "1.0", "/args/0", "argument 'p' must be an integer"},
      {"int p", "true", "/args/0", "argument 'p' must be an integer"},
      {"int p", "18446744073709551615", "/args/0", "18446744073709551615 is over the range of a 64-bit integer"},
      {"int p", "\"%a\"", "/args/0", "argument 'p' must be an integer"},
      {"int[] p", "[1, 2.5]", "/args/0/1", "must be an integer"},
      {"bool p", "1", "/args/0", "argument 'p' must be true or false"},
      {"bool[2] p", "[1]", "/args/0/0", "must be true or false"},
      {"float p", "\"big\"", "/args/0", "'big' is not a number"},
      {"Scalar p", "{}", "/args/0", "an argument is no object"},
      {"Scalar p", "[1]", "/args/0", "argument 'p' takes no list"},
      {"ScalarType p", "\"f33\"", "/args/0", "unknown dtype 'f33'"},
      {"ScalarType p", "6", "/args/0", "argument 'p' must be a dtype"},
      {"MemoryFormat p", "\"nchw\"", "/args/0", "unknown memory format 'nchw'"},
      {"str p", "1", "/args/0", "argument 'p' must be a string"},
      {"Device? p", "\"cpu\"", "/args/0", "argument 'p' must be left out"},
  };
  for (const auto& row : rows) {
    const auto argument = read(row.text, row.parameter);
    ASSERT_FALSE(argument) << row.parameter << " " << row.text;
    EXPECT_EQ(argument.error().pointer, row.pointer) << row.parameter << " " << row.text;
    EXPECT_EQ(argument.error().reason, row.reason);
  }
}

}  // namespace
}  // namespace parallax
