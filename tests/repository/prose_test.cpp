// The pages for people: lines that fit a terminal, and sentences that can be read once. Code, tables
// and the addresses of links are left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

namespace parallax {
namespace {

constexpr std::size_t widest_line = 120;
constexpr int longest_sentence = 30;  // words
constexpr double share_within = 0.95;

// README.md, what stands beside it, and every page of docs/.
std::vector<std::string> all_pages() {
  std::vector<std::string> pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"};
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PARALLAX_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back("docs/" + entry.path().filename().string());
  }
  return pages;
}

bool is_code_or_table(const std::string& line) { return line.starts_with("    ") || line.starts_with("|"); }

// The lines of a page outside of code blocks.
std::vector<std::string> lines_outside_code(const std::string& path) {
  std::ifstream file(std::filesystem::path(PARALLAX_SOURCE_DIR) / path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<std::string> lines;
  bool code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code && !line.starts_with("```")) lines.push_back(line);
  }
  return lines;
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Paragraphs as one line each, without marks and addresses.
std::vector<std::string> paragraphs(const std::string& path) {
  std::vector<std::string> texts(1);
  for (std::string line : lines_outside_code(path)) {
    if (line.empty() || is_code_or_table(line) || line.starts_with("#") || line.starts_with("- ") ||
        line.starts_with("![")) {
      texts.emplace_back();
    }
    if (line.empty() || is_code_or_table(line) || line.starts_with("#") || line.starts_with("![")) continue;
    texts.back() += line + " ";
  }
  for (std::string& text : texts) {
    text = std::regex_replace(text, std::regex(R"(\]\([^)]*\))"), "]");
    text = std::regex_replace(text, std::regex("`[^`]*`"), "code");
  }
  return texts;
}

std::vector<int> sentence_lengths(const std::string& text) {
  static const std::regex end_of_sentence(R"re([.:?!][)"*]*$)re");
  std::vector<int> lengths;
  int words = 0;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    ++words;
    if (!std::regex_search(word, end_of_sentence)) continue;
    lengths.push_back(words);
    words = 0;
  }
  if (words > 0) lengths.push_back(words);
  return lengths;
}

TEST(Prose, LinesFitATerminal) {
  for (const std::string& page : all_pages()) {
    for (const std::string& line : lines_outside_code(page)) {
      if (is_code_or_table(line)) continue;
      EXPECT_LE(columns(line), widest_line) << page << ": " << line;
    }
  }
}

TEST(Prose, SentencesAreShort) {
  int sentences = 0, short_ones = 0;
  std::string long_ones;
  for (const std::string& page : all_pages()) {
    for (const std::string& text : paragraphs(page)) {
      for (const int words : sentence_lengths(text)) {
        ++sentences;
        short_ones += words <= longest_sentence;
        if (words > longest_sentence) long_ones += page + ": " + text + "\n";
      }
    }
  }
  EXPECT_GT(sentences, 2000);
  EXPECT_GE(short_ones, share_within * sentences) << long_ones;
}

TEST(Prose, SentencesAreCounted) {
  EXPECT_EQ(sentence_lengths("One two three. Four (five six)! Seven"), (std::vector{3, 3, 1}));
  EXPECT_EQ(sentence_lengths(""), std::vector<int>());
}

}  // namespace
}  // namespace parallax
