// The manual page: roff that is read without a warning, and everything that the help has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "graph/text_file.h"
#include "places.h"
#include "tests/cli/command_line.h"

namespace parallax {
namespace {

using testing::HasSubstr;

class ManPage : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    const Ran ran = run("man");
    ASSERT_EQ(ran.code, 0) << ran.err;
    page_ = ran.out;
    write("parallax.1", page_);
  }
  // Every command, subcommands of commands too.
  std::vector<std::string> commands() const {
    std::vector<std::string> names = listed_commands();
    for (const char* above : {"corpus", "targets"}) {
      for (const std::string& below : listed_commands(above)) names.push_back(std::string(above) + " " + below);
    }
    return names;
  }

  std::string page_;
};

TEST_F(ManPage, IsReadWithoutAWarning) {
  if (is_installed("man")) {
    const Ran ran = execute("man --warnings -l parallax.1");
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
  } else if (is_installed("groff")) {
    EXPECT_EQ(execute("groff -man -ww -z parallax.1").err, "");
  } else {
    GTEST_SKIP() << "neither man nor groff is installed";
  }
}

TEST_F(ManPage, HasEveryCommandAndItsOptions) {
  const std::vector<std::string> names = commands();
  EXPECT_GT(names.size(), 25U);
  const std::regex option(R"(^  (?:-\w,)?(--[a-z-]+))");
  int options = 0;
  for (const std::string& name : names) {
    const auto begin = page_.find("\n.SS \"parallax " + name + "\"\n");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::string section = page_.substr(begin, page_.find("\n.S", begin + 1) - begin);
    std::istringstream help(run(name + " --help").out);
    for (std::string line; std::getline(help, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, option) || match[1] == "--help") continue;
      ++options;
      const std::string escaped = std::regex_replace(match[1].str(), std::regex("-"), "\\-");
      EXPECT_THAT(section, HasSubstr("\\fB" + escaped + "\\fR")) << name;
    }
  }
  EXPECT_GT(options, 80);
  for (const char* part :
       {".TH PARALLAX 1 ", ".SH NAME\nparallax \\- ", "\n.SH \"EXIT STATUS\"\n.TP\n.B 0\n", ".B 3\n"}) {
    EXPECT_THAT(page_, HasSubstr(part));
  }
}

// What a person would copy from the page is what the help says, character by character.
TEST_F(ManPage, ShowsExamplesAsTheyAre) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  const Ran shown = execute("groff -man -Tascii -P-cbou -rLL=250n parallax.1");
  ASSERT_EQ(shown.code, 0) << shown.err;
  int examples = 0;
  for (const std::string& name : commands()) {
    std::istringstream help(run(name + " --help").out);
    for (std::string line; std::getline(help, line);) {
      if (!line.starts_with("  parallax ")) continue;
      ++examples;
      EXPECT_THAT(shown.out, HasSubstr(line.substr(2))) << name;
    }
  }
  EXPECT_GT(examples, 15);
}

TEST_F(ManPage, HoldsNothingThatRoffWouldTakeForSomethingElse) {
  EXPECT_TRUE(std::ranges::all_of(page_, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  std::istringstream lines(page_);
  const std::regex macro(R"(\.(TH|SH|SS|TP|PP|B|I|RI|RS|RE|nf|fi)( .*)?)");
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.starts_with("'")) << line;
    EXPECT_TRUE(!line.starts_with(".") || std::regex_match(line, macro)) << line;
  }
}

// docs/reference-cli.md is what `parallax man --markdown` prints; PARALLAX_UPDATE_GOLDEN=1 writes it.
TEST_F(ManPage, TheReferencePageIsFresh) {
  const std::string file = std::string(PARALLAX_SOURCE_DIR) + "/docs/reference-cli.md";
  const Ran ran = run("man --markdown");
  ASSERT_EQ(ran.code, 0) << ran.err;
  if (std::getenv("PARALLAX_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_text_file(file, ran.out));
  }
  const auto page = read_text_file(file);
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(*page, ran.out);
  for (const std::string& name : commands()) EXPECT_THAT(*page, HasSubstr("\n## parallax " + name + "\n"));
}

}  // namespace
}  // namespace parallax
