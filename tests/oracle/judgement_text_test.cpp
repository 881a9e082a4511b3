// The words of a judgement: signatures and findings on disk hold them, so they stay as they are.
#include "oracle/judgement_text.h"

#include <gtest/gtest.h>

#include "oracle/detector.h"

namespace parallax {
namespace {

TEST(JudgementText, RunsAreNamed) {
  EXPECT_EQ(run_text({}), "A");
  EXPECT_EQ(run_text({RunKind::B}), "B");
  EXPECT_EQ(run_text({RunKind::Later, 2}), "run 2");
  EXPECT_EQ(run_text({RunKind::AKeptAfterB}), "A, read again after B");
  EXPECT_EQ(run_text({RunKind::AKeptAfterTheLast}), "A, read again after the last run");
  EXPECT_EQ(run_text({RunKind::AOnFreshInstance}), "A on a fresh instance");
  EXPECT_EQ(run_text({RunKind::LaterOnFreshInstance, 3}), "run 3 on a fresh instance");
}

TEST(JudgementText, PlacesAreNamed) {
  EXPECT_EQ(place_text({PlaceKind::Output, 1, "e"}), "out[1] e");
  EXPECT_EQ(place_text({PlaceKind::Input, 0, "x"}), "input x after the run");
  EXPECT_EQ(tensor_text({PlaceKind::Input, 0, "x"}), "input x");
  EXPECT_EQ(place_text({PlaceKind::Buffer, 0, "cache"}), "buffer cache after the run");
  EXPECT_EQ(place_text({PlaceKind::Gradient, 0, "x"}), "gradient of x");
  EXPECT_EQ(place_text({PlaceKind::Outputs}), "the outputs");
  EXPECT_EQ(place_text({PlaceKind::Output, 0, "{}"}), "out[0] {}") << "a name is no format";
}

TEST(JudgementText, ADivergenceIsOneLine) {
  Judgement judgement;
  Divergence& divergence = judgement.divergence.emplace();
  divergence.run = {RunKind::B};
  divergence.place = {PlaceKind::Output, 0, "e"};
  divergence.sizes = {2};
  divergence.element = 1;
  divergence.expected = "2";
  divergence.got = "3";
  divergence.outside = 1;
  divergence.total = 2;
  EXPECT_EQ(reason_line(divergence), "B: out[0] e element 1: expected 2 got 3");
  EXPECT_EQ(explanation_line(judgement),
            "out[0] e: f32[2]   element 1: expected 2   got 3   1 of 2 elements outside the bound (B)");
  divergence.kind = DivergenceKind::Shape;
  EXPECT_EQ(reason_line(divergence), "B: out[0] e: expected 2, got 3");
  EXPECT_EQ(explanation_line(judgement), reason_line(divergence));
}

TEST(Detectors, NamesReadBack) {
  for (const DetectorRow& row : detector_rows) {
    EXPECT_EQ(name(row.detector), row.name);
    EXPECT_EQ(detector_raising(row.raises), row.raises.empty() ? std::nullopt : std::optional(row.detector));
  }
  EXPECT_FALSE(detector_raising("RuntimeError"));
  for (const std::string& choice : detect_choices()) EXPECT_EQ(detect_text(*parse_detect(choice)), choice);
  EXPECT_EQ(detect_choices(), (std::vector<std::string>{"values", "plan", "sanitizer", "passes", "all"}));
  EXPECT_FALSE(parse_detect("builds")) << "it raises nothing";
}

}  // namespace
}  // namespace parallax
