// The cases of the four reports (corpus/cases/seeds/), as files.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "graph/case.h"
#include "graph/case_json.h"
#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

std::vector<std::filesystem::path> seed_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(PARALLAX_SOURCE_DIR) / "corpus/cases/seeds")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A file that the writer would write differently was edited by hand: `parallax` reads and rewrites it to this text.
TEST(Seeds, EveryFileIsReadAndIsInTheWritersForm) {
  const auto files = seed_files();
  EXPECT_GE(files.size(), 40U);
  for (const auto& file : files) {
    const auto text = read_text_file(file);
    ASSERT_TRUE(text) << text.error().text();
    const auto test = parse_case(*text, file.string());
    ASSERT_TRUE(test) << test.error().text();
    EXPECT_EQ(to_json(*test, 2) + "\n", *text) << file;
    EXPECT_EQ(test->name, file.stem().string());
    EXPECT_NE(test->origin.find("https://github.com/"), std::string::npos) << file;
    EXPECT_TRUE(test->expect.outputs.has_value()) << file;
  }
}

TEST(Seeds, EveryReportHasItsControls) {
  for (std::string_view report : {"s1-", "s2-", "s3-", "s4-"}) {
    int cases = 0;
    int controls = 0;
    for (const auto& file : seed_files()) {
      const std::string name = file.stem().string();
      if (!name.starts_with(report)) continue;
      ++(name.find("control") == std::string::npos ? cases : controls);
    }
    EXPECT_GE(cases, 4) << report;
    EXPECT_GE(controls, 1) << report;
  }
}

}  // namespace
}  // namespace parallax
