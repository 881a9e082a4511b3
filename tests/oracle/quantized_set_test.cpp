// The recorded set of quantized programs, held against the oracle element by element.
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/recorded_target.h"
#include "graph/case_files.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "places.h"

namespace parallax {
namespace {

TEST(QuantizedSet, IsDecidedAndMostIntegersAreOneValue) {
  const auto cases = read_cases(PARALLAX_DATA_DIR "/conformance/quantized.jsonl.gz");
  ASSERT_TRUE(cases) << cases.error().text();
  ASSERT_EQ(cases->size(), 894U);
  const auto recorded = make_recorded_target();
  int64_t elements = 0;
  int64_t undecided = 0;
  int64_t integers = 0;
  int64_t single = 0;
  for (const Result<Case>& test : *cases) {
    ASSERT_TRUE(test) << test.error().text();
    const Judgement judgement = examine(*recorded, *test).judgement;
    EXPECT_TRUE(judgement.verdict == Verdict::Match || judgement.verdict == Verdict::Undecided)
        << test->name << ": " << judgement.reason;
    elements += judgement.counts.total;
    undecided += judgement.counts.undecided;
    const auto expected = expected_runs(*find_profile("eager"), *test);
    ASSERT_TRUE(expected) << test->name;
    for (const BallTensor& output : expected->a.outputs) {
      for (const IntegerBall& integer : output.integers) {
        ++integers;
        single += integer.decided();
      }
    }
  }
  EXPECT_LE(static_cast<double>(undecided), 0.02 * static_cast<double>(elements));
  EXPECT_GE(static_cast<double>(single), 0.95 * static_cast<double>(integers));
}

// A step of one in a quantized value is seen.
TEST(QuantizedSet, AnIntegerOneStepOffIsAMismatch) {
  const auto cases = read_cases(PARALLAX_DATA_DIR "/conformance/quantized.jsonl.gz");
  ASSERT_TRUE(cases) << cases.error().text();
  const auto recorded = make_recorded_target();
  int spoiled = 0;
  int caught = 0;
  for (const Result<Case>& read : *cases) {
    ASSERT_TRUE(read) << read.error().text();
    Case test = *read;
    Tensor& output = test.expect.outputs->front();
    if (is_floating(output.dtype) || output.numel() == 0 ||
        examine(*recorded, test).judgement.verdict != Verdict::Match)
      continue;
    ++spoiled;
    const int64_t at = spoiled % output.numel();
    output.set_integer(at, output.get_integer(at) + (output.get_integer(at) > 0 ? -1 : 1));
    caught += examine(*recorded, test).judgement.verdict == Verdict::Mismatch;
  }
  ASSERT_GT(spoiled, 100);
  EXPECT_GE(caught, spoiled * 95 / 100);
}

}  // namespace
}  // namespace parallax
