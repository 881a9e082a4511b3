// Commands that pages show and no test runs, since they need an installed system, a model or another machine: they name
// commands and options that there are. docs/reference-cli.md is made of the program's own help.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

// Options by command, as "corpus add".
std::map<std::string, std::set<std::string>> options_by_command() {
  const std::regex heading("## parallax (.*)"), option("--[a-z-]+");
  std::map<std::string, std::set<std::string>> options;
  std::ifstream file(fs::path(PARALLAX_SOURCE_DIR) / "docs/reference-cli.md");
  std::string command;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, heading)) options[command = match[1]].insert("--help");
    if (command.empty() || !line.starts_with("- `")) continue;
    const std::string names = line.substr(0, line.find("`:"));
    for (auto name = std::sregex_iterator(names.begin(), names.end(), option); name != std::sregex_iterator(); ++name)
      options[command].insert(name->str());
  }
  return options;
}

// What a line of code runs with this program, one text a command, without what stands in quotes or is a comment.
std::vector<std::string> commands_of(std::string line) {
  static const std::regex quoted("'[^']*'|\"[^\"]*\""), comment("\\s#.*"),
      call("(^|[|;&({$] *)(\\./)?parallax ([^|;&)]*)");
  line = std::regex_replace(line, quoted, "QUOTED");
  line = std::regex_replace(line, comment, "");
  std::vector<std::string> commands;
  for (auto found = std::sregex_iterator(line.begin(), line.end(), call); found != std::sregex_iterator(); ++found)
    commands.push_back((*found)[3]);
  return commands;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// What is wrong with a command; empty for nothing.
std::string complaint(const std::map<std::string, std::set<std::string>>& known, const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  if (words.empty() || words[0].starts_with("-")) return "";
  if (words[0] == "help" || words[0] == "test") return "";  // `./parallax test` is the script's
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : words[0];
  const auto entry = known.contains(two) ? known.find(two) : known.find(words[0]);
  if (entry == known.end()) return "there is no command '" + words[0] + "'";
  for (const std::string& word : words) {
    const std::string option = word.substr(0, word.find('='));
    if (option.starts_with("--") && !entry->second.contains(option))
      return "parallax " + entry->first + " has no option " + option;
  }
  return "";
}

std::vector<fs::path> pages() {
  const fs::path root = PARALLAX_SOURCE_DIR;
  std::vector<fs::path> pages = {root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "reference-cli.md")
      pages.push_back(entry.path());
  }
  return pages;
}

TEST(PageCommands, NameCommandsAndOptionsThatThereAre) {
  const auto known = options_by_command();
  ASSERT_GT(known.size(), 25U);
  int commands = 0;
  for (const fs::path& page : pages()) {
    std::ifstream file(page);
    bool fenced = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("```")) fenced = !fenced;
      if (!fenced && !line.starts_with("    ")) continue;
      const std::size_t begin = line.find_first_not_of(' ');
      if (begin == std::string::npos) continue;
      std::string code = line.substr(begin);
      if (code.starts_with("$ ")) code = code.substr(2);
      for (const std::string& command : commands_of(code)) {
        ++commands;
        EXPECT_EQ(complaint(known, command), "") << page.filename() << ": " << line;
      }
    }
  }
  EXPECT_GT(commands, 80);
}

TEST(PageCommands, AWrongOneIsSeen) {
  const auto known = options_by_command();
  ASSERT_EQ(commands_of("VAR=1 x && parallax fuzz --target 'cmd:a --b' # --c"),
            std::vector<std::string>{"fuzz --target QUOTED"});
  EXPECT_EQ(complaint(known, "fuzz --target QUOTED"), "");
  EXPECT_EQ(complaint(known, "fuzz --fast"), "parallax fuzz has no option --fast");
  EXPECT_EQ(complaint(known, "corpus add x --as y"), "");
  EXPECT_EQ(complaint(known, "nonsense"), "there is no command 'nonsense'");
}

}  // namespace
}  // namespace parallax
