// Workers that die, hang or talk nonsense: each is an outcome, and the next case runs.
#include "backends/external/external_target.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "graph/second_feed.h"
#include "places.h"

namespace parallax {
namespace {

using testing::HasSubstr;

const std::string workers = PARALLAX_SOURCE_DIR "/tests/external/workers/";

Case make_case(const std::string& name, const std::string& type = "f32[2]") {
  auto made = parse_case(fmt::format(
      R"({{"parallax":1,"name":"{}","graph":{{"inputs":{{"x":{{"type":"{}"}}}},"nodes":[],"outputs":["%x"]}},"feed":{{"x":[1,2]}}}})",
      name, type));
  if (!made) throw std::runtime_error(made.error().text());
  return *std::move(made);
}

std::unique_ptr<Target> make_target(std::chrono::milliseconds later = std::chrono::milliseconds(30'000)) {
  ExternalOptions options;
  options.first_limit = std::chrono::milliseconds(30'000);
  options.later_limit = later;
  options.limits.reply_bytes = std::size_t{4} << 20;
  auto target = make_external_target("stand-in", {"python3", workers + "misbehave.py"}, options);
  if (!target) throw std::runtime_error(target.error().text());
  return *std::move(target);
}

// Every float of a tensor.
std::vector<double> values(const Tensor& tensor) {
  std::vector<double> list;
  for (int64_t i = 0; i < tensor.numel(); ++i) list.push_back(tensor.get_double(i));
  return list;
}

void expect_good(Target& target, const std::string& after) {
  const Case test = make_case("good");
  const Outcome outcome = target.run(test, nullptr);
  ASSERT_EQ(outcome.status, Status::Ok) << after << ": " << outcome.message << outcome.detail;
  EXPECT_EQ(values(outcome.a->outputs.at(0)), (std::vector<double>{1, 2})) << after;
}

TEST(ExternalTarget, HandsBackEveryRunOfTheProtocol) {
  auto target = make_target();
  EXPECT_EQ(target->name(), "stand-in");
  EXPECT_EQ(target->profile().name, "eager");
  const std::vector<std::pair<std::string, std::string>> versions = {{"torch", "2.13.0"}, {"stand-in", "7"}};
  EXPECT_EQ(target->versions(), versions);
  const Case test = make_case("good");
  const std::vector<Tensor> second = second_feed(test);
  const Outcome outcome = target->run(test, &second);
  ASSERT_EQ(outcome.status, Status::Ok) << outcome.message;
  EXPECT_EQ(outcome.a->outputs, test.feed);
  EXPECT_EQ(outcome.a_kept, test.feed);
  EXPECT_EQ(outcome.b->outputs, second);
  EXPECT_EQ(outcome.a_again->inputs.at(0), test.feed[0]);
  EXPECT_EQ(outcome.milliseconds, 2.0);
  EXPECT_EQ(outcome.delegated, -1);
}

struct Row {
  const char* name;
  Status status;
  const char* kind;
  const char* said;  // in the message or the detail
};

TEST(ExternalTarget, EveryMisbehaviourIsAnOutcomeAndTheNextCaseRuns) {
  const Row rows[] = {
      {"kill", Status::Crash, "SIGKILL", "the worker died"},
      {"segv", Status::Crash, "SIGSEGV", "about to fall"},
      {"abort", Status::Crash, "SIGABRT", "the worker died: SIGABRT: check failed: dim < rank"},
      {"panic", Status::Crash, "SIGABRT", "the worker died: SIGABRT: src/a.rs:24:18: no such type"},
      {"exit", Status::Crash, "exit 3", "the worker died"},
      {"close_output", Status::Crash, "end of output", "the worker died"},
      {"flood_errors", Status::Crash, "exit 4", "last words"},
      {"flood", Status::Error, "protocol", "longer than"},
      {"flood_lines", Status::Error, "protocol", "answers request 1"},
      {"not_json", Status::Error, "protocol", "breaks the protocol"},
      {"deep", Status::Error, "protocol", "breaks the protocol"},
      {"wrong_id", Status::Error, "protocol", "/id"},
      {"no_status", Status::Error, "protocol", "status"},
      {"bad_type", Status::Error, "protocol", "/outputs/0/type"},
      {"bad_count", Status::Error, "protocol", "/outputs/0/data"},
      {"bad_input_name", Status::Error, "protocol", "/inputs/nobody"},
      {"bad_identity", Status::Error, "protocol", "/identity"},
      {"rejected", Status::Rejected, "NotImplementedError", "documented"},
      {"two_replies", Status::Ok, "", ""},
  };
  auto target = make_target();
  for (const Row& row : rows) {
    const Case test = make_case(row.name);
    const Outcome outcome = target->run(test, nullptr);
    EXPECT_EQ(outcome.status, row.status) << row.name << ": " << outcome.message;
    EXPECT_EQ(outcome.kind, row.kind) << row.name;
    EXPECT_THAT(outcome.message + outcome.detail, HasSubstr(row.said)) << row.name;
    expect_good(*target, row.name);
  }
}

TEST(ExternalTarget, WhatACaseWasCompiledToIsHandedBackAlsoWhereItKillsTheWorker) {
  auto target = make_target();
  const std::vector<std::pair<std::string, std::string>> files = {{"model.pte", std::string("\0ET12", 5)},
                                                                  {"part/data", "more"}};
  for (const char* name : {"good", "kill"}) {
    EXPECT_EQ(target->artifacts(make_case(name)), files) << name;
    expect_good(*target, name);
  }
  EXPECT_TRUE(target->artifacts(make_case("good", "f64[2]")).empty());  // a dtype that it does not take
}

TEST(ExternalTarget, SilencePastTheLimitIsAHang) {
  auto target = make_target(std::chrono::milliseconds(1000));
  expect_good(*target, "the start");  // the first case has the longer limit
  for (const char* name : {"hang", "hang_with_child", "stops_reading"}) {
    const Outcome outcome = target->run(make_case(name), nullptr);
    EXPECT_EQ(outcome.status, Status::Hang) << name;
    EXPECT_EQ(outcome.message, "no answer within 1.0 s");
    expect_good(*target, name);
  }
}

TEST(ExternalTarget, ACrashThatOnlyAnEarlierCaseExplainsIsNotTheCases) {
  auto target = make_target();
  expect_good(*target, "the start");
  const Outcome outcome = target->run(make_case("segv_unless_first"), nullptr);
  EXPECT_EQ(outcome.status, Status::Ok) << outcome.message;
  EXPECT_THAT(outcome.detail, HasSubstr("1 earlier cases failed on this one (SIGABRT)"));
}

TEST(ExternalTarget, WhatTheWorkerSaysItDoesNotTakeIsUnsupported) {
  auto target = make_target();
  const Outcome outcome = target->run(make_case("kill", "f64[2]"), nullptr);
  EXPECT_EQ(outcome.status, Status::Unsupported);
  EXPECT_EQ(outcome.message, "stand-in does not take f64");
}

TEST(ExternalTarget, AWorkerThatCannotStartIsOneClearLine) {
  auto error = [](std::vector<std::string> command) {
    return make_external_target("T", std::move(command)).error().reason;
  };
  EXPECT_EQ(error({"python3", workers + "never_greets.py"}),
            "T: the worker does not start: the worker died: exit 1: ModuleNotFoundError: No module named 'nothing'");
  EXPECT_EQ(error({"/nowhere/python"}), "cannot start /nowhere/python: No such file or directory");
  EXPECT_THAT(error({"echo", "hi"}), HasSubstr("does not speak the adapter protocol"));
}

}  // namespace
}  // namespace parallax
