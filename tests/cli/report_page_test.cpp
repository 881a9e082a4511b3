// The page of a findings folder in a browser: what its script does, under the page's own content security policy, and
// how it looks. Screenshots are left in the build folder for a person.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/command_line.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

class ReportPage : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    if (!is_installed("chromium")) GTEST_SKIP() << "chromium is not installed";
    const std::string campaign = "fuzz --profile alias --seed 7 --graphs 400 --jobs 1 --findings found ";
    ASSERT_EQ(run(campaign + "--plant F01 --plant F16 --plant F07").code, 1);
    ASSERT_EQ(run("report found -o page.html").code, 0);
    ASSERT_GE(count(read_file(folder_ / "page.html"), "<li data-target="), 2U);
  }

  // The page as it stands once its script ran, with what comes behind # in the address.
  std::string in_browser(const std::string& address, const std::string& options = "--dump-dom") const {
    const Ran ran = execute("timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir=profile " +
                            options + " 'file://" + (folder_ / "page.html").string() + address + "'");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err.find("Content Security Policy"), std::string::npos) << ran.err;
    return ran.out;
  }

  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++times;
    return times;
  }
  static std::size_t hidden_cards(const std::string& dom) { return count(dom, "hidden=\"\""); }
};

TEST_F(ReportPage, WhatStandsInTheAddressIsSearchedAndChosen) {
  const std::string whole = in_browser("");
  const std::size_t cards = count(whole, "<li data-target=");
  EXPECT_EQ(hidden_cards(whole), 0U);
  EXPECT_EQ(count(whole, "<form class=\"filters\""), 1U);
  EXPECT_THAT(whole, testing::HasSubstr("<label>Search<"));
  EXPECT_THAT(whole, testing::HasSubstr("<label>Verdict<"));
  EXPECT_EQ(hidden_cards(in_browser("#findings?q=no-such-word")), cards);
  const std::string chosen = in_browser("#findings?verdict=internal_error");
  EXPECT_EQ(hidden_cards(chosen), cards - count(whole, "data-verdict=\"internal_error\""));
  EXPECT_EQ(hidden_cards(in_browser("#findings?q=planner")), cards - count(whole, "data-blame=\"planner\""));
}

TEST_F(ReportPage, AFindingHasButtonsForWhatIsThereToCopy) {
  const std::string dom = in_browser("#f-QW24");
  const std::string article = dom.substr(dom.find("<article id=\"f-QW24\""));
  const std::string actions = article.substr(article.find("class=\"actions\""), 400);
  EXPECT_THAT(actions, testing::HasSubstr("Copy command"));
  EXPECT_THAT(actions, testing::HasSubstr("Copy issue"));
}

// The step that the address names is marked in the list, the graph, the arena and the table, and said.
TEST_F(ReportPage, AStepIsMarkedEverywhere) {
  const auto article = [&](const std::string& address) {
    const std::string dom = in_browser(address);
    const std::size_t begin = dom.find("<article id=\"f-QW24\"");
    return dom.substr(begin, dom.find("</article>", begin) - begin);
  };
  const std::string plain = article("#f-QW24");
  EXPECT_EQ(count(plain, "type=\"range\""), 1U);
  EXPECT_THAT(plain, testing::HasSubstr("Play to step 2"));
  const std::string marked = article("?step=2#f-QW24");
  EXPECT_THAT(marked, testing::HasSubstr("#2 c = mul(x, -1)"));
  EXPECT_THAT(marked, testing::ContainsRegex("<li [^>]*data-step=\"2\"[^>]*class=\"[^\"]*now"));
  EXPECT_THAT(marked, testing::ContainsRegex("<tr data-node=\"2\" class=\"[^\"]*now"));
  EXPECT_THAT(marked, testing::ContainsRegex("<g class=\"slot culprit [^\"]*now"));
  const std::string earlier = article("?step=0#f-QW24");
  EXPECT_THAT(earlier, testing::ContainsRegex("<g class=\"slot culprit [^\"]*future"));
  if (is_installed("dot")) {
    EXPECT_THAT(marked, testing::ContainsRegex("<g class=\"[^\"]*n2[^\"]*now"));
  }
}

// Cells of the coverage map lead to a case each, and a case leads back.
TEST_F(ReportPage, ACellOpensItsCase) {
  const std::string dom = in_browser("#c-aten-neg-default-u8");
  EXPECT_EQ(count(dom, "href=\"#c-aten-neg-default-u8\""), 1U);
  EXPECT_EQ(count(dom, "id=\"c-aten-neg-default-u8\""), 1U);
  EXPECT_THAT(dom, testing::HasSubstr("parallax gen --op aten.neg.default --dtype u8"));
  // Every link of the map has its case.
  const std::size_t links = count(dom, "<a href=\"#c-");
  EXPECT_GT(links, 1000U);
  EXPECT_EQ(links, count(dom, "<section id=\"c-"));
}

TEST_F(ReportPage, IsSeenInLightAndDarkAndOnAPhone) {
  const fs::path shots = fs::path(PARALLAX_BINARY).parent_path().parent_path() / "screenshots";
  fs::create_directories(shots);
  const struct {
    const char* name;
    const char* address;
    const char* options;
  } views[] = {{"list", "", "--window-size=1100,1000"},
               {"finding", "#f-QW24", "--window-size=1100,1400"},
               {"finding-dark", "#f-QW24", "--window-size=1100,1400 --blink-settings=preferredColorScheme=0"},
               {"finding-step", "?step=2#f-QW24", "--window-size=1100,2600"},
               {"finding-phone", "#f-QW24", "--window-size=390,1400"},
               {"coverage", "", "--window-size=1100,3400"},
               {"coverage-cell", "#c-aten-neg-default-u8", "--window-size=1100,1400"},
               {"coverage-cell-phone", "#c-aten-neg-default-u8", "--window-size=390,1400"}};
  for (const auto& view : views) {
    const fs::path file = shots / (std::string(view.name) + ".png");
    fs::remove(file);
    in_browser(view.address, std::string(view.options) + " --hide-scrollbars --screenshot='" + file.string() + "'");
    ASSERT_TRUE(fs::exists(file)) << file;
    EXPECT_GT(fs::file_size(file), 20'000U) << file << " is nearly empty";
  }
}

}  // namespace
}  // namespace parallax
