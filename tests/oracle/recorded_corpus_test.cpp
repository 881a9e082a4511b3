// Every case of the corpus that records what eager returned, held against the oracle.
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/examine.h"
#include "backends/recorded_target.h"
#include "graph/case.h"
#include "graph/case_json.h"
#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

TEST(RecordedCorpus, TheOracleAgreesWithWhatEagerReturned) {
  const auto recorded = make_recorded_target();
  int held = 0;
  int weak_cases = 0;
  const auto folder = std::filesystem::path(PARALLAX_SOURCE_DIR) / "corpus/cases";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_text_file(entry.path());
    ASSERT_TRUE(text) << text.error().text();
    const auto test = parse_case(*text, entry.path().string());
    ASSERT_TRUE(test) << test.error().text();
    if (!test->expect.outputs) continue;
    ++held;
    const Judgement judgement = examine(*recorded, *test).judgement;
    // Of some elements at the edge of a function's domain nothing sharp is known.
    const bool weak = judgement.verdict == Verdict::Undecided && judgement.counts.undecided == judgement.counts.weak;
    EXPECT_TRUE(judgement.verdict == Verdict::Match || weak) << entry.path() << ": " << judgement.reason;
    weak_cases += weak;
  }
  EXPECT_GE(held, 42);
  EXPECT_LE(weak_cases, held / 20);
}

}  // namespace
}  // namespace parallax
