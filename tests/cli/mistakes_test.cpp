// Sixty and more mistakes on the command line: the message and the exit code of each, in tests/golden/mistakes.txt.
// PARALLAX_UPDATE_GOLDEN=1 writes the answers anew behind the command lines that the file holds.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "tests/cli/command_line.h"
#include "tests/support/golden.h"

namespace parallax {
namespace {

constexpr const char* sound_case = R"({"parallax": 1, "name": "neg", "graph": {"inputs": {"x": {"type": "f32[2]"}},
  "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, -2]}})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// What stays as it is when a pass, a profile or a system is added: long lists are left out.
std::string lasting(const std::string& message) {
  static const std::regex list("(not one of|they are|there are) [^;\n]{60,}");
  return std::regex_replace(message, list, "$1 …");
}

class Mistakes : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("case.json", sound_case);
    write("broken.json", "{");
    write("empty.json", "");
    write("unknown_op.json", replaced(sound_case, "aten.neg.default", "aten.nge.default"));
    write("unknown_dtype.json", replaced(sound_case, "f32[2]", "float32[2]"));
  }
};

TEST_F(Mistakes, HaveTheirMessageAndExitCode) {
  std::istringstream lines(read_file(PARALLAX_SOURCE_DIR "/tests/golden/mistakes.txt"));
  const std::string prompt = "$ parallax ";
  std::string answers;
  int mistakes = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(prompt)) continue;
    ++mistakes;
    const Ran ran = run(line.substr(prompt.size()));
    EXPECT_TRUE(ran.code == 2 || ran.code == 3) << line;
    EXPECT_EQ(ran.out, "") << line;
    std::istringstream said(ran.err);
    for (std::string message; std::getline(said, message);) EXPECT_TRUE(message.starts_with("parallax: ")) << line;
    answers += line + "\n" + lasting(ran.err) + "exit " + std::to_string(ran.code) + "\n\n";
  }
  EXPECT_GE(mistakes, 60);
  expect_golden(answers, "mistakes.txt");
}

// A command line that is right but for a word names the word that was meant.
TEST_F(Mistakes, TheNearestNameIsOffered) {
  const auto offers = [&](const std::string& line, const std::string& name) {
    EXPECT_NE(run(line).err.find("did you mean '" + name + "'?"), std::string::npos) << line << "\n" << run(line).err;
  };
  offers("fuz", "fuzz");
  offers("corpus verfy", "verify");
  offers("fuzz --profil alias", "--profile");
  offers("fuzz --out found", "--findings");
  offers("fuzz -o found", "--findings");
  offers("fuzz --secs 30", "--seconds");
  offers("report . --out page.html", "--output");
  offers("fuzz --profile numerics", "numeric");
  offers("fuzz --target portabel", "portable");
  offers("fuzz --plant F0", "F01");
  offers("ops sigmod", "sigmoid");
  offers("check unknown_op.json", "aten.neg.default");
}

// Run elsewhere than in the project, what all of the systems lack is said once, with what to do.
TEST_F(Mistakes, WhatEachTargetLacksIsSaidOnce) {
  const Ran ran = execute("cp '" PARALLAX_BINARY
                          "' alone && env -u PARALLAX_ROOT ./alone fuzz --seconds 1 --target portable "
                          "--target onnxruntime --target tract --target openvino");
  const std::string lack = "cannot be read";
  const std::size_t first = ran.err.find(lack);
  ASSERT_NE(first, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find(lack, first + 1), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("set PARALLAX_ROOT to"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("not driven: onnxruntime, tract, openvino: "), std::string::npos) << ran.out;
  EXPECT_EQ(ran.code, 3) << ran.err;
}

}  // namespace
}  // namespace parallax
