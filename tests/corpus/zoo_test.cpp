// The zoo (corpus/cases/zoo/): for each fault that can be planted a case that shows it, and is right without it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "compiler/faults.h"
#include "graph/case_json.h"
#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

std::map<std::string, Case> zoo() {
  std::map<std::string, Case> cases;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(PARALLAX_SOURCE_DIR) / "corpus/cases/zoo")) {
    const auto text = read_text_file(entry.path());
    const auto test = parse_case(text.value(), entry.path().string());
    EXPECT_TRUE(test) << test.error().text();
    EXPECT_EQ(to_json(*test, 2) + "\n", *text) << entry.path();
    EXPECT_EQ(test->name, entry.path().stem().string());
    cases.emplace(test->name.substr(0, 3), *test);
  }
  return cases;
}

Verdict verdict_of(const Case& test, const std::string& target, const TargetOptions& options) {
  const auto opened = open_target(target, options);
  EXPECT_TRUE(opened) << opened.error().text();
  return examine(**opened, test).judgement.verdict;
}

TEST(Zoo, HasACaseOfEachFaultThatShowsIt) {
  const std::map<std::string, Case> cases = zoo();
  EXPECT_EQ(cases.size(), all_faults.size());
  for (const Fault* fault : all_faults) {
    std::string id(fault->id);
    id[0] = 'f';
    const auto found = cases.find(id);
    ASSERT_NE(found, cases.end()) << fault->id;
    EXPECT_EQ(verdict_of(found->second, "portable", {}), Verdict::Match) << fault->id;
    const std::string target(fault->target);
    if (!runs_in_process(target)) continue;
    const Verdict planted = verdict_of(found->second, target, {.faults = {std::string(fault->id)}});
    EXPECT_TRUE(is_finding(planted)) << fault->id << ": " << name(planted);
  }
}

// Of the kernels of fused quantized calls, and of the pass that fuses them.
TEST(Zoo, BlamesThePartThatAQuantizedFaultBreaks) {
  const std::map<std::string, Case> cases = zoo();
  int blamed = 0;
  for (const Fault* fault : all_faults) {
    const std::vector<std::string_view> broken = broken_parts(*fault);
    if (broken.front() != "integer kernels" && broken.front() != "fuse_integers") continue;
    std::string id(fault->id);
    id[0] = 'f';
    const auto target = open_target("portable", {.faults = {std::string(fault->id)}});
    ASSERT_TRUE(target);
    std::string blame;
    for (const Diagnosis& diagnosis : (*target)->explain(cases.at(id))) {
      if (blame.empty()) blame = diagnosis.blame;
    }
    EXPECT_EQ(blame, broken.front()) << fault->id;
    ++blamed;
  }
  EXPECT_GE(blamed, 20);
}

}  // namespace
}  // namespace parallax
