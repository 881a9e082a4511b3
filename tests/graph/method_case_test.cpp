// Methods in a case file: what is read is written again, what breaks a rule is refused at its place, and they follow
// what becomes of the buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case_json.h"
#include "graph/drop_run.h"
#include "graph/print.h"
#include "graph/runs.h"
#include "graph/sketch.h"
#include "tests/support/methods_case.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using testing::methods_case;

Case with_methods() { return parse_case(methods_case).value(); }

Error refused_after(std::string_view pointer, std::string_view value) {
  ordered_json json = ordered_json::parse(methods_case);
  json[ordered_json::json_pointer(std::string(pointer))] = ordered_json::parse(value);
  const Result<Case> test = parse_case(json.dump(), "bad.json");
  EXPECT_FALSE(test) << pointer;
  return test ? Error() : test.error();
}

TEST(MethodCase, IsWrittenAsItWasRead) {
  const std::string written = to_json(with_methods());
  EXPECT_EQ(to_json(parse_case(written).value()), written);
  const ordered_json json = ordered_json::parse(written);
  EXPECT_EQ(json["requires"], ordered_json::parse(R"(["runs", "methods"])"));
  EXPECT_FALSE(json["methods"]["decode"].contains("buffers"));
  EXPECT_EQ(json["runs"][1]["method"], "decode");
}

TEST(MethodCase, AMethodHasTheBuffersOfTheGraph) {
  const Case test = with_methods();
  ASSERT_EQ(test.methods.size(), 1U);
  const Graph& decode = called_graph(test, 1);
  EXPECT_EQ(&decode, &test.methods[0].graph);
  EXPECT_EQ(&called_graph(test, 3), &test.graph);
  EXPECT_EQ(decode.sources.size(), 3U);
  EXPECT_EQ(decode.name(decode.sources[1].value), "cache");
}

TEST(MethodCase, IsPrintedWithWhatItsRunsCall) {
  EXPECT_THAT(print(with_methods()), HasSubstr("method decode"));
  EXPECT_THAT(print(with_methods()), HasSubstr("run 2 of method decode"));
}

TEST(MethodCase, WhatBreaksARuleIsRefusedAtItsPlace) {
  EXPECT_EQ(refused_after("/methods/decode/buffers", R"({"own": {"type": "f32[1]", "data": [0]}})").pointer,
            "/methods/decode/buffers");
  EXPECT_EQ(refused_after("/methods/forward", R"({"inputs": {}, "nodes": [], "outputs": []})").pointer,
            "/methods/forward");
  EXPECT_EQ(refused_after("/methods/decode/nodes/0/args/0", R"("%rows")").pointer, "/methods/decode/nodes/0/args/0");
  EXPECT_THAT(refused_after("/runs/1/method", R"("reset")").reason, HasSubstr("no method 'reset'"));
  EXPECT_THAT(refused_after("/runs/0/method", R"("decode")").reason, HasSubstr("first run"));
  EXPECT_THAT(refused_after("/runs/1/feed", R"({"x": [1, 2, 3, 4]})").reason, HasSubstr("'x'"));
  EXPECT_THAT(refused_after("/requires", R"(["runs"])").reason, HasSubstr("'methods'"));
  EXPECT_THAT(refused_after("/methods/decode/subgraphs", "{}").reason, HasSubstr("methods with subgraphs"));
}

TEST(MethodCase, WithoutTheFirstRunTheNextMethodIsTheGraph) {
  const Case shorter = without_run(with_methods(), 0).value();
  ASSERT_TRUE(check_runs(shorter));
  EXPECT_EQ(shorter.graph.nodes.front().op->name, "aten.index_copy_.default");
  ASSERT_EQ(shorter.later.size(), 2U);
  EXPECT_EQ(shorter.later[0].method, 0U);
  EXPECT_EQ(shorter.later[1].method, 1U);
  EXPECT_TRUE(parse_case(to_json(shorter)));
}

TEST(MethodCase, ARunInTheMiddleGoesAlone) {
  const Case shorter = without_run(with_methods(), 2).value();
  ASSERT_EQ(shorter.later.size(), 2U);
  EXPECT_EQ(shorter.later[0].feed[0].get_double(0), 10);
  EXPECT_EQ(shorter.later[1].method, 0U);
  EXPECT_FALSE(without_run(with_methods(), 4));
}

// A buffer is renamed as an input of the method is called, and has other data.
TEST(MethodCase, MethodsFollowTheBuffers) {
  const Case test = with_methods();
  Sketch sketch = take_apart(test);
  sketch.sources[1].name = "y";
  sketch.sources[1].data.set_double(0, 5);
  const auto moved = put_together(sketch, test);
  ASSERT_TRUE(moved);
  const Graph& decode = moved->methods[0].graph;
  EXPECT_EQ(decode.name(decode.sources[1].value), "y");
  EXPECT_EQ(decode.name(decode.sources[0].value), "y_");
  EXPECT_EQ(decode.sources[1].data.get_double(0), 5);
  EXPECT_EQ(moved->later[0].feed[0].get_double(1), 20);
  EXPECT_TRUE(parse_case(to_json(*moved)));
}

TEST(MethodCase, WithoutABufferThatAMethodNeedsThereIsNoCase) {
  const Case test = with_methods();
  Sketch sketch = take_apart(test);
  sketch.sources.pop_back();  // the position, which the graph fills and decode reads
  std::erase_if(sketch.nodes, [](const Sketch::CallSketch& call) { return call.name == "two"; });
  EXPECT_FALSE(put_together(sketch, test));
}

}  // namespace
}  // namespace parallax
