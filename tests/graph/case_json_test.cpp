#include "graph/case_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/choices.h"
#include "graph/case.h"
#include "graph/case_files.h"
#include "graph/second_feed.h"
#include "graph/text_file.h"
#include "places.h"
#include "tests/support/sample_case.h"

namespace parallax {
namespace {

Case parsed(std::string_view json) {
  auto test = parse_case(json);
  EXPECT_TRUE(test) << test.error().text();
  return test ? *std::move(test) : Case();
}

ValueId value_named(const Graph& graph, std::string_view name) {
  const auto found = std::find(graph.names.begin(), graph.names.end(), name);
  EXPECT_NE(found, graph.names.end()) << name;
  return ValueId(static_cast<std::size_t>(found - graph.names.begin()));
}

// Everything that parse_case promises to give back; names of list elements that nothing uses are made up.
void expect_equal(const Case& a, const Case& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.feed, b.feed);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.expect.outputs, b.expect.outputs);
  EXPECT_EQ(a.expect.inputs, b.expect.inputs);
  EXPECT_EQ(a.expect.buffers, b.expect.buffers);
  ASSERT_EQ(a.graph.metas.size(), b.graph.metas.size());
  for (std::size_t i = 0; i < a.graph.metas.size(); ++i) {
    EXPECT_EQ(a.graph.metas[i].dtype, b.graph.metas[i].dtype);
    EXPECT_EQ(a.graph.metas[i].layout, b.graph.metas[i].layout);
    EXPECT_EQ(a.graph.metas[i].storage, b.graph.metas[i].storage);
  }
  EXPECT_EQ(a.graph.objects, b.graph.objects);
  EXPECT_EQ(a.graph.outputs, b.graph.outputs);
  ASSERT_EQ(a.graph.nodes.size(), b.graph.nodes.size());
  for (std::size_t i = 0; i < a.graph.nodes.size(); ++i) {
    EXPECT_EQ(a.graph.nodes[i].op, b.graph.nodes[i].op);
    EXPECT_EQ(a.graph.nodes[i].name, b.graph.nodes[i].name);
    EXPECT_EQ(a.graph.nodes[i].results, b.graph.nodes[i].results);
  }
  ASSERT_EQ(a.graph.sources.size(), b.graph.sources.size());
  for (std::size_t i = 0; i < a.graph.sources.size(); ++i) EXPECT_EQ(a.graph.sources[i].data, b.graph.sources[i].data);
}

void expect_round_trip(const Case& test) {
  const std::string text = to_json(test);
  const auto again = parse_case(text);
  ASSERT_TRUE(again) << again.error().text() << "\n" << text;
  expect_equal(test, *again);
  EXPECT_EQ(to_json(*again), text);
  EXPECT_EQ(to_json(parsed(to_json(test, 2))), text);
}

// The indented JSON block of a documentation page.
std::string first_example(const std::string& page) {
  const std::size_t start = page.find("    {\n");
  const std::size_t end = page.find("\n    }\n", start);
  EXPECT_NE(end, std::string::npos);
  return page.substr(start, end + 6 - start);
}

TEST(CaseJson, ReadsTheExampleOfTheFormatPage) {
  const auto page = read_text_file(PARALLAX_SOURCE_DIR "/docs/case-format.md");
  ASSERT_TRUE(page) << page.error().text();
  const Case test = parsed(first_example(*page));
  EXPECT_EQ(test.name, "prod-of-elided-copy");
  ASSERT_EQ(test.graph.nodes.size(), 4U);
  EXPECT_EQ(test.graph.nodes[3].results.size(), 2U);
  EXPECT_EQ(test.graph.name(test.graph.nodes[3].results[0]), "p0");
  EXPECT_EQ(test.graph.outputs, (std::vector{value_named(test.graph, "s"), value_named(test.graph, "p0")}));
  ASSERT_TRUE(test.expect.outputs);
  EXPECT_EQ(test.expect.outputs->size(), 2U);
  expect_round_trip(test);
}

TEST(CaseJson, ReadsEveryPartOfTheFormat) {
  const Case test = parsed(full_case);
  const Graph& graph = test.graph;
  const std::vector<FeedSlot> slots = feed_slots(graph);
  ASSERT_EQ(slots.size(), 3U);
  EXPECT_EQ(slots[0].name, "s0");
  EXPECT_EQ(slots[1].name, "x");
  EXPECT_EQ(slots[2].layout.strides, (Dims{1, 2}));
  EXPECT_EQ(test.feed[2].get_integer(1), 2) << "data is listed by logical index, whatever the strides";
  EXPECT_TRUE(graph.storages[1].data.has_value());
  EXPECT_EQ(graph.meta(value_named(graph, "w0")).layout, (Layout{{2, 3}, {6, 2}, 1}));
  EXPECT_EQ(graph.meta(value_named(graph, "head")).layout.offset, 2);
  EXPECT_EQ(graph.meta(value_named(graph, "sum")).storage, graph.meta(value_named(graph, "w0")).storage);
  EXPECT_EQ(test.expect.inputs.at(0).second.sizes, (Dims{2, 3})) << "the input's own type";
  EXPECT_EQ(test.origin, R"({"source":"hand","issue":"none"})");
  expect_round_trip(test);
}

TEST(CaseJson, GetitemNamesAnElement) {
  const Graph graph = parsed(full_case).graph;
  const Node& split = graph.nodes[4];
  ASSERT_EQ(split.results.size(), 2U);
  EXPECT_EQ(graph.name(split.results[1]), "last") << "the first getitem gives the name";
  EXPECT_EQ(std::get<ValueId>(graph.nodes[5].arguments[0]), split.results[1]) << "a second name is the same value";
  EXPECT_EQ(std::get<ValueList>(graph.nodes[6].arguments[0]), split.results) << "the list stands for its elements";
  EXPECT_EQ(graph.outputs[1], split.results[1]);
}

TEST(CaseJson, MadeUpElementNamesKeepClearOfLaterNames) {
  const Case test = parsed(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "p", "op": "aten.split.Tensor", "args": ["%x", 1]},
      {"out": "p_0", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "p_1", "op": "aten.cat.default", "args": ["%p"]}], "outputs": ["%p_1", "%p_0"]}, "feed": {"x": [1, 2]}})");
  const std::set<std::string> names(test.graph.names.begin(), test.graph.names.end());
  EXPECT_EQ(names.size(), test.graph.names.size());
  expect_round_trip(test);
}

// repeat_interleave of [0, 2, 1] after `nodes`.
Result<Case> counted(const std::string& nodes, const std::string& counts) {
  return parse_case(R"({"parallax": 1, "graph": {"inputs": {"n": {"type": "i64[3]"}}, "nodes": [)" + nodes +
                        R"({"out": "r", "op": "aten.repeat_interleave.Tensor", "args": ["%n"]}], "outputs": ["%r"]},
                        "feed": {"n": )" +
                        counts + "}}",
                    "counted.json");
}

TEST(CaseJson, ASizeThatDependsOnDataIsReadFromTheFeed) {
  const auto test = counted("", "[0, 2, 1]");
  ASSERT_TRUE(test) << test.error().text();
  EXPECT_EQ(test->graph.meta(value_named(test->graph, "r")).layout.sizes, Dims{3});
  EXPECT_THAT(to_json(*test), ::testing::HasSubstr("\"output_size\":3")) << "the file then says the size itself";
  expect_round_trip(*test);
}

TEST(CaseJson, ASizeThatIsComputedIsRefused) {
  const auto written = counted(R"({"out": "w", "op": "aten.add_.Scalar", "args": ["%n", 1]},)", "[0, 2, 1]");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::Unsupported);
  for (const char* counts : {"[9223372036854775807, 1, 0]", "[0, 2]", "\"x\""})
    EXPECT_FALSE(counted("", counts)) << counts;
}

TEST(CaseJson, ANameKeepsPointingAtTheTensorObject) {
  const Case test = parsed(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[2,3]"}}, "nodes": [
      {"out": "y", "op": "aten.t_.default", "args": ["%x"]},
      {"out": "z", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%z", "%x"]},
      "feed": {"x": [1, 2, 3, 4, 5, 6]}, "expect_inputs": {"x": [1, 4, 2, 5, 3, 6]}})");
  EXPECT_EQ(test.graph.meta(value_named(test.graph, "z")).layout.sizes, (Dims{3, 2}));
  EXPECT_EQ(test.graph.outputs[1], value_named(test.graph, "y"));
  EXPECT_EQ(test.expect.inputs.at(0).second.sizes, (Dims{3, 2})) << "an input is expected as it is after the run";
  expect_round_trip(test);
}

TEST(CaseJson, ATensorObjectThatOutlivesTheRunKeepsItsSizes) {
  for (const char* kind : {"constants", "buffers"}) {
    const std::string text = fmt::format(R"({{"parallax": 1, "graph": {{"inputs": {{"x": {{"type": "f32[1]"}}}},
        "{}": {{"c": {{"type": "f32[2,3]", "data": [1, 2, 3, 4, 5, 6]}}}},
        "nodes": [{{"out": "y", "op": "aten.t_.default", "args": ["%c"]}}], "outputs": ["%y"]}}, "feed": {{"x": [1]}}}})",
                                         kind);
    const Result<Case> test = parse_case(text, "f.json");
    ASSERT_FALSE(test) << kind;
    EXPECT_EQ(test.error().kind, ErrorKind::Unsupported);
    EXPECT_THAT(test.error().text(), ::testing::HasSubstr("'c'"));
  }
}

TEST(CaseJson, ArgumentsAtTheirDefaultAreLeftOut) {
  const Case test = parsed(R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": "f32[2,3]"}}, "nodes": [
      {"out": "a", "op": "aten.add.Tensor", "args": [], "kwargs": {"other": "%x", "self": "%x", "alpha": 1}},
      {"out": "b", "op": "aten.add.Tensor", "args": ["%a", "%x"], "kwargs": {"alpha": 1.0}},
      {"out": "s", "op": "aten.sum.dim_IntList", "args": ["%b", [0], false], "kwargs": {"dtype": null}},
      {"out": "p", "op": "aten.split.Tensor", "args": ["%x", 1], "kwargs": {"dim": 0}}],
      "outputs": ["%s"]}, "feed": {"x": [1, 2, 3, 4, 5, 6]}})");
  EXPECT_THAT(to_json(test),
              testing::HasSubstr(R"("nodes":[{"out":"a","op":"aten.add.Tensor","args":["%x","%x"]},)"
                                 R"({"out":"b","op":"aten.add.Tensor","args":["%a","%x"],"kwargs":{"alpha":1.0}},)"
                                 R"({"out":"s","op":"aten.sum.dim_IntList","args":["%b",[0]]},)"
                                 R"({"out":"p","op":"aten.split.Tensor","args":["%x",1]}])"));
  expect_round_trip(test);
}

TEST(CaseJson, UnknownFieldsAreAcceptedAndDropped) {
  const Case test = parsed(
      R"({"parallax": 1, "later": {"a": [1]}, "graph": {"hint": 1, "inputs": {"x": {"type": "f32[]", "unit": "m"}},
      "nodes": [], "outputs": ["%x"]}, "feed": {"x": [1]}})");
  EXPECT_EQ(to_json(test),
            R"({"parallax":1,"name":"","graph":{"inputs":{"x":{"type":"f32[]"}},"nodes":[],"outputs":["%x"]},)"
            R"("feed":{"x":[1.0]}})");
}

TEST(CaseJson, AGraphWithoutInputsNeedsNoFeed) {
  expect_round_trip(parsed(R"({"parallax": 1, "graph": {"constants": {"c": {"type": "f32[]", "data": [1]}}, "nodes": [],
      "outputs": ["%c"]}})"));
}

TEST(CaseJson, ManyMembersAreReadInLinearTime) {
  std::string json = R"({"parallax": 1, "graph": {"nodes": [], "outputs": [], "constants": {)";
  for (int i = 0; i < 50'000; ++i) json += fmt::format(R"({}"c{}": {{"type": "f32[]", "data": [0]}})", i ? "," : "", i);
  EXPECT_EQ(parsed(json + "}}}").graph.sources.size(), 50'000U);
}

// Reads a recorded file and checks that each of its cases round-trips; returns how many were refused, which may only be
// for something that this version lacks, said at its node.
std::size_t check_recorded_set(const std::string& name, std::size_t size) {
  const std::filesystem::path path = std::filesystem::path(PARALLAX_DATA_DIR) / "conformance" / name;
  const auto cases = read_cases(path);
  EXPECT_TRUE(cases) << cases.error().text();
  if (!cases) return 0;
  EXPECT_EQ(cases->size(), size);
  std::size_t refused = 0;
  for (const auto& test : *cases) {
    if (test) {
      expect_round_trip(*test);
    } else {
      ++refused;
      EXPECT_EQ(test.error().kind, ErrorKind::Unsupported) << test.error().text();
      EXPECT_THAT(test.error().file, testing::StartsWith(path.string() + ":"));
      EXPECT_THAT(test.error().pointer, testing::StartsWith("/graph/nodes/"));
      if (test.error().pointer.ends_with("/op")) {
        EXPECT_THAT(test.error().reason, testing::StartsWith("unknown op 'aten."));
      }
    }
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_LT(refused, cases->size());
  return refused;
}

TEST(CaseJson, TheAliasSetRoundTrips) { EXPECT_EQ(check_recorded_set("alias.jsonl.gz", 600), 0U); }
TEST(CaseJson, TheCoreSetRoundTrips) { check_recorded_set("opinfo-core.jsonl.gz", 3203); }
TEST(CaseJson, TheExtraSetRoundTrips) { check_recorded_set("opinfo-extra.jsonl.gz", 723); }
TEST(CaseJson, TheQuantizedSetRoundTrips) { EXPECT_EQ(check_recorded_set("quantized.jsonl.gz", 894), 0U); }

// One random edit of a text: a flipped byte, a cut, a repeated or removed piece.
std::string mutated(std::string text, Choices& choices) {
  const uint64_t edits = 1 + choices.below(2);
  for (uint64_t edit = 0; edit < edits && !text.empty(); ++edit) {
    const std::size_t at = choices.below(text.size());
    const std::size_t length = std::min<std::size_t>(1 + choices.below(20), text.size() - at);
    switch (choices.below(5)) {
      case 0:
        text[at] = static_cast<char>(choices.below(256));
        break;
      case 1:
        text[at] = choices.pick(std::string_view("0123456789-.,:[]{}\"%_aefintx"));
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(choices.below(text.size()), text.substr(at, length));
        break;
      case 4:
        text.erase(at, length);
        break;
    }
  }
  return text;
}

TEST(CaseJson, MutatedCasesAreReadOrRefusedWithAReason) {
  constexpr uint64_t seed = 3;
  constexpr uint64_t count = 20'000;
  std::size_t read = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Choices choices(seed, i);
    const std::string text = mutated(std::string(full_case), choices);
    const auto test = parse_case(text, "mutated.json");
    if (test) {
      ++read;
      expect_round_trip(*test);
    } else {
      EXPECT_EQ(test.error().file, "mutated.json");
      EXPECT_FALSE(test.error().reason.empty());
    }
    if (HasFailure()) FAIL() << "seed " << seed << " stream " << i << ":\n" << text;
  }
  EXPECT_GT(read, count / 100) << "the edits must leave some cases whole";
}

class CaseFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("parallax_case_files_{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name, std::string_view text) const {
    EXPECT_TRUE(write_text_file(folder_ / name, text));
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

constexpr std::string_view tiny_case =
    R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[]"}}, "nodes": [], "outputs": ["%x"]}, "feed": {"x": [1]}})";

TEST_F(CaseFilesTest, AJsonFileHoldsOneCase) {
  const auto path = file("one.json", tiny_case);
  const auto cases = read_cases(path);
  ASSERT_TRUE(cases);
  ASSERT_EQ(cases->size(), 1U);
  ASSERT_TRUE((*cases)[0]);
  EXPECT_EQ((*cases)[0]->file, path.string());
}

TEST_F(CaseFilesTest, ABadLineDoesNotHideTheOthers) {
  const auto path = file("some.jsonl", std::string(tiny_case) + "\n\n{\"parallax\": 1}\r\n" + std::string(tiny_case));
  const auto cases = read_cases(path);
  ASSERT_TRUE(cases);
  ASSERT_EQ(cases->size(), 3U);
  EXPECT_TRUE((*cases)[0]);
  EXPECT_EQ((*cases)[1].error().text(), path.string() + ":3: \"graph\" is missing");
  EXPECT_EQ((*cases)[2]->file, path.string() + ":4");
}

TEST_F(CaseFilesTest, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(read_cases(folder_ / "none.json").error().text(),
            (folder_ / "none.json").string() + ": cannot be read: No such file or directory");
  std::filesystem::create_directory(folder_ / "folder.json");
  EXPECT_EQ(read_cases(folder_ / "folder.json").error().text(),
            (folder_ / "folder.json").string() + ": cannot be read: Is a directory");
  EXPECT_EQ(read_cases(folder_ / "case.txt").error().reason,
            "a case file ends in .json or .jsonl, with or without .gz");
}

TEST_F(CaseFilesTest, AreReadOneAtATime) {
  const std::string other = std::string(tiny_case).replace(tiny_case.find("[1]"), 3, "[2]");
  file("b.jsonl", std::string(tiny_case) + "\n{\n\n" + other + "\n");
  file("a.json", other);
  file("note.txt", "no case");
  CaseFiles files;
  ASSERT_TRUE(files.add(folder_.string()));
  ASSERT_EQ(files.size(), 3U);
  ASSERT_EQ(files.broken().size(), 1U);
  EXPECT_THAT(files.broken()[0].text(), ::testing::HasSubstr("b.jsonl:2"));
  EXPECT_EQ(files.read(0)->feed[0].get_double(0), 2);
  EXPECT_EQ(files.read(1)->feed[0].get_double(0), 1);
  EXPECT_EQ(files.read(2)->feed[0].get_double(0), 2);
  EXPECT_EQ(files.read(2)->file, (folder_ / "b.jsonl").string() + ":4");
  file("b.jsonl", "");
  EXPECT_THAT(files.read(1).error().text(), ::testing::HasSubstr("b.jsonl:1: was changed while it was replayed"));
  EXPECT_THAT(files.add((folder_ / "none").string()).error().text(), ::testing::HasSubstr("no such file or folder"));
}

TEST(SecondFeed, RollsElementsAndScalesFloats) {
  const Case test =
      parsed(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "f32[3]"}, "i": {"type": "i64[3]"}}, "nodes": [],
      "outputs": []}, "feed": {"x": [1, 2, "inf"], "i": [4, 5, 6]}})");
  const std::vector<Tensor> feed = second_feed(test);
  ASSERT_EQ(feed.size(), 2U);
  EXPECT_EQ(element_text(feed[0], 0) + " " + element_text(feed[0], 1) + " " + element_text(feed[0], 2), "-inf -0.5 -1");
  EXPECT_EQ(element_text(feed[1], 0) + " " + element_text(feed[1], 1) + " " + element_text(feed[1], 2), "6 4 5");
}

TEST(SecondFeed, ElementsOnOneMemoryKeepAgreeing) {
  const Case test = parsed(R"({"parallax": 1, "graph": {"inputs": {"x": {"type": "i64[2,2]", "strides": [1, 0]},
      "y": {"type": "i64[2,2]", "strides": [1, 1]}}, "nodes": [], "outputs": []}, "feed": {"x": [1, 1, 2, 2], "y": [1, 2, 2, 3]}})");
  Case second = test;
  second.feed = second_feed(test);
  EXPECT_NE(second.feed, test.feed);
  expect_round_trip(second);
}

}  // namespace
}  // namespace parallax
