#include "core/choices.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "core/philox.h"

namespace parallax {
namespace {

TEST(Choices, ATapeReplaysWhatASeedDrew) {
  Choices seeded(42, 3);
  std::vector<uint64_t> drawn;
  for (uint64_t n : {2, 7, 256, 257, 70000}) drawn.push_back(seeded.below(n));
  const std::vector<uint8_t> tape = seeded.tape();
  Choices replayed(tape);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    EXPECT_EQ(replayed.below(std::array<uint64_t, 5>{2, 7, 256, 257, 70000}[i]), drawn[i]);
}

TEST(Choices, PastTheEndEverythingIsTheSimplestChoice) {
  Choices empty(std::span<const uint8_t>{});
  EXPECT_EQ(empty.below(1000), 0U);
  EXPECT_FALSE(empty.chance(99));
  EXPECT_EQ(empty.between(-3, 5), -3);
}

TEST(Choices, StreamsOfOneSeedDiffer) {
  Choices a(1, 0), b(1, 1), again(1, 0);
  const uint64_t first = a.below(uint64_t{1} << 62);
  EXPECT_NE(first, b.below(uint64_t{1} << 62));
  EXPECT_EQ(first, again.below(uint64_t{1} << 62));
}

TEST(Choices, DrawsAreSpreadAsAsked) {
  Choices choices(9, 9);
  const std::array<uint32_t, 3> weights = {1, 0, 3};
  std::map<std::size_t, int> seen;
  for (int i = 0; i < 40000; ++i) ++seen[choices.weighted(weights)];
  EXPECT_EQ(seen[1], 0);
  EXPECT_NEAR(seen[2], 30000, 600);
}

TEST(Choices, SpansNestAndCoverTheirBytes) {
  Choices choices(5, 5);
  {
    const Choices::Scope outer(choices, "node");
    choices.below(10);
    const Choices::Scope inner(choices, "operand");
    choices.below(10);
  }
  ASSERT_EQ(choices.spans().size(), 2U);
  EXPECT_EQ(choices.spans()[0].end, 2U);
  EXPECT_EQ(choices.spans()[1].begin, 1U);
  EXPECT_EQ(choices.spans()[1].depth, 1);
}

// Known answers of Philox 4x32-10 from the Random123 distribution (kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32(0, 0), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

}  // namespace
}  // namespace parallax
