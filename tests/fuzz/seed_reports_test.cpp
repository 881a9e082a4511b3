// The four reports, each hidden in a random graph of forty nodes: found there, and reduced to no more than the
// reporter's own example.
#include <gtest/gtest.h>

#include <map>

#include "fuzz/findings/make_finding.h"
#include "fuzz/generate/around.h"
#include "fuzz/generate/generate.h"
#include "graph/case_files.h"
#include "graph/print.h"
#include "places.h"
#include "reducers/size.h"

namespace parallax {
namespace {

struct SeedReport {
  const char* file;  // in corpus/cases/seeds
  const char* target;
  const char* fault;  // that stands for the reported bug
};

std::ostream& operator<<(std::ostream& out, const SeedReport& report) { return out << report.file; }

std::map<std::string, int> ops_of(const Graph& graph) {
  std::map<std::string, int> ops;
  for (const Node& node : graph.nodes) ++ops[node.op->name];
  return ops;
}

bool holds(const Graph& graph, const Graph& part) {
  const std::map<std::string, int> there = ops_of(graph);
  return std::ranges::all_of(ops_of(part), [&](const auto& op) {
    const auto found = there.find(op.first);
    return found != there.end() && found->second >= op.second;
  });
}

class SeedReports : public ::testing::TestWithParam<SeedReport> {};

TEST_P(SeedReports, AreReducedFromFortyNodesToNoMoreThanTheReportersExample) {
  constexpr uint64_t seed = 42;
  constexpr uint64_t most_graphs = 4000;
  constexpr int nodes = 40;
  constexpr int wanted = 3;  // findings
  const auto read = read_cases(std::string(PARALLAX_SOURCE_DIR "/corpus/cases/seeds/") + GetParam().file);
  ASSERT_TRUE(read && read->size() == 1 && read->front());
  const Case& report = *read->front();
  const FindingOptions options{.target_options = {.faults = {GetParam().fault}}, .controls = false};
  const auto target = open_target(GetParam().target, options.target_options);
  ASSERT_TRUE(target) << target.error().text();
  const Examination reported = examine(**target, report);
  ASSERT_TRUE(is_finding(reported.judgement.verdict));
  const std::string signature = make_finding(**target, report, reported, options).finding.signature;
  const Result<Around> around = Around::of(report);
  ASSERT_TRUE(around) << around.error().text();
  const Vocabulary words = Vocabulary::taken_by({target->get()});
  const GenerateOptions generate_options{
      .profile = GenerateProfile::All, .min_nodes = nodes, .max_nodes = nodes, .words = &words, .around = &*around};
  int found = 0;
  for (uint64_t k = 0; k < most_graphs && found < wanted; ++k) {
    Choices choices(seed, k);
    const Case test = generate(choices, generate_options);
    if (test.graph.nodes.size() != nodes || !holds(test.graph, report.graph)) continue;
    const Examination seen = examine(**target, test);
    if (!is_finding(seen.judgement.verdict)) continue;
    const Finding finding = make_finding(**target, test, seen, options).finding;
    if (finding.signature != signature) continue;  // what was drawn around it shows the fault in another way
    ++found;
    EXPECT_LE(finding.reduced.graph.nodes.size(), report.graph.nodes.size()) << "seed 42 graph " << k << "\n"
                                                                             << print(finding.reduced.graph);
    EXPECT_LE(size_of_case(finding.reduced).elements, size_of_case(report).elements) << "seed 42 graph " << k;
    RecordProperty("graph " + std::to_string(k), static_cast<int>(finding.reduced.graph.nodes.size()));
  }
  EXPECT_EQ(found, wanted);
}

INSTANTIATE_TEST_SUITE_P(Reports, SeedReports,
                         ::testing::Values(SeedReport{"s1-numeric-clone.json", "portable", "F01"},
                                           SeedReport{"s2-dead-in-place.json", "portable", "F07"},
                                           SeedReport{"s2-in-place-through-a-view.json", "portable", "F04"},
                                           SeedReport{"s3-returned-state-source.json", "portable", "F06"},
                                           SeedReport{"s4-permute-reshape-sum.json", "xnnpack?in-process=yes", "F08"}));

}  // namespace
}  // namespace parallax
