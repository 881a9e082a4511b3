// The architecture as a test: which folder may include which, and names that can be found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "places.h"

namespace {

namespace fs = std::filesystem;

// What each folder may include besides itself (docs/concepts.md, "Layers").
using Rooms = std::set<std::string>;
const std::map<std::string, Rooms> allowed = {
    {"core", {}},
    {"ops", {"core"}},
    {"graph", {"core", "ops"}},
    {"export", {"core", "ops", "graph"}},
    {"oracle", {"core", "ops", "graph"}},
    {"planner", {"core", "ops", "graph"}},
    {"reducers", {"core", "ops", "graph"}},
    {"compiler", {"core", "ops", "graph", "planner"}},
    {"corpus", {"core", "ops", "graph", "export", "oracle"}},
    {"backends", {"core", "ops", "graph", "oracle", "planner", "compiler"}},
    {"reports", {"core", "ops", "graph", "oracle", "corpus"}},
    {"fuzz/generate", {"core", "ops", "graph", "oracle", "backends"}},
    {"fuzz/findings",
     {"core", "ops", "graph", "export", "oracle", "planner", "reducers", "compiler", "corpus", "backends",
      "fuzz/generate"}},
    {"fuzz/campaign",
     {"core", "ops", "graph", "oracle", "planner", "compiler", "corpus", "backends", "fuzz/generate", "fuzz/findings"}},
    {"fuzz/score",
     {"core", "ops", "graph", "oracle", "planner", "compiler", "corpus", "backends", "fuzz/generate", "fuzz/findings"}},
    {"fuzz/targets", {"core", "graph", "planner", "backends", "fuzz/generate", "fuzz/findings", "fuzz/campaign"}},
    {"cli",
     {"core", "ops", "graph", "export", "oracle", "planner", "reducers", "compiler", "corpus", "backends", "reports",
      "fuzz/generate", "fuzz/findings", "fuzz/campaign", "fuzz/score"}},
};
// Rooms inside a folder: what each may include of the others.
const std::map<std::string, Rooms> allowed_inside = {
    {"backends/portable", {}},
    {"backends/runtime", {"backends/portable"}},
    {"backends/xnnpack", {"backends/portable", "backends/runtime"}},
    {"backends/vulkan", {"backends/portable", "backends/runtime"}},
    {"backends/external", {}},
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

// The folder that a path lies in, as the tables name it: fuzz/ and backends/ hold rooms of their own.
std::string room_of(const std::string& path, const std::map<std::string, Rooms>& rooms) {
  const std::string folder = path.substr(0, path.find('/'));
  const std::string inner = path.substr(0, path.find('/', folder.size() + 1));
  return rooms.contains(inner) ? inner : folder;
}

// Calls `visit(file, line, included)` for each include of a folder's files.
template <class Visit>
void for_each_include(const std::string& folder, Visit&& visit) {
  const std::regex include("^#include \"([a-z_]+/[^\"]+)\"");
  for (const fs::path& file : sources_of(folder)) {
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (std::regex_search(line, match, include)) visit(file, line, match[1].str());
    }
  }
}

TEST(Layering, IncludesGoDownOnly) {
  int checked = 0;
  for (const auto& [folder, lower] : allowed) {
    for_each_include(folder, [&](const fs::path& file, const std::string& line, const std::string& included) {
      ++checked;
      const std::string room = room_of(included, allowed);
      EXPECT_TRUE(room == folder || lower.contains(room)) << file << ": " << line;
    });
  }
  EXPECT_GT(checked, 1000);
}

TEST(Layering, RoomsOfTheBackendsGoDownOnly) {
  int checked = 0;
  for (const auto& [folder, lower] : allowed_inside) {
    for_each_include(folder, [&](const fs::path& file, const std::string& line, const std::string& included) {
      const std::string room = room_of(included, allowed_inside);
      if (!allowed_inside.contains(room)) return;
      ++checked;
      EXPECT_TRUE(room == folder || lower.contains(room)) << file << ": " << line;
    });
  }
  EXPECT_GT(checked, 100);
}

TEST(Layering, EveryFolderWithSourcesIsARoom) {
  const std::set<std::string> apart = {"tests", "bench", "bugs", "docs", "build", "cmake", "adapters", "findings"};
  for (const auto& entry : fs::directory_iterator(PARALLAX_SOURCE_DIR)) {
    const std::string folder = entry.path().filename().string();
    if (!entry.is_directory() || folder.starts_with(".") || apart.contains(folder) || allowed.contains(folder))
      continue;
    for (const fs::path& file : sources_of(folder)) {
      const std::string path = fs::relative(file, PARALLAX_SOURCE_DIR).string();
      EXPECT_TRUE(allowed.contains(room_of(path, allowed))) << path << " lies in no room";
    }
  }
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
