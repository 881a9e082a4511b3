// What a worker says is taken apart exactly, and nothing that it could say brings us down.
#include "backends/external/protocol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/choices.h"
#include "core/json_text.h"
#include "graph/case_json.h"
#include "graph/second_feed.h"

namespace parallax {
namespace {

// Input x, buffer c; x is the output.
Case make_case() {
  auto made = parse_case(
      R"({"parallax":1,"name":"n","graph":{"inputs":{"x":{"type":"f32[2]"}},"buffers":{"c":{"type":"i64[]","data":[5]}},
          "nodes":[],"outputs":["%x"]},"feed":{"x":[1,2]},"expect":[{"type":"f32[2]","data":[1,2]}],"origin":{"source":"s"}})");
  if (!made) throw std::runtime_error(made.error().text());
  return *std::move(made);
}

const std::string full_reply =
    R"({"id":7,"status":"ok","outputs":[{"type":"f32[2]","data":{"b64":"AACAPwAAAEA="}}],)"
    R"("inputs":{"x":{"type":"f32[2]","data":[1,"nan"]}},"buffers":{"c":null},"identity":[0,1,0],)"
    R"("kept":[{"type":"f32[2]","data":[1,2]}],"b":{"outputs":[],"inputs":{},"buffers":{"c":{"type":"i64[]","data":[6]}}},)"
    R"("again":{"outputs":[]},"delegated":3,"ms":{"lower":1.5,"run":2}})";

TEST(Protocol, AReplyIsTakenApart) {
  const Case test = make_case();
  const Outcome outcome = decode_run(full_reply, 7, test);
  ASSERT_EQ(outcome.status, Status::Ok) << outcome.message;
  EXPECT_EQ(outcome.a->outputs, test.feed);
  EXPECT_TRUE(outcome.a->inputs.at(0).has_value());
  EXPECT_FALSE(outcome.a->buffers.at(0).has_value());
  EXPECT_EQ(outcome.a->identity, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(outcome.a_kept, test.feed);
  EXPECT_EQ(outcome.b->buffers.at(0)->get_integer(0), 6);
  EXPECT_FALSE(outcome.b->inputs.at(0).has_value());
  EXPECT_TRUE(outcome.a_again->outputs.empty());
  EXPECT_EQ(outcome.delegated, 3);
  EXPECT_EQ(outcome.milliseconds, 3.5);
}

TEST(Protocol, AGreetingSaysWhatGraphsAreDrawnOf) {
  const std::string start = R"({"id":1,"protocol":1,"name":"n","profile":"eager")";
  const Hello plain = *decode_hello(start + "}", 1);
  EXPECT_TRUE(plain.strided_sources && plain.written_inputs);
  EXPECT_FALSE(plain.artifacts || plain.gradients);
  EXPECT_TRUE(plain.delegated_ops.empty());
  const auto full = decode_hello(start + R"(,"written_inputs":false,"strided_sources":false,"artifacts":true,)"
                                         R"("delegates":{"ops":["aten.sin.default"],"dtypes":["f16","f32"]}})",
                                 1);
  ASSERT_TRUE(full) << full.error().text();
  EXPECT_FALSE(full->strided_sources || full->written_inputs);
  EXPECT_TRUE(full->artifacts);
  EXPECT_EQ(full->delegated_ops, (std::vector<std::string>{"aten.sin.default"}));
  EXPECT_EQ(full->delegated_dtypes, (std::vector<DType>{DType::F16, DType::F32}));
  EXPECT_TRUE(full->switches.empty());
  EXPECT_EQ(decode_hello(start + R"(,"artifacts":1})", 1).error().pointer, "/artifacts");
  EXPECT_EQ(decode_hello(start + R"(,"delegates":{"ops":[],"dtypes":["f3"]}})", 1).error().pointer,
            "/delegates/dtypes/0");
}

TEST(Protocol, AGreetingSaysWhichBranchesAndLoopsAreTaken) {
  const std::string start = R"({"id":1,"protocol":1,"name":"n","profile":"eager")";
  const auto kinds = [&](std::string_view more) {
    return decode_hello(start + std::string(more) + "}", 1)->control_kinds;
  };
  EXPECT_TRUE(kinds("").none());
  EXPECT_EQ(kinds(R"(,"subgraphs":true)"), branches_and_loops);
  EXPECT_EQ(names_of(kinds(R"(,"subgraphs":["scan","cond"],"custom_ops":true)")),
            (std::vector<std::string>{"cond", "scan", "custom"}));
  const auto wrong = decode_hello(start + R"(,"subgraphs":["cond","custom"]})", 1);
  EXPECT_EQ(wrong.error().pointer, "/subgraphs/1");
  EXPECT_EQ(wrong.error().reason, "'custom' is none of cond, while_loop, scan, map");
  EXPECT_EQ(decode_hello(start + R"(,"subgraphs":1})", 1).error().reason, "must be true, false or a list of names");
}

TEST(Protocol, ARequestHoldsTheCaseWithoutItsAnswerAndBothFeeds) {
  const Case test = make_case();
  const std::vector<Tensor> second = second_feed(test);
  const std::string request = encode_run(9, test, &second);
  EXPECT_EQ(request.find('\n'), std::string::npos);
  const Json json = *parse_json(request);
  EXPECT_EQ(json["id"], 9);
  EXPECT_EQ(json["do"], "run");
  EXPECT_EQ(json["second_feed"]["x"].size(), 2u);
  EXPECT_FALSE(json["case"].contains("expect"));
  EXPECT_FALSE(json["case"].contains("origin"));
  EXPECT_EQ(parse_case(json["case"].dump())->feed, test.feed);
  EXPECT_FALSE(parse_json(encode_run(9, test, nullptr))->contains("second_feed"));
  EXPECT_FALSE(parse_json(encode_run(9, test, nullptr))->contains("anew"));
  EXPECT_EQ((*parse_json(encode_run(9, test, nullptr, true)))["anew"], true);
  EXPECT_FALSE(parse_json(encode_run(9, test, nullptr))->contains("threads"));
  EXPECT_EQ((*parse_json(encode_run(9, test, nullptr, false, 8)))["threads"], 8);
  EXPECT_EQ(parse_json(encode_stages(9, test))->at("stages"), true);
  EXPECT_EQ(parse_json(encode_artifact(9, test, "/a \"b\""))->at("artifact"), "/a \"b\"");
}

TEST(Protocol, WhatWasCompiledAndNotRunIsJudgedByItsAudit) {
  const Case test = make_case();
  const auto outcome = [&](const std::string& compiled) {
    const std::string reply =
        R"({"id":7,"status":"unsupported","stage":"run","kind":"NotRunError","message":"lowered","compiled":)";
    return decode_run(reply + compiled + "}", 7, test);
  };
  const Outcome unknown = outcome(R"({"delegated":2,"format":"pte"})");
  EXPECT_EQ(unknown.status, Status::Unsupported);
  EXPECT_EQ(unknown.delegated, 2);
  const std::string declared = R"({"audit":{"delegates":[{"name":"d","inputs":[0],"outputs":[1],"passed":["a","b")";
  EXPECT_EQ(outcome(declared + "]}]}}").status, Status::Audited);
  const Outcome found = outcome(declared + R"(,"c"]}]}})");
  EXPECT_EQ(found.status, Status::Error);
  EXPECT_EQ(found.stage, "audit");
  EXPECT_EQ(found.kind, "delegate");
  EXPECT_NE(found.message.find("the call passes 3 values"), std::string::npos) << found.message;
  EXPECT_TRUE(is_protocol_failure(outcome(R"({"audit":{"delegates":7}})")));
}

TEST(Protocol, StagesAreOutcomesInTheirOrder) {
  const Case test = make_case();
  const auto stages = decode_stages(
      R"({"id":7,"status":"ok","outputs":[],"stages":[{"name":"export","outputs":[{"type":"f32[2]","data":[1,2]}]},)"
      R"({"name":"decompose","error":"KeyError: x"}]})",
      7, test.graph);
  ASSERT_TRUE(stages) << stages.error().text();
  ASSERT_EQ(stages->size(), 2u);
  EXPECT_EQ((*stages)[0].name, "export");
  EXPECT_EQ((*stages)[0].outcome.a->outputs, test.feed);
  EXPECT_EQ((*stages)[1].outcome.status, Status::Error);
  EXPECT_EQ((*stages)[1].outcome.message, "KeyError: x");
  EXPECT_TRUE(decode_stages(R"({"id":7,"status":"error"})", 7, test.graph)->empty());
  const auto broken = decode_stages(R"({"id":7,"status":"ok","stages":[{"outputs":[]}]})", 7, test.graph);
  EXPECT_EQ(broken.error().pointer, "/stages/0");
}

TEST(Protocol, EveryTruncationAndManyDamagedRepliesAreOutcomes) {
  const Case test = make_case();
  for (std::size_t length = 0; length < full_reply.size(); ++length) {
    EXPECT_TRUE(is_protocol_failure(decode_run(full_reply.substr(0, length), 7, test))) << length;
  }
  const uint64_t seed = 1;
  static constexpr std::string_view pieces[] = {
      "null", "[", "]", "{}", "-1", "1e999", "\"\"", "\"f32[9999999999,9999999999]\"", "\xff", ","};
  for (uint64_t i = 0; i < 20'000; ++i) {
    Choices choices(seed, i);
    std::string reply = full_reply;
    const std::size_t begin = choices.below(reply.size());
    reply.replace(begin, choices.below(8), choices.pick(pieces));
    const Outcome outcome = decode_run(reply, 7, test);
    const bool whole = outcome.a.has_value() || outcome.status != Status::Ok;
    EXPECT_TRUE(whole) << "seed " << seed << " stream " << i << ": " << reply;
  }
}

TEST(Protocol, AGreetingListsSwitchesWithTheirValues) {
  const std::string start = R"({"id":1,"protocol":1,"name":"n","profile":"eager","switches":)";
  const auto hello = decode_hello(start + R"({"level":["2","1"]}})", 1);
  ASSERT_TRUE(hello) << hello.error().text();
  ASSERT_EQ(hello->switches.size(), 1u);
  EXPECT_EQ(hello->switches[0].name, "level");
  EXPECT_EQ(hello->switches[0].values, (std::vector<std::string>{"2", "1"}));
  EXPECT_EQ(decode_hello(start + R"({"level":[]}})", 1).error().pointer, "/switches/level");
  EXPECT_EQ(decode_hello(start + R"({"level":[1]}})", 1).error().pointer, "/switches/level/0");
  EXPECT_EQ(decode_hello(start + "[]}", 1).error().pointer, "/switches");
}

TEST(Protocol, HelloSaysWhatIsTaken) {
  const auto hello = decode_hello(
      R"({"id":1,"protocol":1,"name":"n","version":"2","versions":{"torch":"3"},"dtypes":["f32","bool"],"ops":null,"profile":{"name":"eager"}})",
      1);
  ASSERT_TRUE(hello.has_value()) << hello.error().text();
  EXPECT_EQ(hello->profile.name, "eager");
  EXPECT_EQ(hello->dtypes, (std::vector<DType>{DType::F32, DType::Bool}));
  EXPECT_FALSE(hello->ops.has_value());
  EXPECT_EQ(hello->versions.at(0).second, "3");
  EXPECT_FALSE(hello->promises_identity) << "unless it says so";
  EXPECT_TRUE(decode_hello(R"({"id":1,"protocol":1,"name":"n","profile":"eager","promises_identity":true})", 1)
                  ->promises_identity);
  for (const char* bad :
       {R"({"id":1})", R"({"id":1,"protocol":2,"name":"n","profile":"eager"})", R"([])", R"({"id":2,"protocol":1})",
        R"({"id":1,"protocol":1,"name":"n","profile":"eager","dtypes":["f33"]})",
        R"({"id":1,"protocol":1,"name":"n","profile":"nobody's"})",
        R"({"id":1,"protocol":1,"name":"n","profile":{"name":"x","functions":{"exp":{"ulps":3}}}})"}) {
    EXPECT_FALSE(decode_hello(bad, 1).has_value()) << bad;
  }
}

TEST(Protocol, AMistakeInAnAllowedFormIsNamedByItsPlace) {
  const auto error = [](std::string_view allowance) {
    const auto hello = decode_hello(
        fmt::format(R"({{"id":1,"protocol":1,"name":"n","profile":{{"name":"x","allows":[{}]}}}})", allowance), 1);
    return hello ? "" : hello.error().text();
  };
  EXPECT_EQ(error(R"({"form":"lost_nan","ops":["exp"],"dtypes":["f32"],"source":"seen"})"), "");
  EXPECT_EQ(error(R"({"form":"lost_numbers"})"),
            "/profile/allows/0/form: 'lost_numbers' is no form that is known here");
  EXPECT_EQ(error(R"({"form":"lost_nan","ops":["plus"]})"),
            "/profile/allows/0/ops/0: 'plus' is no op that is known here");
  EXPECT_EQ(error(R"({"form":"cancelling_gate","ops":["add"]})"),
            "/profile/allows/0/ops/0: add has no form 'cancelling_gate'");
  EXPECT_EQ(error(R"({"form":"lost_nan","dtypes":["f33"]})"), "/profile/allows/0/dtypes/0: 'f33' is no dtype");
  EXPECT_EQ(error(R"({"form":"open_shifts","dtypes":["f32"]})"),
            "/profile/allows/0/dtypes/0: the form 'open_shifts' is not about f32");
}

}  // namespace
}  // namespace parallax
