#include "corpus/version_history.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

VersionHistory sample() {
  return {"onnxruntime",
          "1.20.0",
          "",
          true,
          {{"1.9.0", "match", false}, {"1.22.0", "mismatch", true}, {"1.20.0", "mismatch", true}}};
}

TEST(VersionHistoryTest, ComesBackFromItsJson) {
  const std::string json = version_history_json(sample());
  const auto read = parse_version_history(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(version_history_json(*read), json);
  EXPECT_EQ(parse_version_history(R"({"first_bad": null, "first_fixed": null, "still_there": 1, "judged": []})")
                .error()
                .pointer,
            "/still_there");
}

TEST(VersionHistoryTest, ReleasesGoByTheirNumbers) {
  std::string order;
  for (const VersionVerdict& one : by_release(sample())) order += one.version + " ";
  EXPECT_EQ(order, "1.9.0 1.20.0 1.22.0 ");
}

TEST(VersionHistoryTest, IsSaidInOneLine) {
  VersionHistory history = sample();
  EXPECT_EQ(describe(history), "wrong since 1.20.0; not fixed in 1.22.0");
  history.first_bad = "";
  EXPECT_EQ(describe(history), "wrong in 1.20.0, the oldest that was tried; not fixed in 1.22.0");
  history.still_there = false;
  history.first_fixed = "1.23.0";
  EXPECT_EQ(describe(history), "wrong in 1.20.0, the oldest that was tried; right from 1.23.0 on");
  history.judged.resize(1);
  EXPECT_EQ(describe(history), "");
}

TEST(VersionHistoryTest, IsReadOffWhatReleasesSay) {
  const auto said = [](std::vector<VersionVerdict> judged) { return describe(history_of("x", std::move(judged))); };
  const VersionVerdict right_1{"1.9.0", "match", false}, wrong_1{"1.9.0", "mismatch", true};
  const VersionVerdict wrong_2{"1.20.0", "crash", true}, right_3{"1.22.0", "match", false};
  EXPECT_EQ(said({wrong_2, right_1}), "wrong since 1.20.0; not fixed in 1.20.0");
  EXPECT_EQ(said({wrong_1, wrong_2}), "wrong in 1.9.0, the oldest that was tried; not fixed in 1.20.0");
  EXPECT_EQ(said({right_1, wrong_2, right_3}), "wrong since 1.20.0; right from 1.22.0 on");
  EXPECT_EQ(said({wrong_1, right_3}), "wrong in 1.9.0, the oldest that was tried; right from 1.22.0 on");
  EXPECT_EQ(said({right_1}), "");
}

}  // namespace
}  // namespace parallax
