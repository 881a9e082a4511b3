// Guided tapes: the same graphs for the same seed, half of them those of the plain sequence, and what is new is kept.
#include "fuzz/generate/guided_tapes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fuzz/generate/generate.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

Case drawn(Choices& choices) { return generate(choices, {.max_nodes = 8}); }

TEST(GuidedTapes, AreTheSameForASeedAndOtherwiseOthers) {
  GuidedTapes first(3, drawn);
  GuidedTapes again(3, drawn);
  GuidedTapes other(4, drawn);
  int different = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string json = to_json(first.next());
    EXPECT_EQ(json, to_json(again.next())) << "graph " << k;
    different += json != to_json(other.next());
  }
  EXPECT_GT(different, 190);
}

TEST(GuidedTapes, AboutHalfAreEditsOfWhatWasNew) {
  GuidedTapes tapes(5, drawn);
  std::set<std::string> plain;
  for (uint64_t k = 0; k < 1000; ++k) {
    Choices choices(5, k);
    plain.insert(to_json(drawn(choices)));
  }
  int anew = 0;
  std::size_t kept_early = 0;
  for (int k = 0; k < 1000; ++k) {
    anew += plain.contains(to_json(tapes.next()));
    if (k == 100) kept_early = tapes.kept();
  }
  EXPECT_GT(anew, 430);
  EXPECT_LT(anew, 600);
  // Nearly every graph is new at first, fewer are later.
  EXPECT_GT(kept_early, 80U);
  EXPECT_LT(tapes.kept() - kept_early, 899 - 50U);
}

}  // namespace
}  // namespace parallax
