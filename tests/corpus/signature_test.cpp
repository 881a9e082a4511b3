#include "corpus/signature.h"

#include <gtest/gtest.h>

#include "graph/case.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

Graph graph_of(std::string_view inputs, std::string_view nodes, std::string_view outputs) {
  std::string json = R"({"parallax": 1, "graph": {"inputs": )" + std::string(inputs) + R"(, "nodes": )" +
                     std::string(nodes) + R"(, "outputs": )" + std::string(outputs) +
                     "}, \"feed\": {\"x\": [1, 2, 3, 4]}}";
  auto test = parse_case(json);
  EXPECT_TRUE(test) << test.error().text();
  return test ? test->graph : Graph();
}

constexpr std::string_view one_input = R"({"x": {"type": "f32[4]"}})";

TEST(Signature, MessagesLoseWhatASeedDetermines) {
  const std::vector<std::string> names = {"v12", "cache", "a"};
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"Expected 3 but got 4.5e-3", "Expected <n> but got <n>"},
      {"  \n\n  failed at /usr/lib/python3/x.py:12 (0x7ffe12ab)\nmore", "failed at <path> (<hex>)"},
      {"Output node 'aten_permute_copy_default' is already in the inputs.",
       "Output node <name> is already in the inputs."},
      {"no kernel for 'aten.foo.default'", "no kernel for 'aten.foo.default'"},
      {"v12 and cache clash with a bug", "<name> and <name> clash with a bug"},
      {"value %v9 is dead", "value <name> is dead"},
      {"node getitem_3 of permute_copy_1", "node getitem of permute_copy"},
      {"int8 and float16 and f32[2,3]", "int8 and float16 and f32[<n>]"},
      {"nothing writes 'v3', 'v4', as when", "nothing writes <name>, as when"},
      {"substitute 1,1,2,F32 by [3, 4],F32", "substitute <n>,F32 by [<n>],F32"},
      {"and/or 1/2", "and/or <n>/<n>"},
      {"(7,) and not (2, 2, 1)", "(<n>) and not (<n>)"},
      {"is 4,Bool false, true, false but not false", "is <n>,Bool <bool> but not false"},
      {R"(("", Loop, "", -1) : ("t.7": tensor(bool),"z": tensor(int64),) -> ("t.2": tensor(bool),), Error)",
       R"(("", Loop, "", -<n>) : (<operand>,) -> (<operand>,), Error)"},
      {"got 'tensor<8x3xi1>' and tensor<f32>", "got 'tensor<<n>xi1>' and tensor<f32>"},
      {"don't", "don't"},
      {"", ""},
  };
  for (const auto& [message, normal] : rows) EXPECT_EQ(normalised_message(message, names), normal);
  EXPECT_LE(normalised_message(std::string(10'000, 'x')).size(), 200U);
}

TEST(Signature, GraphsAreEqualUpToNamesShapesAndOrder) {
  const Graph first = graph_of(one_input, R"([
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "b", "op": "aten.view.default", "args": ["%a", [2, 2]]},
      {"out": "c", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "d", "op": "aten.add_.Tensor", "args": ["%c", "%c"]}])",
                               R"(["%b", "%d"])");
  const Graph second = graph_of(one_input, R"([
      {"out": "q", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "p", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "r", "op": "aten.add_.Tensor", "args": ["%q", "%q"], "kwargs": {"alpha": 3}},
      {"out": "s", "op": "aten.view.default", "args": ["%p", [4, 1]]}])",
                                R"(["%s", "%r"])");
  EXPECT_EQ(graph_signature(first), "add_.Tensor neg sigmoid view; add_.Tensor!neg; view~sigmoid");
  EXPECT_EQ(graph_signature(second), graph_signature(first));
}

TEST(Signature, SharedMemoryTellsGraphsApart) {
  constexpr std::string_view nodes = R"([{"out": "a", "op": "aten.neg.default", "args": ["%x"]}])";
  EXPECT_EQ(graph_signature(graph_of(one_input, nodes, R"(["%a"])")), "neg");
  EXPECT_EQ(graph_signature(graph_of(one_input, nodes, R"(["%a", "%a"])")), "neg; returned~returned");
}

TEST(Signature, AMismatchIsSignedByItsCauseElseByItsGraphAndACrashByItsMessage) {
  const Graph graph = graph_of(one_input, R"([{"out": "a", "op": "aten.neg.default", "args": ["%x"]}])", R"(["%a"])");
  Judgement mismatch;
  mismatch.verdict = Verdict::Mismatch;
  mismatch.divergence = Divergence{};
  EXPECT_EQ(failure_class("portable", mismatch, {}, graph), "mismatch | portable | values");
  EXPECT_EQ(signature("portable", mismatch, {}, graph), "mismatch | portable | values | neg");
  EXPECT_EQ(signature("portable", mismatch, {}, graph, "planner", "alias overwritten"),
            "mismatch | portable | planner | alias overwritten");
  EXPECT_EQ(signature("portable", mismatch, {}, graph, "resize"), "mismatch | portable | resize");
  EXPECT_EQ(signed_verdict(signature("portable", mismatch, {}, graph)), Verdict::Mismatch);
  EXPECT_EQ(signed_verdict("internal_error: no such op"), Verdict::InternalError);
  EXPECT_FALSE(signed_verdict("by hand"));
  Judgement by_run;
  by_run.verdict = Verdict::Nondeterministic;
  EXPECT_EQ(signature("portable", by_run, {}, graph, "planner", "alias overwritten"),
            "mismatch | portable | planner | alias overwritten");
  Judgement error;
  error.verdict = Verdict::InternalError;
  Outcome outcome;
  outcome.status = Status::Error;
  outcome.stage = "lower";
  outcome.kind = "RuntimeError";
  outcome.message = "node a_12 has 3 users";
  EXPECT_EQ(signature("xnnpack", error, outcome, graph),
            "internal_error | xnnpack | lower | RuntimeError | node a has <n> users");
  EXPECT_EQ(signature("portable", error, outcome, graph, "simplify", "refuses"),
            "internal_error | portable | simplify | refuses");
  outcome.stage = "run";  // what wrong numbers bring about
  EXPECT_EQ(signature("portable", error, outcome, graph, "planner", "alias overwritten"),
            "mismatch | portable | planner | alias overwritten");
}

// Every process that is shot down says the same: its signal.
TEST(Signature, ACrashOrAHangThatTellsNothingIsSignedByItsGraph) {
  const Graph graph = graph_of(one_input, R"([{"out": "a", "op": "aten.neg_.default", "args": ["%x"]}])", R"(["%a"])");
  Judgement crash;
  crash.verdict = Verdict::Crash;
  Outcome outcome;
  outcome.status = Status::Crash;
  outcome.kind = "SIGSEGV";
  outcome.message = "the worker died: SIGSEGV";
  EXPECT_EQ(failure_class("mnn", crash, outcome, graph), "crash | mnn | SIGSEGV | the worker died: SIGSEGV");
  EXPECT_EQ(signature("mnn", crash, outcome, graph), "crash | mnn | SIGSEGV | the worker died: SIGSEGV | neg");
  outcome.kind = "SIGABRT";  // what malloc says differs from run to run
  for (const char* said : {"malloc_consolidate(): invalid chunk size", "corrupted size vs. prev_size",
                           "Fatal glibc error: malloc assertion failure in _int_malloc: (unsigned long) (size) >= 0"}) {
    outcome.message = std::string("the worker died: SIGABRT: ") + said;
    EXPECT_EQ(signature("mnn", crash, outcome, graph), "crash | mnn | SIGABRT | a corrupted heap | neg");
  }
  outcome.message = "the worker died: SIGABRT: no such kernel";
  EXPECT_EQ(signature("mnn", crash, outcome, graph),
            "crash | mnn | SIGABRT | the worker died: SIGABRT: no such kernel");
  Judgement hang;
  hang.verdict = Verdict::Hang;
  outcome = {};
  outcome.status = Status::Hang;
  outcome.kind = "silence";
  outcome.message = "no answer within 10.0 s";
  EXPECT_EQ(signature("mnn", hang, outcome, graph), "hang | mnn | silence | no answer within <n> s | neg");
}

// The wrong numbers of an op are one cause whether it writes in place or not; what is shared makes another one.
TEST(Signature, TwinsAreOneCauseWhereNoMemoryIsShared) {
  EXPECT_EQ(without_twins("add_.Tensor exp; add_.Tensor!input"), "add.Tensor exp");
  EXPECT_EQ(without_twins("relu relu_; relu_!input"), "relu*2");
  EXPECT_EQ(without_twins("_softmax neg_*2"), "_softmax neg*2");
  EXPECT_EQ(without_twins("add_.Tensor view; add_.Tensor!input; view~input"),
            "add_.Tensor view; add_.Tensor!input; view~input");
}

TEST(NormalisedMessage, NamesOfConstantsAreIncidental) {
  const std::vector<std::string> names = {"weight", "k0"};
  EXPECT_EQ(normalised_message("b_weight and c_k0 are wrong", names), "<name> and <name> are wrong");
  EXPECT_EQ(normalised_message("no _tensor_constant12", names), normalised_message("no _tensor_constant3", names));
}

}  // namespace
}  // namespace parallax
