// Edits of tapes: each cuts at spans, and whatever comes out is a tape of a valid case.
#include "fuzz/generate/tape_mutator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fuzz/generate/generate.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// A tape that a person can read: how many nodes, two bytes for each, two feeds.
void read_plain(Choices& choices) {
  uint64_t nodes = 0;
  {
    const Choices::Scope scope(choices, node_count_span);
    nodes = choices.below(8);
  }
  for (uint64_t i = 0; i < nodes; ++i) {
    const Choices::Scope scope(choices, node_span);
    choices.below(256);
    choices.below(256);
  }
  for (int i = 0; i < 2; ++i) {
    const Choices::Scope scope(choices, "feed");
    choices.below(256);
  }
}

void read_case(Choices& choices) { generate(choices, {GenerateProfile::All, 1, 12}); }

const Bytes plain = {2, 10, 11, 20, 21, 30, 40};
enum PlainSpan : std::size_t { Count, Node1, Node2, Feed1, Feed2 };

Bytes edit_plain(TapeEdit edit, std::size_t at, std::size_t other = 0) {
  Choices draws(1, 0);
  return edited(read_spans(plain, read_plain), edit, at, other, draws);
}

TEST(TapeMutator, ReadsSpansAndDropsWhatIsNotRead) {
  Bytes longer = plain;
  longer.insert(longer.end(), {1, 2, 3});
  const SpannedTape tape = read_spans(longer, read_plain);
  EXPECT_EQ(tape.bytes, plain);
  EXPECT_THAT(tape.spans, SizeIs(5));
}

TEST(TapeMutator, TakesANodeAwayAndCountsOneLess) {
  EXPECT_THAT(edit_plain(TapeEdit::Remove, Node1), ElementsAre(1, 20, 21, 30, 40));
  EXPECT_THAT(edit_plain(TapeEdit::Remove, Node2), ElementsAre(1, 10, 11, 30, 40));
  EXPECT_THAT(edit_plain(TapeEdit::Remove, Feed1), ElementsAre(2, 10, 11, 20, 21, 40));
}

TEST(TapeMutator, RepeatsANodeAndCountsOneMore) {
  EXPECT_THAT(edit_plain(TapeEdit::Duplicate, Node1), ElementsAre(3, 10, 11, 10, 11, 20, 21, 30, 40));
}

TEST(TapeMutator, SwapsAndCopiesWholeSpans) {
  EXPECT_THAT(edit_plain(TapeEdit::Swap, Node1, Node2), ElementsAre(2, 20, 21, 10, 11, 30, 40));
  EXPECT_EQ(edit_plain(TapeEdit::Swap, Node2, Node1), edit_plain(TapeEdit::Swap, Node1, Node2));
  EXPECT_THAT(edit_plain(TapeEdit::Copy, Node1, Node2), ElementsAre(2, 20, 21, 20, 21, 30, 40));
  EXPECT_THAT(edit_plain(TapeEdit::Copy, Feed2, Feed1), ElementsAre(2, 10, 11, 20, 21, 30, 30));
  EXPECT_EQ(edit_plain(TapeEdit::Swap, Node1, Node1), plain);
}

TEST(TapeMutator, RedrawsOneSpanInPlace) {
  const Bytes redrawn = edit_plain(TapeEdit::Redraw, Node2);
  ASSERT_EQ(redrawn.size(), plain.size());
  EXPECT_NE(redrawn, plain);
  for (const std::size_t kept : {0, 1, 2, 5, 6}) EXPECT_EQ(redrawn[kept], plain[kept]);
}

TEST(TapeMutator, CrossesSpansOfOneLabel) {
  const Bytes other = {1, 90, 91, 70, 80};
  std::set<Bytes> results;
  for (uint64_t seed = 0; seed < 200; ++seed) results.insert(crossed(plain, other, 64, read_plain, seed));
  EXPECT_TRUE(results.contains({2, 90, 91, 20, 21, 30, 40}));
  EXPECT_TRUE(results.contains({3, 10, 11, 90, 91, 20, 21, 30, 40}));
  EXPECT_TRUE(results.contains({2, 10, 11, 20, 21, 70, 40}));
  EXPECT_FALSE(results.contains({2, 70, 20, 21, 30, 40}));
}

std::size_t fill_with_sevens(uint8_t* data, std::size_t, std::size_t max_size) {
  std::fill_n(data, max_size, uint8_t{7});
  return max_size;
}

// Over random tapes: nothing longer than asked for, the same for the same seed, always a case; and over the seeds each
// kind of change happens.
TEST(TapeMutator, IsTotalAndKeepsToTheSize) {
  Choices draws(5, 0);
  int shorter = 0, longer = 0, same = 0, by_engine = 0;
  for (uint64_t k = 0; k < 3000; ++k) {
    Choices seeded(6, k);
    read_case(seeded);
    Bytes tape = seeded.tape();
    tape.resize(draws.below(tape.size() + 20));  // cut somewhere, or with zeros behind
    const std::size_t size = read_spans(tape, read_case).bytes.size();
    const std::size_t max_size = 1 + draws.below(2 * size + 1);
    const Bytes changed = mutated(tape, max_size, read_case, fill_with_sevens, k);
    ASSERT_LE(changed.size(), max_size);
    ASSERT_EQ(changed, mutated(tape, max_size, read_case, fill_with_sevens, k));
    const Bytes both = crossed(tape, changed, max_size, read_case, k);
    ASSERT_LE(both.size(), max_size);
    for (const Bytes& result : {changed, both}) {
      Choices replayed(result);
      const Case test = generate(replayed, {GenerateProfile::All, 1, 12});
      ASSERT_FALSE(test.graph.outputs.empty());
      ASSERT_EQ(test.feed.size(), feed_slots(test.graph).size());
    }
    const bool sevens = std::ranges::all_of(changed, [](uint8_t byte) { return byte == 7; });
    by_engine += sevens;
    if (sevens || max_size <= size) continue;
    shorter += changed.size() < size;
    longer += changed.size() > size;
    same += changed.size() == size;
  }
  EXPECT_GT(by_engine, 500);
  EXPECT_GT(shorter, 50);
  EXPECT_GT(longer, 50);
  EXPECT_GT(same, 50);
}

// A node that is taken out of a real case leaves one node less; the sources stay, where no structure brings its own.
TEST(TapeMutator, TakesANodeOutOfACase) {
  constexpr auto read = [](Choices& choices) { generate(choices, {GenerateProfile::Alias, 1, 12}); };
  int cut = 0;
  for (uint64_t k = 0; k < 100; ++k) {
    Choices seeded(8, k);
    const Case before = generate(seeded, {GenerateProfile::Alias, 1, 12});
    const SpannedTape tape = read_spans(seeded.tape(), read);
    const auto node = std::ranges::find(tape.spans, node_span, &Choices::Span::label);
    const auto count = std::ranges::find(tape.spans, node_count_span, &Choices::Span::label);
    if (tape.bytes[count->begin] % 12 == 0) continue;  // one node, or none but a first call
    ASSERT_NE(node, tape.spans.end());
    Choices draws(1, k);
    const auto at = static_cast<std::size_t>(node - tape.spans.begin());
    const Bytes shorter = edited(tape, TapeEdit::Remove, at, at, draws);
    const SpannedTape after = read_spans(shorter, read);
    Choices replayed(shorter);
    const Case test = generate(replayed, {GenerateProfile::Alias, 1, 12});
    EXPECT_EQ(test.graph.sources.size(), before.graph.sources.size());
    const auto nodes = [](const SpannedTape& of) {
      return std::ranges::count(of.spans, node_span, &Choices::Span::label);
    };
    EXPECT_EQ(nodes(after), nodes(tape) - 1);
    ++cut;
  }
  EXPECT_GT(cut, 50);
}

}  // namespace
}  // namespace parallax
