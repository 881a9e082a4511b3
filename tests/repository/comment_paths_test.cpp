// A path that a comment or a page names leads to a file that is there: `folder/name.ext`, where the first folder is one
// of the repository's own. Paths in other projects start with the project's name ("ncnn/docs/operators.md").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "places.h"

namespace {

namespace fs = std::filesystem;

enum class Language { Cpp, Hash, Python, Page };  // Hash: CMake and shell

// The folders of the repository. What a build or a run leaves there is not among them.
std::set<std::string> own_folders(const fs::path& root) {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename();
    const bool made = name == "build" || name == "findings" || (name.starts_with(".") && name != ".ci");
    if (entry.is_directory() && !made) folders.insert(name);
  }
  return folders;
}

// Where the comment of a line begins; npos without one. A mark inside a string begins none.
std::size_t comment_start(std::string_view line, std::string_view mark, std::string_view quotes) {
  char open = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (open != 0) {
      if (line[at] == open) open = 0;
    } else if (line.substr(at).starts_with(mark)) {
      return at;
    } else if (quotes.contains(line[at])) {
      open = line[at];
    }
  }
  return std::string_view::npos;
}

// Calls `visit(line)` with what people read in a text: its comments and docstrings, or all of a page.
template <class Visit>
void for_each_comment(std::istream& text, Language language, Visit&& visit) {
  bool docstring = false;
  for (std::string line; std::getline(text, line);) {
    const bool triple = language == Language::Python && line.find(R"(""")") != std::string::npos;
    if (language == Language::Page || docstring || triple) {
      visit(line);
      // A line with both marks opens and closes.
      if (triple && line.find(R"(""")") == line.rfind(R"(""")")) docstring = !docstring;
      continue;
    }
    const std::string_view mark = language == Language::Cpp ? "//" : "#";
    const std::string_view quotes = language == Language::Cpp ? "\"" : "\"'";
    const std::size_t start = comment_start(line, mark, quotes);
    if (start != std::string::npos) visit(line.substr(start));
  }
}

struct Named {
  int checked = 0;
  std::vector<std::string> missing;  // "FILE: PATH"
};

// Checks the paths in one text against the files below `root`. A file may stand there as a template (`.in`).
void check_paths(const std::string& file, std::istream& text, Language language, const fs::path& root,
                 const std::set<std::string>& folders, Named& named) {
  static const std::regex path(
      "(^|[^A-Za-z0-9_/.$}~<*-])"
      "(([.a-z][a-z_-]*)(/[A-Za-z0-9_.-]+)*/[A-Za-z0-9_.-]+"
      "\\.(h|cpp|md|py|sh|cmake|glsl|json|jsonl|gz|txt|css|js|yml|csv))(?![A-Za-z0-9_/])");
  for_each_comment(text, language, [&](const std::string& line) {
    if (line.find('/') == std::string::npos) return;
    for (std::sregex_iterator at(line.begin(), line.end(), path), end; at != end; ++at) {
      const std::string name = (*at)[2];
      const bool placeholder = name.find("NAME") != std::string::npos;
      if (!folders.contains((*at)[3]) || placeholder) continue;
      ++named.checked;
      if (!fs::exists(root / name) && !fs::exists(root / (name + ".in"))) named.missing.push_back(file + ": " + name);
    }
  });
}

std::vector<std::string> missing_in(const std::string& text, Language language) {
  const fs::path root = PARALLAX_SOURCE_DIR;
  std::istringstream lines(text);
  Named named;
  check_paths("file", lines, language, root, own_folders(root), named);
  return named.missing;
}

std::optional<Language> language_of(const fs::path& file) {
  const std::string extension = file.extension();
  if (extension == ".cpp" || extension == ".h" || extension == ".glsl") return Language::Cpp;
  if (extension == ".py") return Language::Python;
  // The pages on found bugs speak of files of the systems that have them.
  const bool page = file.parent_path() == PARALLAX_SOURCE_DIR || file.parent_path().filename() == "docs";
  if (extension == ".md" && (page || file.filename() == "README.md")) return Language::Page;
  const bool shell = extension == ".sh" || file.parent_path().filename() == ".ci" || file.filename() == "parallax";
  if (shell || extension == ".cmake" || file.filename() == "CMakeLists.txt") return Language::Hash;
  return std::nullopt;
}

TEST(CommentPaths, LeadToAFile) {
  const fs::path root = PARALLAX_SOURCE_DIR;
  const std::set<std::string> folders = own_folders(root);
  Named named;
  const auto check = [&](const fs::path& file) {
    const auto language = language_of(file);
    if (!language || !fs::is_regular_file(file)) return;
    std::ifstream text(file);
    check_paths(fs::relative(file, root), text, *language, root, folders, named);
  };
  for (const auto& entry : fs::directory_iterator(root)) check(entry.path());
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) check(entry.path());
  }
  EXPECT_THAT(named.missing, testing::IsEmpty());
  EXPECT_GT(named.checked, 100);
}

TEST(CommentPaths, AMissingFileIsNamed) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(missing_in("int a;  // core/nowhere.h\n", Language::Cpp), ElementsAre("file: core/nowhere.h"));
  EXPECT_THAT(missing_in("# (docs/nowhere.md)\n", Language::Hash), ElementsAre("file: docs/nowhere.md"));
  EXPECT_THAT(missing_in("\"\"\"One.\n\ntests/nowhere.py\n\"\"\"\n", Language::Python),
              ElementsAre("file: tests/nowhere.py"));
  EXPECT_THAT(missing_in("a = 1  # adapters/nowhere.py\n", Language::Python), ElementsAre("file: adapters/nowhere.py"));
  EXPECT_THAT(missing_in("`graph/nowhere.h` and `core/dims.h`\n", Language::Page),
              ElementsAre("file: graph/nowhere.h"));
}

TEST(CommentPaths, WhatIsNoCommentOrNotOursIsLeftAlone) {
  using testing::IsEmpty;
  EXPECT_THAT(missing_in("write(\"docs/nowhere.md\");  // core/dims.h\n", Language::Cpp), IsEmpty());
  EXPECT_THAT(missing_in("path = 'docs/nowhere.md'\n", Language::Python), IsEmpty());
  EXPECT_THAT(missing_in("// ncnn/docs/nowhere.md, https://a.b/docs/nowhere.md\n", Language::Cpp), IsEmpty());
  EXPECT_THAT(missing_in("// adapters/declined/NAME.json, findings/7KQ2/case.json\n", Language::Cpp), IsEmpty());
}

}  // namespace
