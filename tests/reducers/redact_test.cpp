// Redacted cases: nothing of the user's numbers and names stays but what the finding needs, and that is counted.
#include "reducers/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/case_json.h"
#include "graph/runs.h"
#include "tests/support/graph_text.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Case secret() {
  Case test = testing::case_of(R"({
      "inputs": {"customer": {"type": "f32[2]"}, "ids": {"type": "i64[3]"}},
      "constants": {"weights": {"type": "f32[2,2]", "data": [0.125, 7.5, 3.25, 9.75]}},
      "buffers": {"history": {"type": "f32[2]", "data": [-4.5, 6.5]}},
      "nodes": [
        {"out": "score", "op": "aten.mv.default", "args": ["%weights", "%customer"]},
        {"out": "total", "op": "aten.add_.Tensor", "args": ["%history", "%score"]}],
      "outputs": ["%total", "%ids"]})",
                               R"({"customer": [31.5, -42.5], "ids": [77, 88, 99]})");
  test.name = "the customer's model";
  test.origin = R"({"source": "customer/model.pt2", "target": "portable"})";
  return test;
}

TEST(Redact, LeavesNoNumberAndNoNameOfTheUsers) {
  const Redaction redaction = redact(secret(), [](const Case&) { return true; });
  EXPECT_EQ(redaction.values, 4 + 2 + 2 + 3);
  EXPECT_EQ(redaction.left, 0);
  EXPECT_THAT(redaction.kept, IsEmpty());
  for (const char* word : {"customer", "weights", "history", "score", "ids", "7.5", "31.5", "-4.5", "77", "model"}) {
    EXPECT_THAT(redaction.text, Not(HasSubstr(word)));
  }
  EXPECT_THAT(redaction.text, HasSubstr("\"random\""));
  EXPECT_THAT(redaction.test.origin, HasSubstr("portable"));
  const Result<Case> read = parse_case(redaction.text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read), to_json(redaction.test));
}

TEST(Redact, KeepsTheSignsOfWhatIsPositiveAndIndices) {
  const Redaction redaction = redact(secret(), [](const Case&) { return true; });
  for (const Source& source : redaction.test.graph.sources) {
    if (source.kind != SourceKind::Constant) continue;
    for (int64_t i = 0; i < source.data.numel(); ++i) EXPECT_GE(source.data.get_double(i), 0);
  }
  const Tensor& ids = redaction.test.feed.back();
  ASSERT_EQ(ids.dtype, DType::I64);
  for (int64_t i = 0; i < ids.numel(); ++i) EXPECT_TRUE(ids.get_integer(i) == 0 || ids.get_integer(i) == 1);
}

TEST(Redact, KeepsWhatTheFindingNeedsAndCountsIt) {
  const auto needs_the_history = [](const Case& test) {
    const auto buffer = std::ranges::find(test.graph.sources, SourceKind::Buffer, &Source::kind);
    return buffer->data.get_double(1) == 6.5;
  };
  const Redaction redaction = redact(secret(), needs_the_history);
  EXPECT_EQ(redaction.left, 2);
  EXPECT_THAT(redaction.kept, ElementsAre("s"));
  EXPECT_TRUE(needs_the_history(redaction.test));
  EXPECT_THAT(redaction.text, HasSubstr("6.5"));
  EXPECT_THAT(redaction.text, Not(HasSubstr("9.75")));
}

TEST(Redact, TakesTheFeedsOfEveryRun) {
  for (const Case& test : {testing::mean_case(), testing::counting_case()}) {
    const Redaction redaction = redact(test, [](const Case&) { return true; });
    EXPECT_EQ(redaction.left, 0);
    EXPECT_EQ(redaction.test.later.size(), test.later.size());
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      EXPECT_NE(feed_of_run(redaction.test, run).front().bytes, feed_of_run(test, run).front().bytes);
    }
  }
}

}  // namespace
}  // namespace parallax
