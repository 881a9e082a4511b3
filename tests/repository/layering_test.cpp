// The architecture as a test: which folder may include which, and names that can be found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

// What each folder may include besides itself (docs/concepts.md, "Layers").
const std::map<std::string, std::set<std::string>> allowed = {
    {"core", {}},
    {"ops", {"core"}},
    {"graph", {"core", "ops"}},
    {"oracle", {"core", "ops", "graph"}},
    {"planner", {"core", "ops", "graph"}},
    {"reducers", {"core", "ops", "graph"}},
    {"compiler", {"core", "ops", "graph", "planner"}},
    {"corpus", {"core", "ops", "graph", "oracle"}},
    {"backends", {"core", "ops", "graph", "oracle", "planner", "reducers", "compiler"}},
    {"reports", {"core", "ops", "graph", "oracle", "corpus"}},
    {"fuzz", {"core", "ops", "graph", "oracle", "planner", "reducers", "compiler", "corpus", "backends"}},
    {"cli",
     {"core", "ops", "graph", "oracle", "planner", "reducers", "compiler", "corpus", "backends", "reports", "fuzz"}},
};

std::vector<fs::path> sources_of(const std::string& folder) {
  std::vector<fs::path> files;
  const fs::path root = fs::path(PARALLAX_SOURCE_DIR) / folder;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") files.push_back(entry.path());
  }
  return files;
}

TEST(Layering, IncludesGoDownOnly) {
  const std::regex include("^#include \"([a-z_]+)/");
  int checked = 0;
  for (const auto& [folder, lower] : allowed) {
    for (const fs::path& file : sources_of(folder)) {
      std::ifstream text(file);
      for (std::string line; std::getline(text, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, include)) continue;
        ++checked;
        const std::string included = match[1];
        EXPECT_TRUE(included == folder || lower.contains(included)) << file << ": " << line;
      }
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(Layering, OpsAndBackendsShareNoKernel) {
  for (const char* folder : {"compiler", "backends/portable"}) {
    for (const fs::path& file : sources_of(folder)) {
      std::ifstream text(file);
      for (std::string line; std::getline(text, line);) {
        EXPECT_EQ(line.find("ops/ball_math"), std::string::npos) << file;
        EXPECT_EQ(line.find("->reference("), std::string::npos) << file << " calls a reference kernel";
      }
    }
  }
}

TEST(Layering, FileStemsAreUnique) {
  std::map<std::string, fs::path> seen;
  for (const auto& [folder, lower] : allowed) {
    for (const fs::path& file : sources_of(folder)) {
      const auto [before, fresh] = seen.emplace(file.filename().string(), file);
      EXPECT_TRUE(fresh) << file << " and " << before->second;
    }
  }
}

}  // namespace
