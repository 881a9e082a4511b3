// Confirmation, interruption and broken lines, as a shell sees them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Confirming : public CommandLine {
 protected:
  // The folder of the finding of a campaign with a planted fault.
  fs::path found() const {
    const Ran ran = run("fuzz --target portable --plant F01 --seed 1 --graphs 3000 --profile alias --findings found");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    for (const auto& entry : fs::directory_iterator(folder_ / "found")) {
      if (entry.is_directory() && fs::exists(entry.path() / "finding.json")) return entry.path();
    }
    ADD_FAILURE() << "no finding is kept\n" << ran.out;
    return {};
  }
  // The seconds after which the shell sends the signal, and what the program does then.
  Ran interrupted(const std::string& signal, const std::string& arguments) const {
    return execute("PARALLAX_ROOT='" PARALLAX_SOURCE_DIR "' timeout --preserve-status -s " + signal +
                   " 3 '" PARALLAX_BINARY "' " + arguments);
  }
};

TEST_F(Confirming, AFindingThatShowsInAFreshProcessStands) {
  const fs::path folder = found();
  const Ran ran = run("confirm found --json");
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto rows = nlohmann::json::parse(ran.out);
  ASSERT_GE(rows.size(), 1U);
  EXPECT_EQ(rows[0]["confirmation"], "confirmed");
  EXPECT_EQ(rows[0]["jury"][0]["juror"], "a fresh process");
  const auto stored = nlohmann::json::parse(read_file(folder / "finding.json"));
  EXPECT_EQ(stored["confirmation"], "confirmed");
  EXPECT_THAT(read_file(folder / "explanation.txt"), HasSubstr("jury: confirmed"));
}

TEST_F(Confirming, OneThatDoesNotShowIsUnconfirmedAndFailsOnRequestAlone) {
  const fs::path folder = found();
  auto stored = nlohmann::json::parse(read_file(folder / "finding.json"));
  stored.erase("planted");
  std::ofstream(folder / "finding.json") << stored.dump();
  const Ran ran = run("confirm " + folder.string());
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("unconfirmed:\n"));
  EXPECT_THAT(ran.out, HasSubstr("a fresh process: contradicts, it does not show: match"));
  EXPECT_EQ(run("confirm " + folder.string() + " --fail-on unconfirmed").code, 1);
}

// The file that the last line of an explanation names is there, and shows the finding.
TEST_F(Confirming, WhatReproducesIsAFileThatExists) {
  const fs::path folder = found();
  const std::string explanation = read_file(folder / "explanation.txt");
  const std::string words = "  reproduce: parallax ";
  const std::size_t at = explanation.rfind(words);
  ASSERT_NE(at, std::string::npos) << explanation;
  const std::size_t begin = at + words.size();
  EXPECT_EQ(run(explanation.substr(begin, explanation.find('\n', begin) - begin)).code, 1);
  fs::copy_file(folder / "reduced.json", folder_ / "kept.json");
  const Ran checked = run("check kept.json --target portable --plant F01");
  EXPECT_THAT(checked.out, HasSubstr("reproduce: parallax check kept.json --target 'portable' --plant F01\n"));
}

TEST_F(Confirming, AScriptThatDrivesNothingIsNotWritten) {
  const fs::path folder = found();
  EXPECT_FALSE(fs::exists(folder / "repro.py"));
  const Ran issue = run("export " + folder.string() + " --to issue");
  EXPECT_EQ(issue.code, 0) << issue.err;
  EXPECT_THAT(issue.out, HasSubstr("parallax check " + (folder / "reduced.json").string()));
  EXPECT_THAT(issue.out, Not(HasSubstr("import torch")));
  const Ran script = run("export " + folder.string() + " --to pytorch --target iree-cpu");
  EXPECT_EQ(script.code, 2);
  EXPECT_THAT(script.err, HasSubstr("there is no script: no script of ours drives iree-cpu"));
  fs::copy_file(folder / "reduced.json", folder_ / "case.json");
  const Ran against_nothing = run("export case.json --to pytorch");
  EXPECT_EQ(against_nothing.code, 2);
  EXPECT_THAT(against_nothing.err, HasSubstr("the case records no result"));
}

TEST_F(Confirming, InterruptedCampaignsSumUpAndGoOn) {
  for (const std::string signal : {"INT", "TERM"}) {
    const std::string campaign =
        "fuzz --target portable --plant F01 --seed 1 --seconds 20 --profile alias --findings " + signal;
    const Ran ran = interrupted(signal, campaign);
    EXPECT_EQ(ran.code, 1) << signal << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("1 distinct finding in "));
    EXPECT_THAT(ran.err, HasSubstr("interrupted; to go on, give the same command again"));
  }
  const Ran again = run("fuzz --target portable --plant F01 --seed 1 --seconds 20 --profile alias --findings INT");
  EXPECT_THAT(again.err, HasSubstr("goes on with a campaign that was cut off after "));
}

// A system in a process of its own, with a bug, where nobody else is installed.
TEST_F(Confirming, AnExternalFindingIsPutToTheJurorsThatThereAre) {
  fs::create_directories(folder_ / "root");
  fs::create_directory_symlink(fs::path(PARALLAX_SOURCE_DIR) / "adapters", folder_ / "root/adapters");
  const auto with_bug = [&](const std::string& arguments) {
    return execute("env -u PARALLAX_ENVIRONMENTS PARALLAX_ROOT=root '" PARALLAX_BINARY "' " + arguments);
  };
  const Ran ran = with_bug("fuzz --target 'cmd:" PARALLAX_BINARY
                           " worker portable --plant F16' --seed 9 --graphs 150 --jobs 1 --related 2 --json");
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto summary = nlohmann::json::parse(ran.out);
  ASSERT_GE(summary["findings"].size(), 1U);
  EXPECT_EQ(summary["findings"][0]["confirmation"], "confirmed");
  EXPECT_EQ(summary["findings"][0]["grade"], "gross");
  EXPECT_GT(summary["targets"].front()["related"], 100);
  EXPECT_EQ(summary["targets"].front()["cases"], 150);
  const Ran again = with_bug("confirm findings");
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_THAT(again.out, HasSubstr("a fresh process: agrees"));
  EXPECT_THAT(again.out, HasSubstr("pytorch-eager: not asked"));
}

TEST_F(Confirming, OneBadLineCostsThatLineAndEqualReasonsAreCounted) {
  const std::string good =
      R"({"parallax":1,"name":"good","graph":{"inputs":{"x":{"type":"f32[2]"}},"nodes":[)"
      R"({"out":"y","op":"aten.neg.default","args":["%x"]}],"outputs":["%y"]},"feed":{"x":[1,2]}})";
  const std::string bad = R"({"parallax":1,"graph":{"inputs":{},"nodes":[],"outputs":["%y"]},"feed":{}})";
  write("cases.jsonl", bad + "\n" + good + "\n" + bad + "\nnonsense\n" + good + "\n" + bad + "\n");
  const Ran ran = run("replay cases.jsonl --target portable --json");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(nlohmann::json::parse(ran.out)["targets"]["portable"]["match"], 2);
  EXPECT_THAT(ran.err, HasSubstr("cases.jsonl:1: "));
  EXPECT_THAT(ran.err, HasSubstr("(and 2 more for the same reason)"));
  EXPECT_THAT(ran.err, HasSubstr("cases.jsonl:4: "));
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 2) << ran.err;
}

}  // namespace
}  // namespace parallax
