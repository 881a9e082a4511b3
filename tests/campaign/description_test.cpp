// By what a campaign is known again: every option that decides what its cases are or what is said of them.
#include "fuzz/campaign/description.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "fuzz/campaign/ledger.h"
#include "graph/text_file.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

// Gives one field another value, that of a number in the order of the visit.
class Change {
 public:
  explicit Change(int wanted) : wanted_(wanted) {}

  template <class Field>
  void decides(std::string_view name, Field& field) {
    change(name, field, true);
  }
  template <class Field>
  void leaves_open(std::string_view name, Field& field) {
    change(name, field, false);
  }

  const std::string& changed() const { return changed_; }  // the field's name; empty past the last one
  bool changed_decides() const { return decides_; }

 private:
  template <class Field>
  void change(std::string_view name, Field& field, bool decides) {
    if (visited_++ != wanted_) return;
    changed_ = name;
    decides_ = decides;
    alter(field);
  }
  static void alter(bool& field) { field = !field; }
  static void alter(int& field) { ++field; }
  static void alter(uint64_t& field) { ++field; }
  static void alter(double& field) { field += 1; }
  static void alter(std::string& field) { field += "other"; }
  static void alter(std::vector<std::string>& field) { field.emplace_back("other"); }
  static void alter(std::map<std::string, std::string>& field) { field["other"] = "default"; }
  static void alter(std::optional<double>& field) { field = 7; }
  static void alter(std::optional<uint64_t>& field) { field = 7; }
  static void alter(std::optional<std::filesystem::path>& field) { field = "other"; }
  static void alter(DetectorSet& field) { field.insert(Detector::Plan); }
  static void alter(GenerateProfile& field) { field = GenerateProfile::Shape; }
  static void alter(KnownFindings& field) {
    const auto file = std::filesystem::path(::testing::TempDir()) / fmt::format("parallax_known_{}", ::getpid());
    ASSERT_TRUE(write_text_file(file, "{\"signature\": \"mismatch | s\"}\n"));
    field = *KnownFindings::read(file, "2026-01-01");
    std::filesystem::remove(file);
  }
  static void alter(std::optional<Around>& field) {
    field = *Around::of(testing::case_of(R"({"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]})",
                                         R"({"x": [1, 2]})"));
  }
  static void alter(std::function<std::optional<Case>(uint64_t k)>& field) {
    field = [](uint64_t) { return std::nullopt; };
  }
  static void alter(std::function<bool()>& field) {
    field = [] { return false; };
  }
  static void alter(CampaignCallbacks& field) {
    field.save_more = [] { return "other"; };
  }

  int wanted_;
  int visited_ = 0;
  std::string changed_;
  bool decides_ = false;
};

// Changes each field of fresh options and expects another text where the field decides, and the same where it does not;
// how many fields there are.
template <class Options, class Visit, class Text>
int expect_each_field_counts(const Visit& visit, const Text& text) {
  const std::string before = text(Options());
  for (int field = 0;; ++field) {
    Options options;
    Change change(field);
    visit(options, change);
    if (change.changed().empty()) return field;
    EXPECT_EQ(text(options) != before, change.changed_decides()) << change.changed();
  }
}

TEST(DescriptionTest, ChangesWithEachOptionThatDecides) {
  const auto visit = [](auto& options, Change& change) { for_each_campaign_option(options, change); };
  const auto describe_all = [](const CampaignOptions& options) { return describe(options); };
  EXPECT_EQ((expect_each_field_counts<CampaignOptions>(visit, describe_all)), 30);
  const auto visit_draw = [](auto& options, Change& change) { for_each_draw_option(options, change); };
  const auto describe_draw = [](const DrawOptions& options) { return describe_cases("1", options); };
  EXPECT_EQ((expect_each_field_counts<DrawOptions>(visit_draw, describe_draw)), 7);
  EXPECT_NE(describe_cases("1", {}), describe_cases("2", {})) << "another version draws other cases";
}

TEST(DescriptionTest, IsReadForReportsWhateverVersionWroteIt) {
  CampaignOptions options;
  options.seed = 7;
  options.target_options.faults = {"F01"};
  options.cases = describe_cases("1", {.profile = GenerateProfile::Shape});
  const std::string flat = R"({"seed": 7, "profile": "shape", "faults": ["F01"]})";
  for (const std::string& text : {describe(options), flat}) {
    const DescribedCampaign described = read_description(text);
    EXPECT_EQ(described.seed, 7U) << text;
    EXPECT_EQ(described.profile, "shape") << text;
    EXPECT_EQ(described.faults, std::vector<std::string>{"F01"}) << text;
  }
  for (const char* text : {"the same", "[]", R"({"seed": "x", "profile": 3, "faults": [1], "cases": "{"})"}) {
    const DescribedCampaign described = read_description(text);
    EXPECT_FALSE(described.seed) << text;
    EXPECT_TRUE(described.profile.empty() && described.faults.empty()) << text;
  }
}

TEST(DescriptionTest, ACampaignOfAnotherDescriptionIsLeftAndTold) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / fmt::format("parallax_description_{}", ::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    auto earlier = Ledger::open(folder, R"({"parallax": "0.1.0", "seed": 7})", false);
    CampaignState state;
    state.lanes["portable"];
    ASSERT_TRUE(earlier && earlier->save(state, false));
  }
  CampaignOptions options;
  options.targets = {"portable"};
  options.cases = "none";
  options.source = [](uint64_t) { return std::nullopt; };
  options.findings = folder;
  int64_t others = 0;
  options.callbacks.on_resume = [](int64_t) { ADD_FAILURE() << "it is another campaign"; };
  options.callbacks.on_other_campaigns = [&](int64_t count) { others = count; };
  const auto result = run_campaign(options);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(others, 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace parallax
