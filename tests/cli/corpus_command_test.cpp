// `parallax corpus` from outside: what is kept, what changed, and verdicts that depend on the processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "tests/cli/command_line.h"

namespace {

namespace fs = std::filesystem;

using parallax::CommandLine;
using parallax::Ran;
using parallax::read_file;
using ::testing::HasSubstr;

constexpr const char* seed = PARALLAX_SOURCE_DIR "/corpus/cases/seeds/s1-numeric-clone.json";

TEST_F(CommandLine, ACorpusTellsWhatChanged) {
  fs::create_directories(folder_ / "kept/cases");
  EXPECT_EQ(run(std::string("corpus add ") + seed + " --corpus kept --as found/clone --target portable").code, 0);
  EXPECT_EQ(run(std::string("corpus add ") + seed + " --corpus kept --as found/clone --target portable").code,
            2);  // it is there
  EXPECT_EQ(run(std::string("corpus add ") + seed + " --corpus kept --as ../out --target portable").code, 2);
  const Ran verified = run("corpus verify --corpus kept");
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("1 as recorded"));
  EXPECT_THAT(run("corpus list --corpus kept clone").out, HasSubstr("found/clone.json"));
  EXPECT_THAT(run("corpus show --corpus kept found/clone").out, HasSubstr("recorded   match on portable"));
  // As if it had diverged when it was recorded.
  const std::string book = read_file(folder_ / "kept/verdicts.jsonl");
  const std::string other = std::regex_replace(book, std::regex("\"match\""), "\"mismatch\"");
  std::ofstream(folder_ / "kept/verdicts.jsonl") << other;
  const Ran changed = run("corpus verify --corpus kept");
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.out, HasSubstr("fixed: found/clone.json on portable: recorded mismatch, now match"));
  std::ofstream(folder_ / "kept/cases/broken.json") << "{";
  EXPECT_EQ(run("corpus verify --corpus kept").code, 2);
  EXPECT_EQ(run("corpus verify --corpus none").code, 2);
  EXPECT_EQ(run("corpus verify --corpus kept --target thunder").code, 2);  // nothing is recorded of it
}

TEST_F(CommandLine, AVerdictOfAnotherProcessorIsCountedAndNotHeldAgainstThisOne) {
  fs::create_directories(folder_ / "kept/cases");
  ASSERT_EQ(run(std::string("corpus add ") + seed + " --corpus kept --as found/clone --target portable").code, 0);
  std::ofstream(folder_ / "kept/verdicts.jsonl")
      << R"({"case":"found/clone.json","target":"portable","verdict":"mismatch","processor":"of another kind"})"
         "\n";
  const Ran elsewhere = run("corpus verify --corpus kept");
  EXPECT_EQ(elsewhere.code, 0) << elsewhere.out << elsewhere.err;
  EXPECT_THAT(elsewhere.out, HasSubstr("0 as recorded, 1 recorded on other processors only"));
  // The case's verdicts are by processor now: recording keeps the other one, and says which this is.
  ASSERT_EQ(run("corpus record --corpus kept --target portable").code, 0);
  const std::string book = read_file(folder_ / "kept/verdicts.jsonl");
  EXPECT_THAT(book, HasSubstr("of another kind"));
  EXPECT_THAT(book, HasSubstr(R"("verdict":"match","processor":)"));
  const Ran both = run("corpus verify --corpus kept");
  EXPECT_EQ(both.code, 0);
  EXPECT_THAT(both.out, HasSubstr("1 as recorded\n"));
  // So does adding the case anew.
  ASSERT_EQ(run(std::string("corpus add ") + seed + " --corpus kept --as found/clone --target portable --force").code,
            0);
  EXPECT_EQ(read_file(folder_ / "kept/verdicts.jsonl"), book);
}

TEST_F(CommandLine, AVerdictIsRecordedByProcessorWhenAsked) {
  fs::create_directories(folder_ / "kept/cases");
  ASSERT_EQ(run(std::string("corpus add ") + seed + " --corpus kept --as found/clone --target portable").code, 0);
  EXPECT_THAT(read_file(folder_ / "kept/verdicts.jsonl"), Not(HasSubstr("processor")));
  ASSERT_EQ(run("corpus record --corpus kept --target portable --by-processor").code, 0);
  EXPECT_THAT(read_file(folder_ / "kept/verdicts.jsonl"), HasSubstr(R"("processor":)"));
  EXPECT_THAT(run("corpus show --corpus kept found/clone").out, testing::ContainsRegex("match on portable [(].+[)]"));
  EXPECT_EQ(run("corpus verify --corpus kept").code, 0);
}

}  // namespace
