// Pages that are run as they stand: their files are written, their commands executed in an empty folder, and what they
// show of the output must be in it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

class PageRun {
 public:
  explicit PageRun(fs::path folder) : folder_(std::move(folder)) {}

  // `$ COMMAND    # exit N`, whose output the lines after it are part of.
  void start(const std::string& line) {
    static const std::regex shape(R"(\$ (.*?)(\s+# exit (\d+))?)");
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, shape)) << line;
    const std::string binary = "PARALLAX_ROOT=" PARALLAX_SOURCE_DIR " " PARALLAX_BINARY " ";
    const std::string command = std::regex_replace(parts[1].str(), std::regex("^parallax "), binary);
    const std::string whole =
        "cd '" + folder_.string() + "' && { " + command + "; } >'" + (folder_ / ".output").string() + "' 2>&1";
    const int status = std::system(whole.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, parts[3].matched ? std::stoi(parts[3]) : 0) << line;
    output_ = *read_text_file(folder_ / ".output");
    ++commands_;
  }
  void expect_shown(const std::string& line) const {
    EXPECT_NE(output_.find(line), std::string::npos) << line << "\nis not in\n" << output_;
  }
  int commands() const { return commands_; }

 private:
  fs::path folder_;
  std::string output_;
  int commands_ = 0;
};

// README.md and every page of docs/ that shows commands to be run.
std::vector<std::string> pages_that_are_run() {
  std::vector<std::string> pages = {"README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(PARALLAX_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const auto text = read_text_file(entry.path());
    if (text && text->contains("\n```sh\n")) pages.push_back("docs/" + entry.path().filename().string());
  }
  std::ranges::sort(pages);
  return pages;
}

// "docs/writing-a-target.md" as the name of a test: "writing_a_target".
std::string test_name(const std::string& page) {
  std::string name = fs::path(page).stem();
  std::ranges::replace(name, '-', '_');
  return name;
}

class PageInDocs : public testing::TestWithParam<std::string> {};

TEST_P(PageInDocs, DoesWhatItSays) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / fmt::format("parallax_page_{}_{}", test_name(GetParam()), ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto page = read_text_file(fmt::format("{}/{}", PARALLAX_SOURCE_DIR, GetParam()));
  ASSERT_TRUE(page) << page.error().text();
  PageRun run(folder);
  std::istringstream lines(*page);
  std::string block;  // what the current fenced block is of; empty outside
  std::ofstream file;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      block = block.empty() ? line.substr(3) + " " : "";
      file.close();
      if (const auto name = block.find("file="); name != std::string::npos) {
        file.open(folder / block.substr(name + 5, block.find(' ', name) - name - 5));
      }
    } else if (file.is_open()) {
      file << line << "\n";
    } else if (block == "sh " && line.starts_with("$ ")) {
      ASSERT_NO_FATAL_FAILURE(run.start(line));
    } else if (block == "sh ") {
      run.expect_shown(line);
    }
  }
  EXPECT_GE(run.commands(), 1);
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Docs, PageInDocs, testing::ValuesIn(pages_that_are_run()),
                         [](const auto& test) { return test_name(test.param); });

TEST(PagesInDocs, AreRun) {
  const std::vector<std::string> pages = pages_that_are_run();
  for (const char* page :
       {"README.md", "docs/quickstart.md", "docs/tutorial.md", "docs/fuzzing-a-system.md", "docs/reporting-upstream.md",
        "docs/oracle-example.md", "docs/compiler.md", "docs/evaluation.md", "docs/running-at-scale.md"}) {
    EXPECT_NE(std::ranges::find(pages, page), pages.end()) << page;
  }
}

}  // namespace
}  // namespace parallax
