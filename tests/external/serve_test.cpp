// What a worker of this program answers is what the target does here.
#include "backends/external/serve.h"

#include <gtest/gtest.h>

#include <sstream>

#include "backends/external/protocol.h"
#include "backends/runtime/compiled_target.h"
#include "core/json_text.h"
#include "graph/second_feed.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::case_of;

std::unique_ptr<Target> portable() { return make_compiled_target("portable", {}).value(); }

std::string answer_to(Target& target, const std::string& request) {
  std::istringstream requests(request + "\n");
  std::ostringstream replies;
  serve(target, "1.2", requests, replies);
  return replies.str();
}

// An output, a view of it, a written input, a buffer that grows, and numbers that text has no way to say.
Case crossing_case() {
  return case_of(R"({
    "inputs": {"x": {"type": "f32[3]"}, "n": {"type": "i64[3]"}},
    "buffers": {"s": {"type": "f32[3]", "data": [0, 1, 2]}},
    "nodes": [{"out": "y", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "v", "op": "aten.view.default", "args": ["%y", [3, 1]]},
              {"out": "t", "op": "aten.add_.Tensor", "args": ["%s", "%x"]},
              {"out": "u", "op": "aten.mul_.Tensor", "args": ["%n", 2]}],
    "outputs": ["%y", "%v"]})",
                 R"({"x": [1, "nan", "-inf"], "n": [1, 2, 3]})");
}

bool is_same(const Observation& a, const Observation& b) {
  return a.outputs == b.outputs && a.inputs == b.inputs && a.buffers == b.buffers && a.identity == b.identity;
}

TEST(Serve, ACaseRunsAsItDoesHere) {
  const std::unique_ptr<Target> target = portable();
  const Case test = crossing_case();
  const std::vector<Tensor> second = second_feed(test);
  const Outcome here = target->run(test, &second);
  const Outcome there = decode_run(answer_to(*target, encode_run(5, test, &second)), 5, test);
  ASSERT_EQ(there.status, Status::Ok) << there.message;
  EXPECT_TRUE(is_same(*here.a, *there.a));
  EXPECT_TRUE(is_same(*here.b, *there.b));
  EXPECT_TRUE(is_same(*here.a_again, *there.a_again));
  EXPECT_EQ(here.a_kept, there.a_kept);
}

TEST(Serve, LaterRunsAreThoseThatHappenHere) {
  const std::unique_ptr<Target> target = portable();
  Case test = crossing_case();
  for (int run = 0; run < 2; ++run) {
    test.later.push_back({});
    test.later.back().feed = second_feed(test);
  }
  const Outcome here = target->run(test, nullptr);
  const Outcome there = decode_run(answer_to(*target, encode_run(5, test, nullptr)), 5, test);
  ASSERT_EQ(there.status, Status::Ok) << there.message;
  ASSERT_EQ(there.later.size(), 2U);
  ASSERT_EQ(there.later_again.size(), 2U);
  for (std::size_t run = 0; run < 2; ++run) {
    EXPECT_TRUE(is_same(here.later[run], there.later[run])) << run;
    EXPECT_TRUE(is_same(here.later_again[run], there.later_again[run])) << run;
  }
  ASSERT_EQ(here.later_kept.size(), 1U) << "nothing runs after the last";
  EXPECT_EQ(here.later_kept, there.later_kept);
}

TEST(Serve, WhatIsRefusedIsRefusedThereToo) {
  CompiledTargetOptions options;
  options.arena_limit = 1;
  const std::unique_ptr<Target> target = make_compiled_target("portable", options).value();
  const Case test = case_of(R"({"inputs": {"x": {"type": "f32[3]"}},
    "nodes": [{"out": "y", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "z", "op": "aten.exp.default", "args": ["%y"]}], "outputs": ["%z"]})",
                            R"({"x": [1, 2, 3]})");
  const Outcome here = target->run(test, nullptr);
  const Outcome there = decode_run(answer_to(*target, encode_run(5, test, nullptr)), 5, test);
  EXPECT_NE(here.status, Status::Ok);
  EXPECT_EQ(there.status, here.status);
  EXPECT_EQ(there.message, here.message);
}

TEST(Serve, AGreetingNamesTheProfileAndTheVersion) {
  const Result<Hello> hello = decode_hello(answer_to(*portable(), encode_hello(1)), 1);
  ASSERT_TRUE(hello) << hello.error().text();
  EXPECT_EQ(hello->name, "portable");
  EXPECT_EQ(hello->version, "1.2");
  EXPECT_EQ(hello->profile.name, "portable");
  EXPECT_TRUE(hello->several_runs);
}

TEST(Serve, WhatIsNoRequestIsAnsweredWithTheReason) {
  const std::unique_ptr<Target> target = portable();
  const auto message = [&](const std::string& request) {
    return parse_json(answer_to(*target, request)).value()["message"].get<std::string>();
  };
  EXPECT_NE(message("{"), "");
  EXPECT_NE(message("[1]"), "");
  EXPECT_NE(message(R"({"id": 1, "do": "dance"})").find("'dance' is nothing that a worker does"), std::string::npos);
  EXPECT_NE(message(R"({"id": 1, "do": "run"})").find("case"), std::string::npos);
  EXPECT_NE(message(R"({"id": 1, "do": "run", "case": 3})"), "");
  EXPECT_EQ(parse_json(answer_to(*target, R"({"id": 9, "do": "dance"})")).value()["id"], 9);
}

}  // namespace
}  // namespace parallax
