// The program from outside: exit codes, messages on standard error, results on standard output.
#include "tests/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "places.h"

namespace {

namespace fs = std::filesystem;

using parallax::CommandLine;
using parallax::Ran;
using parallax::read_file;

constexpr const char* good_case = R"({"parallax": 1, "name": "neg", "graph": {"inputs": {"x": {"type": "f32[2]"}},
  "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%a"]}, "feed": {"x": [1, -2]},
  "expect": [{"type": "f32[2]", "data": [-1, 2]}]})";

// The report's graph in which the fault shows: a is overwritten by d while its alias b is still to be read.
constexpr const char* aliased_case =
    R"({"parallax": 1, "name": "aliased", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
  {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]}, {"out": "b", "op": "aten.clone.default", "args": ["%a"]},
  {"out": "c", "op": "aten.exp.default", "args": ["%a"]}, {"out": "d", "op": "aten.neg.default", "args": ["%c"]},
  {"out": "e", "op": "aten.neg.default", "args": ["%b"]}, {"out": "f", "op": "aten.neg.default", "args": ["%d"]}],
  "outputs": ["%e", "%f"]}, "feed": {"x": [-0.5, 1.25]}})";

TEST_F(CommandLine, ReplayOfAGoodCaseMatches) {
  write("good.json", good_case);
  const Ran ran = run("replay good.json --target portable --target recorded --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto summary = nlohmann::json::parse(ran.out);
  EXPECT_EQ(summary["cases"], 1);
  EXPECT_EQ(summary["targets"]["portable"]["match"], 1);
  EXPECT_EQ(summary["targets"]["recorded"]["match"], 1);
  EXPECT_EQ(summary["findings"].size(), 0U);
}

TEST_F(CommandLine, ACaseMayStandBehindARepeatableOption) {
  write("good.json", good_case);
  for (const char* order : {"check --target portable good.json --json", "check --target portable --json good.json",
                            "replay --target portable --target recorded good.json --json"}) {
    const Ran ran = run(order);
    EXPECT_EQ(ran.code, 0) << order << "\n" << ran.err;
  }
}

TEST_F(CommandLine, TargetsListsOurOwnFirst) {
  const Ran ran = run("targets --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::vector<std::string> names;
  for (const auto& row : nlohmann::json::parse(ran.out)) names.push_back(row["name"]);
  ASSERT_GT(names.size(), 4U);
  names.resize(4);
  EXPECT_THAT(names, testing::ElementsAre("portable", "xnnpack", "vulkan", "recorded"));
}

TEST_F(CommandLine, OpsTellsWhatIsKnownByDtypeAndTarget) {
  const Ran ran = run("ops mul --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  bool found = false;
  for (const auto& row : nlohmann::json::parse(ran.out)) {
    EXPECT_NE(row["op"].get<std::string>().find("mul"), std::string::npos);
    if (row["op"] != "aten.mul.Tensor") continue;
    found = true;
    EXPECT_EQ(row["dtypes"].size(), 10U);
    EXPECT_EQ(row["targets"]["portable"], true);
    EXPECT_EQ(row["generated"], true);
  }
  EXPECT_TRUE(found);
}

TEST_F(CommandLine, AWrongExpectationIsAMismatch) {
  std::string wrong = good_case;
  wrong.replace(wrong.find("[-1, 2]"), 7, "[-1, 3]");
  write("wrong.json", wrong);
  const Ran ran = run("replay wrong.json --target recorded");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("expected 2 got 3"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, APlantedFaultIsFoundByValuesAndExplained) {
  write("aliased.json", aliased_case);
  EXPECT_EQ(run("check aliased.json --target portable").code, 0);
  const Ran ran = run("check aliased.json --target portable --plant F01");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  for (const char* said : {"planted: F01", "mismatch", "plan:", "arena"})
    EXPECT_NE(ran.out.find(said), std::string::npos) << said << "\n" << ran.out;
}

TEST_F(CommandLine, HowOftenItDivergesIsSaidOnRequest) {
  write("aliased.json", aliased_case);
  const Ran ran = run("check aliased.json --target portable --plant F01 --repeat 5");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(ran.out.find("wrong 5 of 5 runs"), std::string::npos) << ran.out;
  const Ran replayed = run("replay aliased.json --target portable --plant F01 --repeat 5 --json");
  EXPECT_EQ(nlohmann::json::parse(replayed.out)["findings"][0]["wrong"], 5);
}

TEST_F(CommandLine, FindingsAreKeptAsGeneratedOnRequest) {
  const std::string campaign = "fuzz --target portable --plant F16 --seed 5 --graphs 300 --jobs 1 --json ";
  const auto kept_in = [&](const std::string& folder, const std::string& how) {
    const Ran ran = run(campaign + how + " --findings " + folder);
    EXPECT_EQ(ran.code, 1) << ran.err;
    const auto findings = nlohmann::json::parse(ran.out)["findings"];
    return folder_ / fs::path(findings.at(0).at("file").get<std::string>()).parent_path();
  };
  const auto has_configuration = [](const fs::path& folder) {
    return nlohmann::json::parse(read_file(folder / "finding.json")).contains("configuration");
  };
  const fs::path as_generated = kept_in("as_generated", "--no-reduce");
  EXPECT_EQ(read_file(as_generated / "reduced.json"), read_file(as_generated / "case.json"));
  EXPECT_FALSE(has_configuration(as_generated));
  const fs::path reduced = kept_in("reduced", "");
  EXPECT_NE(read_file(reduced / "reduced.json"), read_file(reduced / "case.json"));
  EXPECT_TRUE(has_configuration(reduced));
}

TEST_F(CommandLine, WhatTheBaseGetsRightIsFound) {
  const Ran ran =
      run("fuzz --target portable --base portable --plant F16 --seed 2 --graphs 600 --jobs 1 --json --findings found");
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto summary = nlohmann::json::parse(ran.out);
  EXPECT_EQ(summary["findings"].size(), 1U);
  EXPECT_EQ(summary["targets"]["portable"]["base_diverges"], 0);
}

// A night's findings are known the next night; with one of them forgotten, that one alone is news.
TEST_F(CommandLine, KnownFindingsAreCountedAndOnlyNewOnesFail) {
  const std::string campaign =
      "fuzz --target portable --plant F01 --plant F07 --seed 7 --graphs 1500 --profile alias --jobs 1 ";
  EXPECT_EQ(run(campaign + "--findings night").code, 1);
  const Ran known = run("known night");
  EXPECT_EQ(known.code, 0) << known.err;
  write("known.jsonl", known.out);
  const Ran next = run(campaign + "--findings next --known known.jsonl");
  EXPECT_EQ(next.code, 0) << next.out;
  EXPECT_THAT(next.out, testing::StartsWith("no finding in 1,500 cases, "));
  const std::string rest = known.out.substr(known.out.find('\n') + 1);
  ASSERT_FALSE(rest.empty());
  write("rest.jsonl", rest);
  const Ran fewer = run(campaign + "--findings fewer --known rest.jsonl");
  EXPECT_EQ(fewer.code, 1) << fewer.out;
  EXPECT_THAT(fewer.out, testing::StartsWith("1 distinct finding in 1,500 cases, "));
  write("other.jsonl", R"({"signature": "mismatch | portable | values | nothing"})");
  EXPECT_NE(run(campaign + "--findings other --known other.jsonl").out.find("perhaps fixed"), std::string::npos);
}

TEST_F(CommandLine, ShardsTogetherSeeWhatOneMachineSees) {
  const std::string campaign = "fuzz --target portable --plant F01 --seed 7 --graphs 1200 --profile alias --no-reduce ";
  EXPECT_EQ(run(campaign + "--shard 1/2 --findings a").code, 1);
  EXPECT_EQ(run(campaign + "--shard 2/2 --findings b").code, 1);
  const Ran merged = run("merge a b -o both");
  EXPECT_EQ(merged.code, 0);
  EXPECT_THAT(merged.out, testing::HasSubstr(" added, 1 there already; 1 campaign added"));
  EXPECT_EQ(run(campaign + "--findings whole").code, 1);
  const auto first_cases = [&](const char* name) {
    std::set<std::string> cases;
    for (const auto& entry : fs::directory_iterator(folder_ / name)) {
      if (!entry.is_directory() || entry.path().filename().string().starts_with('.')) continue;
      cases.insert(nlohmann::json::parse(read_file(entry.path() / "case.json"))["name"].get<std::string>());
    }
    return cases;
  };
  const std::set<std::string> odd = first_cases("a"), even = first_cases("b");
  for (const std::string& name : odd) EXPECT_FALSE(even.contains(name)) << name;
  EXPECT_FALSE(first_cases("whole").empty());
  EXPECT_EQ(run("fuzz --shard 3/2 --seed 1").code, 2);
  EXPECT_EQ(run("fuzz --shard 1/2").code, 2);
}

TEST_F(CommandLine, WhatGitSaysHasChangedIsReplayed) {
  if (!is_installed("git")) GTEST_SKIP() << "git is not installed";
  const fs::path seeds = PARALLAX_SOURCE_DIR "/corpus/cases/seeds";
  fs::create_directories(folder_ / "cases/more");
  for (const char* name : {"s1-clone.json", "s1-view-copy.json"}) fs::copy(seeds / name, folder_ / "cases");
  const std::string git = "git -c user.name=n -c user.email=e ";
  ASSERT_EQ(execute(git + "init -q . && " + git + "add cases && " + git + "commit -q -m one").code, 0);
  const std::string replay = "replay cases --target portable --changed-since HEAD";
  const Ran none = run(replay);
  EXPECT_EQ(none.code, 0);
  EXPECT_THAT(none.err, testing::HasSubstr("no case has changed since HEAD"));
  write("cases/s1-clone.json", read_file(seeds / "s1-detach-copy.json"));
  write("cases/more/it's new.json", read_file(seeds / "s1-alias-copy.json"));
  write("cases/note.txt", "no case");
  EXPECT_THAT(run(replay).out, testing::HasSubstr("portable: 2 cases, "));
  EXPECT_THAT(run("replay cases/s1-clone.json cases/s1-view-copy.json --target portable --changed-since HEAD").out,
              testing::HasSubstr("portable: 1 case, "));
  const Ran unknown = run("replay cases --target portable --changed-since nothing");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, testing::HasSubstr("what changed cannot be told: fatal: bad revision 'nothing'"));
}

TEST_F(CommandLine, AFuzzedFaultIsReducedAndKept) {
  const Ran ran =
      run("fuzz --target portable --profile alias --seed 1 --graphs 3000 --plant F01 --findings found --json --jobs 1");
  ASSERT_EQ(ran.code, 1) << ran.err;
  const auto summary = nlohmann::json::parse(ran.out);
  ASSERT_GE(summary["findings"].size(), 1U);
  const auto& finding = summary["findings"][0];
  EXPECT_LE(finding["nodes"], 5);
  const std::string file = finding["file"];
  EXPECT_EQ(run("check " + file + " --target portable").code, 0) << "without the fault the reduced case agrees";
  EXPECT_EQ(run("check " + file + " --target portable --plant F01").code, 1);
}

TEST_F(CommandLine, OneSeedGivesTheSameCasesWhateverTheJobs) {
  const Ran one = run("fuzz --target portable --profile alias --seed 5 --graphs 300 --jobs 1 --json");
  const Ran two = run("fuzz --target portable --profile alias --seed 5 --graphs 300 --jobs 3 --json");
  ASSERT_EQ(one.code, 0) << one.out << one.err;
  auto first = nlohmann::json::parse(one.out), second = nlohmann::json::parse(two.out);
  for (auto* summary : {&first, &second}) {
    summary->erase("seconds");
    for (const char* time : {"seconds", "drawing_seconds", "finding_seconds"})
      (*summary)["targets"]["portable"].erase(time);
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(run("gen --seed 5 --count 20 --profile alias").out, run("gen --seed 5 --count 20 --profile alias").out);
}

TEST_F(CommandLine, GeneratedCasesReplay) {
  const Ran generated = run("gen --seed 3 --count 50 --profile alias --target portable");
  write("generated.jsonl", generated.out);
  EXPECT_EQ(run("replay generated.jsonl --target portable").code, 0);
}

struct Bad {
  const char* name;
  const char* file;  // contents of case.json, or null
  const char* arguments;
  int code;
  const char* said;
};

class BadInput : public CommandLine, public testing::WithParamInterface<Bad> {};

TEST_P(BadInput, IsOneClearLine) {
  const Bad& bad = GetParam();
  if (bad.file) write("case.json", bad.file);
  const Ran ran = run(bad.arguments);
  EXPECT_EQ(ran.code, bad.code) << ran.out << ran.err;
  EXPECT_NE(ran.err.find(bad.said), std::string::npos) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadInput,
    testing::Values(
        Bad{"no_file", nullptr, "replay nowhere.json --target portable", 2, "nowhere.json: no such file"},
        Bad{"truncated", R"({"parallax": 1, "graph")", "eval case.json", 2, "case.json"},
        Bad{"unknown_op",
            R"({"parallax":1,"name":"n","graph":{"inputs":{"x":{"type":"f32[1]"}},"nodes":[{"out":"a","op":"aten.nope.default","args":["%x"]}],"outputs":["%a"]},"feed":{"x":[1]}})",
            "eval case.json", 2, "/graph/nodes/0/op"},
        Bad{"unknown_target", good_case, "replay case.json --target nonsense", 2, "nonsense"},
        Bad{"unknown_fault", good_case, "replay case.json --target portable --plant F99", 2, "F99"},
        Bad{"unwritable_findings", nullptr, "fuzz --target portable --graphs 1 --findings /proc/nowhere", 2,
            "findings folder"},
        Bad{"nothing_to_reduce", good_case, "reduce case.json --target portable", 2, "nothing to reduce"},
        Bad{"no_target_to_reduce_on", aliased_case, "reduce case.json --target nonsense", 2, "nonsense"},
        Bad{"no_time_to_reduce", aliased_case, "reduce case.json --target portable --plant F01 --seconds 0", 2,
            "nothing can be tried in that time"},
        Bad{"no_such_base", nullptr, "fuzz --target portable --base nonsense --graphs 1", 2, "nonsense"},
        Bad{"no_repeats", good_case, "check case.json --repeat 0", 2, "--repeat"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(CommandLine, AnUnknownFormInAGreetingIsBadInput) {
  write("case.json", good_case);
  write("worker.py", R"(import sys
sys.stdin.readline()
print('{"id": 1, "protocol": 1, "name": "n", "profile": {"name": "x", "allows": [{"form": "lost_numbers"}]}}', flush=True)
sys.stdin.readline()
)");
  const Ran ran = run("replay case.json --target 'cmd:python3 worker.py'");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(
      ran.err,
      "parallax: the greeting of cmd:python3 worker.py: /profile/allows/0/form: 'lost_numbers' is no form that is "
      "known here\n");
}

TEST_F(CommandLine, ABrokenFileAmongGoodOnesIsNamedAndTheRestReplayed) {
  write("a.json", good_case);
  write("b.json", "{");
  const Ran ran = run("replay . --target portable --json");
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("b.json"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(ran.out)["targets"]["portable"]["match"], 1);
}

TEST_F(CommandLine, JUnitEscapesHostileNames) {
  std::string hostile = good_case;
  hostile.replace(hostile.find("\"neg\""), 5, R"("\"><script>")");
  write("case.json", hostile);
  EXPECT_EQ(run("replay case.json --target portable --junit report.xml").code, 0);
  const std::string xml = read_file(folder_ / "report.xml");
  EXPECT_NE(xml.find("&quot;&gt;&lt;script&gt;"), std::string::npos) << xml;
  EXPECT_EQ(xml.find("<script>"), std::string::npos);
}

TEST_F(CommandLine, SarifNamesWhatDivergedAndWhere) {
  fs::create_directories(folder_ / "a b");
  write("a b/case #1.json", aliased_case);
  const Ran ran = run("replay 'a b' --target portable --plant F01 --sarif report.sarif --annotate");
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto sarif = nlohmann::json::parse(read_file(folder_ / "report.sarif"));
  EXPECT_EQ(sarif["version"], "2.1.0");
  ASSERT_EQ(sarif["runs"][0]["results"].size(), 1U);
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "mismatch");
  EXPECT_EQ(sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], "mismatch");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b/case%20%231.json");
  EXPECT_THAT(ran.err, testing::HasSubstr("::error file=a b/case #1.json,title=mismatch on portable::"));
  EXPECT_EQ(run("replay 'a b' --target portable --sarif clean.sarif").code, 0);
  EXPECT_TRUE(nlohmann::json::parse(read_file(folder_ / "clean.sarif"))["runs"][0]["results"].empty());
}

// Of the finding that a planted fault leaves: the page holds its story, and a hostile name in it stays a text.
TEST_F(CommandLine, AReportTellsAFindingWithItsMemory) {
  std::string hostile = aliased_case;
  hostile.replace(hostile.find("\"aliased\""), 9, R"("\"><script>alert(1)</script>")");
  write("case.json", hostile);
  ASSERT_EQ(run("replay case.json --target portable --plant F01 --findings found --reduce").code, 1);
  const Ran ran = run("report found -o page.html --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["now"], "mismatch");
  const std::string page = read_file(folder_ / "page.html");
  EXPECT_TRUE(page.contains("<svg class=\"arena\""));
  EXPECT_TRUE(page.contains("which lies where the next run writes."));
  EXPECT_TRUE(page.contains("✗ outside"));
  EXPECT_TRUE(page.contains(" and should be ")) << "the finding as a sentence";
  EXPECT_TRUE(page.contains("&quot;&gt;&lt;script&gt;alert(1)"));
  EXPECT_FALSE(page.contains("<script>alert"));
  const std::string check = "python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' '" +
                            (folder_ / "page.html").string() + "'";
  EXPECT_EQ(std::system(check.c_str()), 0);
  // Without Graphviz the graphs are there as text, and the page says so.
  fs::create_directories(folder_ / "bin");
  fs::create_symlink("/bin/sh", folder_ / "bin/sh");
  const std::string bare = "cd '" + folder_.string() + "' && PATH='" + (folder_ / "bin").string() +
                           "' PARALLAX_ROOT='" PARALLAX_SOURCE_DIR "' '" PARALLAX_BINARY
                           "' report found -o bare.html >/dev/null";
  EXPECT_EQ(std::system(bare.c_str()), 0);
  const std::string without = read_file(folder_ / "bare.html");
  EXPECT_TRUE(without.contains("No picture: Graphviz (dot) is not installed"));
  EXPECT_THAT(without, testing::HasSubstr("= sigmoid("));
}

TEST_F(CommandLine, AReportSinceAnEarlierFolderTellsWhatIsNewAndGone) {
  write("case.json", aliased_case);
  ASSERT_EQ(run("replay case.json --target portable --plant F01 --findings now --reduce").code, 1);
  fs::create_directories(folder_ / "before");
  const Ran fresh = run("report now --since before --json");
  EXPECT_EQ(fresh.code, 1) << fresh.err;
  EXPECT_EQ(nlohmann::json::parse(fresh.out)["findings"][0]["standing"], "new");
  const Ran same = run("report now --since now");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, testing::HasSubstr("1 finding, 0 new, 0 newly flaky, 1 known, 0 gone"));
  const Ran gone = run("report before --since now --json -o page.html");
  EXPECT_EQ(gone.code, 0) << gone.err;
  EXPECT_EQ(nlohmann::json::parse(gone.out)["gone"][0]["standing"], "gone");
  EXPECT_TRUE(read_file(folder_ / "page.html").contains("Gone since then"));
}

TEST_F(CommandLine, AReportOfACampaignHasItsProgressAndCoverage) {
  ASSERT_EQ(run("fuzz --target portable --plant F01 --seed 7 --graphs 400 --profile alias --findings night").code, 1);
  const Ran ran = run("report night -o page.html --rerun none");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string page = read_file(folder_ / "page.html");
  for (const char* part : {"400 graphs hold ", "Time to find", "write-through-view", "planted F01", " of 400"}) {
    EXPECT_TRUE(page.contains(part)) << part;
  }
  write("night/campaigns.db", "no database");
  const Ran broken = run("report night -o page.html --rerun none");
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.err, testing::HasSubstr("campaigns.db"));
}

TEST_F(CommandLine, ABrokenFindingIsNamedAndTheRestReported) {
  write("case.json", aliased_case);
  ASSERT_EQ(run("replay case.json --target portable --plant F01 --findings found --reduce").code, 1);
  fs::create_directories(folder_ / "found/BROKEN");
  write("found/BROKEN/finding.json", R"({"id": "<script>"})");
  const Ran ran = run("report found -o page.html --rerun none");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, testing::HasSubstr("BROKEN/finding.json"));
  const std::string page = read_file(folder_ / "page.html");
  EXPECT_TRUE(page.contains("could not be read"));
  EXPECT_TRUE(page.contains("since the findings were not run again (--rerun none)"));
  EXPECT_TRUE(page.contains("class=\"finding\""));
  EXPECT_EQ(run("report nowhere").code, 2);
  EXPECT_EQ(run("report found -o /proc/nowhere/page.html").code, 2);
}

TEST_F(CommandLine, ConformanceIsATableAPageAndADifference) {
  const Ran table = run("conformance --target portable --op aten.neg --json --html page.html");
  EXPECT_EQ(table.code, 0) << table.err;
  write("before.json", table.out);
  EXPECT_TRUE(read_file(folder_ / "page.html").contains("Conformance of portable"));
  write("after.json", std::regex_replace(table.out, std::regex("\"f32\": \"right\""), "\"f32\": \"wrong\""));
  const Ran changed = run("conformance --diff before.json after.json --html changed.html");
  EXPECT_EQ(changed.code, 1) << changed.err;
  EXPECT_THAT(changed.out, testing::HasSubstr("f32   right → wrong"));
  EXPECT_TRUE(read_file(folder_ / "changed.html").contains("for the worse"));
  EXPECT_EQ(run("conformance --diff before.json before.json").code, 0);
  write("broken.json", R"({"target": 1})");
  const Ran broken = run("conformance --diff before.json broken.json");
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.err, testing::HasSubstr("broken.json: /target"));
  EXPECT_EQ(run("conformance").code, 2);
}

TEST_F(CommandLine, ACaseIsExportedAsWhatItIsAskedFor) {
  write("case.json", aliased_case);
  for (const char* form : {"pytorch --target torch-inductor", "executorch", "dot", "text"}) {
    EXPECT_EQ(run(std::string("export case.json --to ") + form).code, 0) << form;
  }
  const Ran test = run("export case.json --to gtest --plant F01");
  EXPECT_NE(test.out.find("{.faults = {\"F01\"}}"), std::string::npos) << test.out;
  EXPECT_NE(test.out.find("judgement.verdict), \"mismatch\");"), std::string::npos) << test.out;
  EXPECT_NE(test.out.find("judgement.verdict), \"match\");"), std::string::npos) << test.out;
  // Nothing says how it diverges; run where it does, it does.
  EXPECT_EQ(run("export case.json --to issue").code, 2);
  EXPECT_EQ(run("export case.json --to issue --target portable").code, 2);
  const Ran issue = run("export case.json --to issue --target portable --plant F01");
  EXPECT_EQ(issue.code, 0) << issue.err;
  EXPECT_NE(issue.out.find("# `portable` gives wrong values for"), std::string::npos) << issue.out;
  EXPECT_EQ(run("export case.json --to thunder").code, 0);
  EXPECT_EQ(run("export case.json --to executorch --target thunder").code, 2);
}

TEST_F(CommandLine, AFindingsFolderIsExportedWithWhatIsKnownOfIt) {
  ASSERT_EQ(run("fuzz --target portable --plant F01 --seed 1 --graphs 3000 --profile alias --findings found").code, 1);
  const fs::path found = fs::directory_iterator(folder_ / "found")->path();
  const Ran issue = run("export '" + found.string() + "' --to issue");
  EXPECT_EQ(issue.code, 0) << issue.err;
  EXPECT_NE(issue.out.find("## Expected and actual"), std::string::npos) << issue.out;
  EXPECT_NE(issue.out.find("What its own checks blame"), std::string::npos) << issue.out;
}

TEST_F(CommandLine, NeighboursTellWhatTriggers) {
  write("case.json", aliased_case);
  const Ran map = run("neighbours case.json --target portable --plant F01");
  EXPECT_EQ(map.code, 1) << map.err;
  EXPECT_NE(map.out.find("b = clone(a): fails for alias_copy"), std::string::npos) << map.out;
  EXPECT_EQ(run("neighbours case.json --target portable").code, 0);
  const auto json = nlohmann::json::parse(run("neighbours case.json --target portable --json").out);
  EXPECT_GT(json["neighbours"].size(), 20U);
  EXPECT_EQ(run("neighbours case.json --target portable --pytest test_it.py").code, 2);  // not a target of Python
}

TEST_F(CommandLine, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(run("--version").code, 0);
  EXPECT_NE(run("--help").out.find("Exit codes"), std::string::npos);
  for (const char* command :
       {"fuzz", "check", "replay", "eval", "gen", "reduce", "export", "neighbours", "quantize", "targets", "faults"}) {
    EXPECT_EQ(run(std::string(command) + " --help").code, 0) << command;
  }
}

TEST_F(CommandLine, ScoreSaysWhichMutantsSurvive) {
  const Ran ran = run("score --mutants 3 --graphs 3 --seed 3 --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json["mutants"].size(), 3U);
  const auto& all = json["all"];
  EXPECT_EQ(all["killed"].get<std::size_t>() + all["survived"].size() + all["harmless"].size(), 3U);
  for (const auto& mutant : json["mutants"]) EXPECT_TRUE(mutant.contains("what") && mutant.contains("file"));
  const Ran refused = run("score --mutants 3 --plant F01");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--mutants draws what it plants"), std::string::npos) << refused.err;
}

}  // namespace
