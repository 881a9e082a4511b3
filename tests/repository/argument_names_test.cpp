// Arguments are read by name: overloads of one family put the same argument at different places.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "places.h"

namespace {

namespace fs = std::filesystem;

// A call that is asked for something by a position: call.tensor(0), call.real(is_native ? 7 : 4), call.output(1).
const std::regex by_position(R"(call\.[a-z_]+\(([0-9]|is_))");

std::vector<fs::path> sources_of(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PARALLAX_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") files.push_back(entry.path());
  }
  return files;
}

TEST(ArgumentNames, NoSourceReadsAnArgumentByItsPosition) {
  for (const std::string folder : {"ops", "backends"}) {
    const std::vector<fs::path> files = sources_of(folder);
    ASSERT_GT(files.size(), 50U) << folder;
    for (const fs::path& file : files) {
      std::ifstream text(file);
      int number = 0;
      for (std::string line; std::getline(text, line);) {
        ++number;
        EXPECT_FALSE(std::regex_search(line, by_position)) << file.string() << ":" << number << ": " << line;
      }
    }
  }
}

TEST(ArgumentNames, ThePatternTellsPositionsFromNames) {
  for (const char* line : {"call.tensor(0)", "x = call.real(is_native(call) ? 7 : 4);", "call.output(1).ball(0)"}) {
    EXPECT_TRUE(std::regex_search(line, by_position)) << line;
  }
  for (const char* line : {"call.tensor(arg::self)", "call.output()", "call.scalar(second_operand)"}) {
    EXPECT_FALSE(std::regex_search(line, by_position)) << line;
  }
}

}  // namespace
