// The trigger map of planted faults: what shares the fault fails, what avoids it passes.
#include "fuzz/findings/trigger_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backends/open_target.h"
#include "export/emit_pytest.h"
#include "export/emit_pytorch.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/text_file.h"
#include "places.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

Case seed(const std::string& name) {
  const auto text = read_text_file(std::string(PARALLAX_SOURCE_DIR "/corpus/cases/seeds/") + name + ".json");
  EXPECT_TRUE(text);
  auto test = parse_case(*text);
  EXPECT_TRUE(test) << test.error().text();
  return *std::move(test);
}

TriggerMap map_of(const Case& test, const std::vector<std::string>& faults, const std::string& name = "portable") {
  const auto target = open_target(name, {.faults = faults});
  EXPECT_TRUE(target) << target.error().text();
  return trigger_map(**target, test);
}

Verdict verdict_of(const TriggerMap& map, std::string_view about, std::string_view edit) {
  const auto found = std::ranges::find_if(map.neighbours, [&](const JudgedNeighbour& one) {
    return one.neighbour.about == about && one.neighbour.edit == edit;
  });
  EXPECT_NE(found, map.neighbours.end()) << about << ": " << edit << "\n" << describe(map);
  return found == map.neighbours.end() ? Verdict::Undecided : found->judgement.verdict;
}

TEST(TriggerMap, OfAnElidedCopy) {
  // Simplified, neg(neg(e)) would be one more elided copy.
  const TriggerMap map = map_of(seed("s1-numeric-clone"), {"F01"}, "portable?passes=functionalize,elide_copies");
  EXPECT_EQ(map.judgement.verdict, Verdict::Mismatch);
  for (const char* copy : {"alias_copy", "detach_copy", "lift_fresh_copy"}) {
    EXPECT_EQ(verdict_of(map, "n1 = clone(n0)", copy), Verdict::Mismatch) << copy;
  }
  EXPECT_EQ(verdict_of(map, "n1 = clone(n0)", "add 0"), Verdict::Match);
  EXPECT_EQ(verdict_of(map, "outputs", "without out[1]"), Verdict::Match);  // the alias is not read any more
  EXPECT_THAT(describe(map),
              ::testing::HasSubstr("n1 = clone(n0): fails for alias_copy, detach_copy, lift_fresh_copy"));
}

TEST(TriggerMap, WithoutTheFaultNothingFails) {
  for (const char* name : {"s1-numeric-clone", "s3-read-write-read", "s4-permute-reshape-sum"}) {
    const TriggerMap map = map_of(seed(name), {});
    EXPECT_GT(map.neighbours.size(), 10U) << name;
    for (const JudgedNeighbour& one : map.neighbours) {
      EXPECT_FALSE(is_finding(one.judgement.verdict))
          << name << ", " << one.neighbour.about << ": " << one.neighbour.edit;
    }
  }
}

TEST(Neighbours, AreValidAndDifferFromTheCaseAndEachOther) {
  Case test = seed("s2-in-place-through-a-view");
  test.expect = {};
  std::set<std::string> texts = {to_json(test)};
  for (const Neighbour& neighbour : neighbours_of(test)) {
    const std::string text = to_json(neighbour.test);
    EXPECT_TRUE(texts.insert(text).second) << neighbour.about << ": " << neighbour.edit;
    EXPECT_TRUE(parse_case(text)) << neighbour.about << ": " << neighbour.edit;
  }
  EXPECT_GT(texts.size(), 10U);
}

// Every op's arguments are tried on its siblings: None and a number are no value of each parameter of that kind.
TEST(Neighbours, AreMadeOfWhateverIsGenerated) {
  std::size_t made = 0;
  for (uint64_t k = 0; k < 150; ++k) {
    Choices choices(171826003673962, k);
    made += neighbours_of(generate(choices, testing::portable_options())).size();
  }
  EXPECT_GT(made, 1000U);
}

TEST(EmitPytest, HoldsEachVariantAgainstEager) {
  const Case test = seed("s1-numeric-clone");
  const auto text = emit_pytest({{"a \"b\"", test}, {"c", test}}, pytorch_script_target("torch-inductor"));
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_THAT(*text, ::testing::HasSubstr("    pytest.param(Variant0, (inputs_0,), id=\"a \\\"b\\\"\"),\n"));
  EXPECT_THAT(*text, ::testing::HasSubstr("class Variant1(torch.nn.Module):"));
  EXPECT_THAT(*text, ::testing::HasSubstr("def test_agrees_with_eager(make_module, feeds):"));
  EXPECT_FALSE(emit_pytest({{"c", test}}, pytorch_script_target("onnxruntime")));
}

}  // namespace
}  // namespace parallax
