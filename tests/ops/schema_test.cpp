#include "ops/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "graph/text_file.h"
#include "ops/registry.h"
#include "places.h"

namespace parallax {
namespace {

nlohmann::json pytorch_schemas() {
  const auto text = read_text_file(PARALLAX_DATA_DIR "/aten/schemas.json.gz");
  EXPECT_TRUE(text) << text.error().text();
  return nlohmann::json::parse(text.value_or("{}"));
}

TEST(Schema, EverySchemaOfPyTorchParsesUnderItsOwnName) {
  const auto schemas = pytorch_schemas();
  ASSERT_GT(schemas.size(), 1500U);
  for (const auto& [qualified, entry] : schemas.items()) {
    const auto schema = parse_schema(entry["schema"].get<std::string>());
    ASSERT_TRUE(schema) << qualified << ": " << schema.error().text();
    EXPECT_EQ(schema->qualified_name(), qualified);
  }
}

TEST(Schema, TheRegistryStatesPyTorchsSchemas) {
  const auto schemas = pytorch_schemas();
  ASSERT_GT(all_ops().size(), 60U);
  for (const Op& op : all_ops()) {
    ASSERT_TRUE(schemas.contains(op.name)) << op.name;
    EXPECT_EQ(op.schema_text, schemas[op.name]["schema"].get<std::string>());
  }
}

TEST(Schema, AliasMarksAreRead) {
  const auto view = parse_schema("split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->parameters[0].alias, 'a');
  EXPECT_FALSE(view->parameters[0].written);
  EXPECT_TRUE(view->has_list_result());
  const auto write = parse_schema("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  ASSERT_TRUE(write);
  EXPECT_TRUE(write->parameters[0].written);
  EXPECT_TRUE(write->writes);
  EXPECT_TRUE(write->parameters[2].keyword_only);
  EXPECT_EQ(std::get<Scalar>(*write->parameters[2].default_value), Scalar(int64_t{1}));
}

TEST(Schema, NamesAreResolvedToPositions) {
  const auto add = parse_schema("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  ASSERT_TRUE(add);
  EXPECT_EQ(add->index_of(arg::self), 0);
  EXPECT_EQ(add->index_of(arg::other), 1);
  EXPECT_EQ(add->index_of(arg::alpha), 2);
  EXPECT_EQ(add->index_of(arg::bias), -1);
  // A position stands for itself.
  EXPECT_EQ(add->index_of(1), 1);
}

TEST(Schema, BrokenTextIsRefused) {
  for (const char* text : {"", "add", "add(Tensor self", "add(Tensr self) -> Tensor", "add(Tensor self) Tensor",
                           "add(Tensor self=) -> Tensor"}) {
    EXPECT_FALSE(parse_schema(text)) << text;
  }
}

// The names of PARALLAX_ARGUMENT_NAMES, in the order of the list.
std::vector<arg> listed_names() {
  std::vector<arg> names;
  for (int i = 0; i < argument_names; ++i) names.push_back(static_cast<arg>(i));
  return names;
}

TEST(ArgumentNames, AreEachAParameterOfSomeOp) {
  for (const arg argument : listed_names()) {
    const bool used = std::ranges::any_of(all_ops(), [&](const Op& op) { return op.schema.index_of(argument) >= 0; });
    EXPECT_TRUE(used) << name(argument);
  }
}

TEST(ArgumentNames, AreListedOnceAndInAlphabeticalOrder) {
  const auto lower = [](std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
  };
  std::set<std::string_view> seen;
  std::string last;
  for (const arg argument : listed_names()) {
    EXPECT_TRUE(seen.insert(name(argument)).second) << name(argument) << " is listed twice";
    EXPECT_LE(last, lower(name(argument)));
    last = lower(name(argument));
    EXPECT_EQ(parse_argument_name(name(argument)), argument);
  }
  EXPECT_EQ(parse_argument_name("no_such_name"), std::nullopt);
}

TEST(Arguments, AreBoundLikePythonCallsThem) {
  const Op& add = op_named("aten.add.Tensor");
  const Argument x = ValueId(0);
  const auto bound = bind_arguments(add, {x, x});
  ASSERT_TRUE(bound);
  EXPECT_EQ(std::get<Scalar>((*bound)[2]), Scalar(int64_t{1}));
  EXPECT_EQ(bind_arguments(add, {x}).error().reason, "aten.add.Tensor needs argument 'other'");
  EXPECT_EQ(bind_arguments(add, {x, x, x}).error().reason,
            "aten.add.Tensor takes at most 2 positional arguments, got 3");
  EXPECT_EQ(bind_arguments(add, {x, x}, {{"beta", Scalar(1.0)}}).error().reason,
            "aten.add.Tensor has no argument 'beta'");
  EXPECT_EQ(bind_arguments(add, {x, x}, {{"self", x}}).error().reason,
            "aten.add.Tensor: argument 'self' is given twice");
  // A number is wrapped into a 0-d tensor by the ops that broadcast it, as in Python; elsewhere it is no value.
  EXPECT_TRUE(bind_arguments(add, {x, Scalar(1.0)}));
  EXPECT_EQ(bind_arguments(op_named("aten.copy_.default"), {x, Scalar(1.0)}).error().reason,
            "argument 'src' must be a value");
  EXPECT_EQ(bind_arguments(op_named("aten.add_.Tensor"), {Scalar(1.0), x}).error().reason,
            "argument 'self' must be a value");
}

}  // namespace
}  // namespace parallax
