// Known findings: which divergences are not news.
#include "corpus/known.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "graph/builder.h"
#include "graph/text_file.h"
#include "ops/registry.h"
#include "places.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

using Versions = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view signature = "mismatch | onnxruntime | values | neg";

class Known : public testing::Test {
 protected:
  void SetUp() override { path_ = fs::path(testing::TempDir()) / fmt::format("known_{}.jsonl", ::getpid()); }
  void TearDown() override { fs::remove(path_); }

  Result<KnownFindings> read(std::string_view text) const {
    EXPECT_TRUE(write_text_file(path_, text));
    return KnownFindings::read(path_, "2026-06-15");
  }
  bool knows(std::string_view text, std::string_view target, const Versions& versions = {}) const {
    const Result<KnownFindings> known = read(text);
    EXPECT_TRUE(known) << known.error().text();
    return known && known->find(signature, target, versions) != nullptr;
  }
  fs::path path_;
};

TEST(VersionOrder, GoesNumberByNumber) {
  for (const auto& [older, newer] :
       {std::pair("1.9", "1.22.0"), std::pair("1.22.0", "1.22.1"), std::pair("1.4", "1.4.1"),
        std::pair("2026.4.1", "2027.0"), std::pair("1.0rc1", "1.0rc2"), std::pair("1.0.20251020", "1.0.20261020")}) {
    EXPECT_TRUE(is_older_version(older, newer)) << older << " " << newer;
    EXPECT_FALSE(is_older_version(newer, older)) << older << " " << newer;
  }
  EXPECT_FALSE(is_older_version("1.22.0", "1.22.0"));
}

TEST_F(Known, ASignatureHoldsForItsTargetInEveryVersionWithEveryOption) {
  const std::string text = R"({"signature": "mismatch | onnxruntime | values | neg", "target": "onnxruntime"})"
                           "\n";
  EXPECT_TRUE(knows(text, "onnxruntime"));
  EXPECT_FALSE(knows(text, "openvino"));
  const auto known = read(text);
  ASSERT_TRUE(known);
  EXPECT_NE(known->find("mismatch | onnxruntime@1.20.1?level=2 | values | neg", "onnxruntime@1.20.1?level=2", {}),
            nullptr);
  EXPECT_EQ(known->find("mismatch | onnxruntime | values | exp", "onnxruntime", {}), nullptr);
}

// What one switch brings about is news without it.
TEST_F(Known, AnEntryWithOptionsHoldsWhereTheyAreGiven) {
  const std::string text = R"({"signature": "mismatch | onnxruntime?level=2 | values | neg", "target": )"
                           R"("onnxruntime?level=2"})"
                           "\n";
  const auto known = read(text);
  ASSERT_TRUE(known) << known.error().text();
  for (const auto& [target, holds] :
       {std::pair("onnxruntime?level=2", true), std::pair("onnxruntime@1.20.1?arena=off&level=2", true),
        std::pair("onnxruntime", false), std::pair("onnxruntime?level=22", false),
        std::pair("openvino?level=2", false)}) {
    const std::string signed_so = fmt::format("mismatch | {} | values | neg", target);
    EXPECT_EQ(known->find(signed_so, target, {}) != nullptr, holds) << target;
  }
  Finding finding;
  finding.target = "onnxruntime@1.20.1?level=2";
  finding.signature = "mismatch | onnxruntime@1.20.1?level=2 | values | neg";
  EXPECT_TRUE(knows(known_line(finding) + "\n", "onnxruntime?level=2"));
  EXPECT_FALSE(knows(known_line(finding) + "\n", "onnxruntime"));
}

TEST_F(Known, ARangeOfVersionsHoldsInside) {
  const auto text = [](std::string_view range) {
    return fmt::format(R"({{"signature": "{}", "versions": {{"onnxruntime": "{}"}}}})", signature, range);
  };
  const auto at = [](const char* version) { return Versions{{"onnxruntime", version}}; };
  EXPECT_TRUE(knows(text("1.9..1.22.0"), "onnxruntime", at("1.20.1")));
  EXPECT_TRUE(knows(text("1.9..1.22.0"), "onnxruntime", at("1.22.0")));
  EXPECT_FALSE(knows(text("1.9..1.22.0"), "onnxruntime", at("1.22.1")));
  EXPECT_FALSE(knows(text("1.9..1.22.0"), "onnxruntime", at("1.8.9")));
  EXPECT_TRUE(knows(text("1.9.."), "onnxruntime", at("2.0")));
  EXPECT_TRUE(knows(text("..1.9"), "onnxruntime", at("1.2")));
  EXPECT_TRUE(knows(text("1.9"), "onnxruntime", at("1.9")));
  EXPECT_FALSE(knows(text("1.9.."), "onnxruntime"));  // a version that is not told is no proof
}

TEST_F(Known, AnEntryHoldsUntilTheDayItExpires) {
  const auto text = [](std::string_view day) {
    return fmt::format(R"({{"signature": "{}", "expires": "{}"}})", signature, day);
  };
  EXPECT_TRUE(knows(text("2026-06-15"), "onnxruntime"));
  EXPECT_FALSE(knows(text("2026-06-14"), "onnxruntime"));
  EXPECT_EQ(read(text("2026-06-14"))->expired().size(), 1U);
}

// Written when in-place and functional twins were told apart.
TEST_F(Known, AnEntryOfATwinHolds) {
  EXPECT_TRUE(read(R"({"signature": "mismatch | onnxruntime | values | add_.Tensor exp; add_.Tensor!input"})")
                  ->find("mismatch | onnxruntime | values | add.Tensor exp", "onnxruntime", {}));
}

TEST_F(Known, ABrokenLineIsNamedAndTheOthersHold) {
  for (const auto& [line, reason] :
       {std::pair(R"({"target": "portable"})", "signature"), std::pair(R"({"signature": 1})", "signature"),
        std::pair(R"({"signature": "s", "expires": "soon"})", "YYYY-MM-DD"),
        std::pair(R"({"signature": "s", "url": 7})", "/url"), std::pair(R"({"signature": "s", "urls": ""})", "urls"),
        std::pair(R"({"signature": "s", "avoid": {"aten.nag.default": []}})", "aten.nag.default"),
        std::pair(R"({"signature": "s", "avoid": {"aten.neg.default": ["f31"]}})", "/avoid/aten.neg.default/0"),
        std::pair("nonsense", ":3")}) {
    const auto known = read("\n{\"signature\": \"s\"}\n" + std::string(line) + "\n");
    ASSERT_TRUE(known) << known.error().text();
    EXPECT_EQ(known->entries().size(), 1U);
    ASSERT_EQ(known->broken().size(), 1U) << line;
    const std::string told = known->broken()[0].text();
    EXPECT_NE(told.find(reason), std::string::npos) << told;
    EXPECT_NE(told.find(":3"), std::string::npos) << told;
  }
}

TEST_F(Known, CallsAreAvoidedWhereTheirEntryHolds) {
  const auto known = read(R"({"signature": "s", "target": "tract", "versions": {"tract": "..0.23.9"},)"
                          R"( "avoid": {"aten.neg.default": ["f32", "f16"]}})"
                          "\n");
  ASSERT_TRUE(known) << known.error().text();
  const Op& neg = op_named("aten.neg.default");
  const Versions now = {{"tract", "0.23.9"}};
  EXPECT_TRUE(known->avoids(neg, DType::F16, "tract", now));
  EXPECT_FALSE(known->avoids(neg, DType::F64, "tract", now));
  EXPECT_TRUE(known->avoids(op_named("aten.neg_.default"), DType::F32, "tract", now));
  EXPECT_FALSE(known->avoids(op_named("aten.abs.default"), DType::F16, "tract", now));
  EXPECT_FALSE(known->avoids(neg, DType::F16, "tvm", now));
  EXPECT_FALSE(known->avoids(neg, DType::F16, "tract", {{"tract", "0.24.0"}}));
}

TEST_F(Known, AFindingOfOneCallIsToBeAvoidedUnlessItOnlyMoves) {
  const auto avoids = [&](std::string_view op, std::vector<std::string_view> before = {}) {
    GraphBuilder builder;
    const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F16, contiguous_layout({2, 3}));
    for (const std::string_view first : before) builder.add_output(*builder.call(first, {x}));
    builder.add_output(*builder.call(op, {x}));
    Finding finding;
    finding.target = "tract";
    finding.signature = "s";
    finding.reduced.graph = builder.take();
    const auto known = read(known_line(finding) + "\n");
    EXPECT_TRUE(known) << known.error().text();
    return known && known->avoids(op_named(op), DType::F16, "tract", {});
  };
  EXPECT_TRUE(avoids("aten.neg.default"));
  EXPECT_TRUE(avoids("aten.neg_.default"));
  EXPECT_FALSE(avoids("aten.neg.default", {"aten.abs.default"}));
  EXPECT_FALSE(avoids("aten.t.default"));
  EXPECT_FALSE(avoids("aten.clone.default"));
}

// An entry without a target or versions would hide what a later release does.
TEST(ShippedKnown, EachEntryIsOfOneReleaseOfOneSystem) {
  const auto known = KnownFindings::read(PARALLAX_SOURCE_DIR "/corpus/known.jsonl", "2026-11-23");
  ASSERT_TRUE(known) << known.error().text();
  EXPECT_GT(known->entries().size(), 90U);
  for (const KnownFinding& entry : known->entries()) {
    EXPECT_EQ(entry.versions.size(), 1U) << entry.signature;
    EXPECT_NE(entry.signature.find(fmt::format("| {} |", entry.target)), std::string::npos) << entry.signature;
    EXPECT_EQ(known->find(entry.signature, entry.target, {}), nullptr) << "of any version: " << entry.signature;
  }
}

TEST_F(Known, TheLineOfAFindingKnowsIt) {
  Finding finding;
  finding.target = "onnxruntime@1.20.1";
  finding.signature = "mismatch | onnxruntime@1.20.1 | values | neg";
  finding.versions = {{"onnxruntime", "1.20.1"}};
  const auto known = read(known_line(finding) + "\n");
  ASSERT_TRUE(known) << known.error().text();
  EXPECT_NE(known->find(finding.signature, finding.target, finding.versions), nullptr);
  EXPECT_NE(known->find(signature, "onnxruntime", finding.versions), nullptr);
  EXPECT_EQ(known->find(signature, "onnxruntime", {{"onnxruntime", "1.31.1"}}), nullptr);
}

}  // namespace
}  // namespace parallax
