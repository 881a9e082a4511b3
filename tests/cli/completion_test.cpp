// The completion scripts as their shells run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command_line.h"

namespace parallax {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

class Completion : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    for (const char* shell : {"bash", "fish", "zsh"}) {
      const Ran ran = run(std::string("completion ") + shell);
      ASSERT_EQ(ran.code, 0) << ran.err;
      write(shell, ran.out);
    }
  }
  // What bash offers for the last of these words, as the shell divides them; '' for one that was not begun.
  std::vector<std::string> in_bash(const std::string& words) const {
    write("ask.sh", "source ./bash\nCOMP_WORDS=(parallax " + words +
                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_parallax\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const Ran ran = execute("bash --norc ask.sh");
    EXPECT_EQ(ran.err, "");
    return lines_of(ran.out);
  }
  std::vector<std::string> in_fish(const std::string& line) const {
    const Ran ran = execute("fish --no-config -c 'source fish; complete -C \"parallax " + line + "\"'");
    EXPECT_EQ(ran.err, "");
    std::vector<std::string> words = lines_of(ran.out);
    for (std::string& word : words) word.resize(std::min(word.size(), word.find('\t')));
    return words;
  }
};

TEST_F(Completion, BashCompletesCommands) {
  EXPECT_THAT(in_bash("fu"), ElementsAre("fuzz"));
  EXPECT_THAT(in_bash("corpus ver"), ElementsAre("verify"));
  EXPECT_THAT(in_bash("wor"), IsEmpty()) << "a command that the help does not list";
  const std::vector<std::string> commands = listed_commands();
  EXPECT_GT(commands.size(), 20U);
  EXPECT_THAT(in_bash("''"), testing::UnorderedElementsAreArray(commands));
  EXPECT_THAT(in_bash("corpus ''"), testing::UnorderedElementsAreArray(listed_commands("corpus")));
}

TEST_F(Completion, BashCompletesOptionsOfTheCommand) {
  EXPECT_THAT(in_bash("fuzz --se"), UnorderedElementsAre("--seconds", "--seed"));
  EXPECT_THAT(in_bash("corpus add --fo"), ElementsAre("--force"));
  EXPECT_THAT(in_bash("corpus verify --fo"), IsEmpty());
  EXPECT_THAT(in_bash("gen ''"), IsSupersetOf({"--count", "--profile"})) << "nothing else can stand there";
  EXPECT_THAT(in_bash("check ''"), IsEmpty()) << "a case file: bash itself completes those";
  EXPECT_THAT(in_bash("reduce -"), IsSupersetOf({"-o", "--output", "--help"}));
}

TEST_F(Completion, BashCompletesValuesThatAreKnown) {
  EXPECT_THAT(in_bash("fuzz --profile al"), UnorderedElementsAre("alias", "all"));
  EXPECT_THAT(in_bash("fuzz --profile = al"), UnorderedElementsAre("alias", "all"))
      << "--profile=al as bash divides it";
  EXPECT_THAT(in_bash("fuzz --profile ="), Contains("numeric"));
  EXPECT_THAT(in_bash("eval case.json --profile openv"), ElementsAre("openvino"));
  EXPECT_THAT(in_bash("check case.json --target vul"), ElementsAre("vulkan"));
  EXPECT_THAT(in_bash("replay corpus --target onnxr"), ElementsAre("onnxruntime"));
  EXPECT_THAT(in_bash("check case.json --plant F0"), IsSupersetOf({"F01", "F09"}));
  EXPECT_THAT(in_bash("check case.json --stop-after simp"), ElementsAre("simplify"));
  EXPECT_THAT(in_bash("completion ''"), UnorderedElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(in_bash("fuzz --seed ''"), IsEmpty());
}

TEST_F(Completion, FishCompletesTheSame) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_THAT(in_fish("fu"), ElementsAre("fuzz"));
  EXPECT_THAT(in_fish("corpus ver"), ElementsAre("verify"));
  EXPECT_THAT(in_fish("fuzz --see"), ElementsAre("--seed"));
  EXPECT_THAT(in_fish("fuzz --profile al"), UnorderedElementsAre("alias", "all"));
  EXPECT_THAT(in_fish("check fish --target vul"), ElementsAre("vulkan"));
  EXPECT_THAT(in_fish("check fi"), ElementsAre("fish")) << "a file";
  EXPECT_THAT(in_fish("fuzz fi"), Not(Contains("fish"))) << "takes none";
}

TEST_F(Completion, ZshReadsItsScript) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  // What _arguments is given, with the parts of it that need a terminal replaced by what they are asked.
  write("ask.zsh", R"(compdef() { print -r -- "bound: $*" }
_arguments() { state=; print -rl -- "$@" }
source ./zsh
_parallax_corpus_verify
)");
  const Ran ran = execute("zsh -f ask.zsh");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const std::vector<std::string> lines = lines_of(ran.out);
  EXPECT_THAT(lines, Contains("bound: _parallax parallax"));
  EXPECT_THAT(lines, Contains("--json[As JSON on standard output]"));
  EXPECT_THAT(
      lines,
      Contains(testing::StartsWith("*--target=[Only on these; 3 if one cannot be run; repeatable]:TARGET:(portable ")));
}

TEST_F(Completion, AnotherShellIsRefused) {
  const Ran ran = run("completion tcsh");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, testing::HasSubstr("tcsh"));
}

}  // namespace
}  // namespace parallax
