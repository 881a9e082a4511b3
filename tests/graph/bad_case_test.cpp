// Bad cases, one by one: each is refused with the file, the JSON pointer of the offending field and the reason.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case.h"
#include "graph/case_json.h"
#include "tests/support/sample_case.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;

// The full case after one JSON patch ("op path value").
std::string patched(std::string_view operation, std::string_view path, std::string_view value) {
  ordered_json patch = {{{"op", operation}, {"path", path}}};
  if (!value.empty()) patch[0]["value"] = ordered_json::parse(value);
  return ordered_json::parse(full_case).patch(patch).dump();
}

struct BadCase {
  std::string_view operation, path, value;  // the patch
  std::string_view pointer, reason;
  ErrorKind kind = ErrorKind::Invalid;
};

void expect_refused(const BadCase& row) {
  SCOPED_TRACE(std::string(row.operation) + " " + std::string(row.path) + " " + std::string(row.value));
  const auto test = parse_case(patched(row.operation, row.path, row.value), "bad.json");
  ASSERT_FALSE(test);
  EXPECT_EQ(test.error().file, "bad.json");
  EXPECT_EQ(test.error().pointer, row.pointer);
  EXPECT_EQ(test.error().reason, row.reason);
  EXPECT_EQ(test.error().kind, row.kind);
}

TEST(BadCase, TheOuterForm) {
  const BadCase rows[] = {
      {"remove", "/parallax", "", "", "\"parallax\" is missing"},
      {"replace", "/parallax", "2", "/parallax", "format version 2 is not 1", ErrorKind::Unsupported},
      {"replace", "/parallax", "\"1\"", "/parallax", "must be an integer"},
      {"replace", "/name", "5", "/name", "must be a string"},
      {"remove", "/graph", "", "", "\"graph\" is missing"},
      {"replace", "/graph", "[]", "/graph", "must be an object"},
      {"remove", "/graph/nodes", "", "/graph", "\"nodes\" is missing"},
      {"remove", "/graph/outputs", "", "/graph", "\"outputs\" is missing"},
      {"replace", "/graph/nodes", "{}", "/graph/nodes", "must be a list"},
      {"replace", "/graph/outputs", "{}", "/graph/outputs", "must be a list"},
      {"replace", "/graph/inputs", "[]", "/graph/inputs", "must be an object"},
      {"replace", "/graph/inputs/x", "[]", "/graph/inputs/x", "must be an object"},
      {"replace", "/graph/nodes/0", "3", "/graph/nodes/0", "must be an object"},
      {"remove", "/graph/nodes/0/out", "", "/graph/nodes/0", "\"out\" is missing"},
      {"remove", "/graph/nodes/0/op", "", "/graph/nodes/0", "\"op\" is missing"},
      {"replace", "/graph/nodes/0/op", "1", "/graph/nodes/0/op", "must be a string"},
      {"replace", "/origin", "3", "/origin", "must be an object"},
  };
  for (const BadCase& row : rows) expect_refused(row);
  const auto test = parse_case("[1]", "bad.json");
  ASSERT_FALSE(test);
  EXPECT_EQ(test.error().text(), "bad.json: must be an object");
}

TEST(BadCase, TruncatedAndNestedText) {
  const auto truncated = parse_case(full_case.substr(0, full_case.size() / 2), "bad.json");
  ASSERT_FALSE(truncated);
  EXPECT_EQ(truncated.error().pointer, "");
  EXPECT_EQ(truncated.error().text().substr(0, 34), "bad.json: not JSON: parse error at");
  const auto nested = parse_case("{\"graph\": " + std::string(100'000, '['), "bad.json");
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().reason, "nested deeper than 64 levels");
}

TEST(BadCase, Names) {
  const BadCase rows[] = {
      {"add", "/graph/inputs/1x", R"({"type": "f32[]"})", "/graph/inputs/1x",
       "'1x' is not a name ([A-Za-z_][A-Za-z0-9_]*)"},
      {"add", "/graph/inputs/a~1b", R"({"type": "f32[]"})", "/graph/inputs/a~1b",
       "'a/b' is not a name ([A-Za-z_][A-Za-z0-9_]*)"},
      {"replace", "/graph/nodes/0/out", "\"\"", "/graph/nodes/0/out", "'' is not a name ([A-Za-z_][A-Za-z0-9_]*)"},
      {"replace", "/graph/nodes/1/out", "\"a\"", "/graph/nodes/1/out", "the name 'a' is used twice"},
      {"replace", "/graph/nodes/0/out", "\"x\"", "/graph/nodes/0/out", "the name 'x' is used twice"},
      {"replace", "/graph/nodes/6/out", "\"last\"", "/graph/nodes/6/out", "the name 'last' is used twice"},
      {"add", "/graph/buffers/x", R"({"type": "f32[]", "data": [0]})", "/graph/buffers/x",
       "the name 'x' is used twice"},
      {"add", "/graph/inputs/s0", R"({"type": "f32[]"})", "/graph/inputs/s0", "the name 's0' is used twice"},
  };
  for (const BadCase& row : rows) expect_refused(row);
  const auto repeated =
      parse_case(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[]"}, "x": {"type": "f32[]"}}}})");
  ASSERT_FALSE(repeated);
  EXPECT_EQ(repeated.error().text(), "/graph/inputs/x: the name 'x' is used twice");
}

TEST(BadCase, Sources) {
  const BadCase rows[] = {
      {"remove", "/graph/inputs/x/type", "", "/graph/inputs/x", "\"type\" is missing"},
      {"replace", "/graph/inputs/x/type", "\"f31[2]\"", "/graph/inputs/x/type", "unknown dtype 'f31' in type 'f31[2]'"},
      {"replace", "/graph/inputs/x/type", "\"f32[1,1,1,1,1,1,1,1,1]\"", "/graph/inputs/x/type",
       "type 'f32[1,1,1,1,1,1,1,1,1]' has more than 8 dims"},
      {"add", "/graph/inputs/x/data", "[0]", "/graph/inputs/x/data", "an input has no data; \"feed\" gives it"},
      {"add", "/graph/inputs/x/offset", "1", "/graph/inputs/x/offset", "an offset needs a \"storage\""},
      {"add", "/graph/inputs/x/strides", "[1]", "/graph/inputs/x/strides", "1 strides for 2 dims"},
      {"add", "/graph/inputs/x/strides", "[1, -1]", "/graph/inputs/x/strides/1", "-1 is negative"},
      {"add", "/graph/inputs/x/strides", "[1, 99999999999]", "/graph/inputs/x/strides/1",
       "99999999999 is over 268435456 elements"},
      {"add", "/graph/inputs/x/strides", "[1, 0.5]", "/graph/inputs/x/strides/1", "must be an integer"},
      {"replace", "/graph/inputs/w0/storage", "\"s9\"", "/graph/inputs/w0/storage", "no storage is named 's9'"},
      {"replace", "/graph/inputs/w0/offset", "-1", "/graph/inputs/w0/offset", "-1 is negative"},
      {"replace", "/graph/inputs/w0/offset", "2", "/graph/inputs/w0",
       "the window reaches element 12 of a storage of 12"},
      {"replace", "/graph/inputs/w0/type", "\"i32[2,3]\"", "/graph/inputs/w0", "a window of i32 on a storage of f32"},
      {"add", "/graph/inputs/w0/data", "[]", "/graph/inputs/w0/data",
       "a window has no data of its own; give it to 's0'"},
      {"remove", "/graph/constants/half/data", "", "/graph/constants/half", "\"data\" is missing"},
      {"remove", "/graph/buffers/cache/data", "", "/graph/buffers/cache", "\"data\" is missing"},
      {"replace", "/graph/constants/half/data", "[1]", "/graph/constants/half/data",
       "data has 1 elements, f16[3] needs 3"},
      {"add", "/graph/constants/w", R"({"type": "f32[2]", "storage": "s0"})", "/graph/constants/w",
       "a constant cannot be a window on a storage"},
      {"add", "/graph/constants/w", R"({"type": "f32[2]", "strides": [0], "data": [1, 2]})", "/graph/constants/w/data",
       "element 1 lies on the same memory as an earlier one but differs from it"},
      {"replace", "/graph/storages/kept/data", "[1]", "/graph/storages/kept/data",
       "data has 1 elements, f32[4] needs 4"},
  };
  for (const BadCase& row : rows) expect_refused(row);
}

TEST(BadCase, Nodes) {
  const BadCase rows[] = {
      {"replace", "/graph/nodes/0/op", "\"aten.nope.default\"", "/graph/nodes/0/op", "unknown op 'aten.nope.default'",
       ErrorKind::Unsupported},
      {"replace", "/graph/nodes/0/op", "\"sigmoid\"", "/graph/nodes/0/op", "unknown op 'sigmoid'"},
      {"replace", "/graph/nodes/0/args", "{}", "/graph/nodes/0/args", "must be a list"},
      {"replace", "/graph/nodes/0/args", "[]", "/graph/nodes/0", "aten.sigmoid.default needs argument 'self'"},
      {"replace", "/graph/nodes/0/args", "[\"%x\", 1]", "/graph/nodes/0/args/1",
       "aten.sigmoid.default takes at most 1 positional arguments, got 2"},
      {"add", "/graph/nodes/0/kwargs", "[]", "/graph/nodes/0/kwargs", "must be an object"},
      {"add", "/graph/nodes/0/kwargs", "{\"nope\": 1}", "/graph/nodes/0/kwargs/nope",
       "aten.sigmoid.default has no argument 'nope'"},
      {"add", "/graph/nodes/0/kwargs", "{\"self\": \"%x\"}", "/graph/nodes/0/kwargs/self",
       "aten.sigmoid.default: argument 'self' is given twice"},
      {"replace", "/graph/nodes/1/kwargs/alpha", "\"big\"", "/graph/nodes/1/kwargs/alpha", "'big' is not a number"},
      {"replace", "/graph/nodes/3/args/1", "[3, 2.5]", "/graph/nodes/3/args/1/1", "must be an integer"},
      {"replace", "/graph/nodes/0/args", "[\"%y\"]", "/graph/nodes/0/args/0", "no value is named 'y'"},
      {"replace", "/graph/nodes/0/args", "[\"%flat\"]", "/graph/nodes/0/args/0",
       "'flat' is used before its definition"},
      {"replace", "/graph/nodes/0/args", "[\"%a\"]", "/graph/nodes/0/args/0", "'a' is used before its definition"},
      {"replace", "/graph/nodes/0/args", "[\"%s0\"]", "/graph/nodes/0/args/0", "'s0' is a storage, not a value"},
      {"replace", "/graph/nodes/0/args", "[\"%\"]", "/graph/nodes/0/args/0", "no value is named ''"},
      {"replace", "/graph/nodes/1/args/0", "\"%half\"", "/graph/nodes/1",
       "aten.add_.Tensor writes the constant 'half'"},
      {"replace", "/graph/outputs/0", "\"%nope\"", "/graph/outputs/0", "no value is named 'nope'"},
      {"replace", "/graph/outputs/0", "\"%p\"", "/graph/outputs/0", "%p is a list; return its elements"},
      {"replace", "/graph/outputs/0", "1", "/graph/outputs/0", "must be a string"},
      {"replace", "/graph/outputs/0", "\"sum\"", "/graph/outputs/0",
       "'sum' is not a value; a value is written \"%name\""},
  };
  for (const BadCase& row : rows) expect_refused(row);
}

TEST(BadCase, Getitem) {
  const BadCase rows[] = {
      {"replace", "/graph/nodes/5/args/1", "2", "/graph/nodes/5/args/1",
       "index 2 is out of range: the list has 2 elements"},
      {"replace", "/graph/nodes/5/args/1", "-1", "/graph/nodes/5/args/1", "index -1 is negative"},
      {"replace", "/graph/nodes/5/args/1", "1.0", "/graph/nodes/5/args/1", "must be an integer"},
      {"replace", "/graph/nodes/5/args", "[\"%p\"]", "/graph/nodes/5/args",
       "getitem takes a list and an index, got 1 arguments"},
      {"replace", "/graph/nodes/5/args/0", "\"%flat\"", "/graph/nodes/5/args/0",
       "getitem takes an element of a list; this is a tensor"},
      {"replace", "/graph/nodes/5/args/0", "\"%last\"", "/graph/nodes/5/args/0",
       "'last' is used before its definition"},
      {"add", "/graph/nodes/5/kwargs", "{\"i\": 1}", "/graph/nodes/5/kwargs", "getitem takes no keyword arguments"},
  };
  for (const BadCase& row : rows) expect_refused(row);
}

// What the op itself refuses comes with the node's pointer; the reason is the op's own.
TEST(BadCase, WhatInferRefusesHasTheNodesPointer) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"/graph/nodes/3/args/1", "[4, 2]"}, {"/graph/nodes/4/args/2", "5"}, {"/graph/nodes/4/args/1", "-1"}};
  for (const auto& [path, value] : rows) {
    const auto test = parse_case(patched("replace", path, value), "bad.json");
    ASSERT_FALSE(test) << path;
    EXPECT_EQ(test.error().pointer, path.substr(0, std::string_view("/graph/nodes/3").size()));
    EXPECT_EQ(test.error().file, "bad.json");
    EXPECT_FALSE(test.error().reason.empty());
  }
}

TEST(BadCase, Feed) {
  const BadCase rows[] = {
      {"remove", "/feed", "", "", "\"feed\" is missing"},
      {"replace", "/feed", "[]", "/feed", "must be an object"},
      {"remove", "/feed/x", "", "/feed", "'x' is not fed"},
      {"remove", "/feed/s0", "", "/feed", "'s0' is not fed"},
      {"add", "/feed/y", "[1]", "/feed/y", "the graph has no input 'y'"},
      {"add", "/feed/w0", "[1]", "/feed/w0", "'w0' is a window; feed its storage 's0'"},
      {"add", "/feed/kept", "[1]", "/feed/kept", "the storage 'kept' holds its own data"},
      {"add", "/feed/half", "[1]", "/feed/half", "'half' is no input; its data stands with it"},
      {"replace", "/feed/x", "[1, 2]", "/feed/x", "data has 2 elements, f32[2,3] needs 6"},
      {"replace", "/feed/turned/3", "0.5", "/feed/turned/3", "0.5 is not an integer"},
      {"replace", "/feed/s0/random/seed", "\"a\"", "/feed/s0/random/seed", "must be an integer"},
  };
  for (const BadCase& row : rows) expect_refused(row);
}

TEST(BadCase, Expectations) {
  const BadCase rows[] = {
      {"add", "/expect", "[]", "/expect", "0 entries for 6 outputs"},
      {"add", "/expect", "{}", "/expect", "must be a list"},
      {"add", "/expect", "[1, 2, 3, 4, 5, 6]", "/expect/0", "must be an object"},
      {"add", "/expect_inputs/y", "[]", "/expect_inputs/y", "the graph has no input 'y'"},
      {"add", "/expect_inputs/cache", "[]", "/expect_inputs/cache", "the graph has no input 'cache'"},
      {"add", "/expect_buffers/x", "[]", "/expect_buffers/x", "the graph has no buffer 'x'"},
      {"replace", "/expect_inputs/w0", "[1]", "/expect_inputs/w0", "data has 1 elements, f32[2,3] needs 6"},
      {"replace", "/expect_buffers/cache/type", "\"f99[]\"", "/expect_buffers/cache/type",
       "unknown dtype 'f99' in type 'f99[]'"},
      {"remove", "/expect_buffers/cache/data", "", "/expect_buffers/cache", "\"data\" is missing"},
  };
  for (const BadCase& row : rows) expect_refused(row);
}

TEST(BadCase, WhatACaseRequires) {
  constexpr auto unsupported = ErrorKind::Unsupported;
  const BadCase rows[] = {
      {"add", "/requires", "[\"teleport\"]", "/requires/0", "requires 'teleport', which this version does not know",
       unsupported},
      {"add", "/requires", "\"runs\"", "/requires", "must be a list"},
      {"add", "/requires", "[1]", "/requires/0", "must be a string"},
      {"add", "/runs", "[{\"feed\": {}}]", "/runs", "a case that uses this must name 'runs' in \"requires\""},
      {"add", "/runs", "[]", "/runs", "must hold at least one run"},
      {"add", "/runs", "[{}]", "/runs/0", "\"feed\" is missing"},
      {"add", "/symbols", "{\"B\": [1, 8]}", "/symbols", "a case that uses this must name 'symbols' in \"requires\""},
      {"add", "/grad", "{\"wrt\": [\"x\"], \"cotangents\": []}", "/grad",
       "a case that uses this must name 'grad' in \"requires\""},
      {"add", "/grad", "{\"wrt\": [1], \"cotangents\": []}", "/grad/wrt/0", "must be a string"},
      {"add", "/expect_grad", "[]", "/expect_grad", "a case that uses this must name 'grad' in \"requires\""},
      {"replace", "/graph/nodes/0/op", "\"quantized_decomposed.quantize_per_tensor.default\"", "/graph/nodes/0/op",
       "a case that uses this must name 'quantized' in \"requires\""},
  };
  for (const BadCase& row : rows) expect_refused(row);
}

}  // namespace
}  // namespace parallax
