// Every relative link in the pages for people leads to a file that is there, and to a heading that it has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

namespace {

namespace fs = std::filesystem;

// A page without what is shown as code: brackets there are no links, and # begins no heading.
std::string without_code(std::istream& page) {
  static const std::regex code("`[^`]*`");
  std::string text;
  bool fenced = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      fenced = !fenced;
    } else if (!fenced && !line.starts_with("    ")) {
      text += std::regex_replace(line, code, "`") + "\n";
    }
  }
  return text;
}

// As GitHub and its kin make one of a heading: small letters, no punctuation, a hyphen for each blank.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ') {
      anchor += '-';
    } else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c & 0x80)) {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

// Of a page whose code is still in it, since a heading may hold some.
std::set<std::string> anchors_in(const fs::path& file) {
  std::ifstream page(file);
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  static const std::regex heading("#{1,6} +(.*)");
  bool fenced = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    std::smatch parts;
    if (fenced || !std::regex_match(line, parts, heading)) continue;
    const std::string anchor = anchor_of(parts[1]);
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

struct Links {
  int checked = 0;
  std::vector<std::string> broken;  // "page.md: other.md#there"
};

void check_links(const fs::path& file, Links& links) {
  std::ifstream page(file);
  const std::string text = without_code(page);
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  static const std::regex elsewhere("[a-z]+:.*");
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
    const std::string whole = (*at)[1];
    if (std::regex_match(whole, elsewhere)) continue;
    ++links.checked;
    const auto hash = whole.find('#');
    const fs::path target = hash == 0 ? file : file.parent_path() / whole.substr(0, hash);
    const bool lands = hash == std::string::npos || anchors_in(target).contains(whole.substr(hash + 1));
    if (!fs::exists(target) || !lands) links.broken.push_back(file.string() + ": " + whole);
  }
}

TEST(Links, LeadSomewhere) {
  const fs::path root = PARALLAX_SOURCE_DIR;
  std::vector<fs::path> pages = {root / "README.md", root / "CHANGELOG.md"};
  for (const char* folder : {"docs", "bugs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  EXPECT_GT(pages.size(), 10U);
  Links links;
  for (const fs::path& page : pages) check_links(page, links);
  EXPECT_THAT(links.broken, testing::IsEmpty());
  EXPECT_GT(links.checked, 20);
}

// A page that nobody can find from the README is as good as not written.
TEST(Links, TheReadmeNamesEveryPage) {
  std::ifstream file(PARALLAX_SOURCE_DIR "/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  for (const auto& entry : fs::directory_iterator(PARALLAX_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    EXPECT_THAT(readme, testing::HasSubstr("](docs/" + entry.path().filename().string() + ")"));
  }
}

TEST(Links, ABrokenOneIsNamed) {
  const fs::path folder = fs::path(testing::TempDir()) / ("parallax_links_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "other.md") << "# Two `words`, said twice\n## Again\n## Again\n```\n# no heading\n```\n";
  std::ofstream(folder / "page.md")
      << "# Here\n[a](other.md) [b](other.md#two-words-said-twice) [c](#here) [d](other.md#again-1) "
         "[e](https://x.y/z)\n"
         "`[code](nowhere.md)`\n    [code](nowhere.md)\n"
         "[f](nowhere.md) [g](other.md#again-2) [h](#there) ![i](no.png) [j](other.md#no-heading)\n";
  Links links;
  check_links(folder / "page.md", links);
  const std::string page = (folder / "page.md").string();
  EXPECT_EQ(links.checked, 9);
  EXPECT_THAT(links.broken, testing::ElementsAre(page + ": nowhere.md", page + ": other.md#again-2", page + ": #there",
                                                 page + ": no.png", page + ": other.md#no-heading"));
  fs::remove_all(folder);
}

}  // namespace
