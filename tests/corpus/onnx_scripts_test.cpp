// Every case of the corpus as a script of few lines for the ONNX runtime that it diverged on: what is recorded as wrong
// shows, and what is recorded as right does not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "corpus/verdict_book.h"
#include "fuzz/findings/onnx_script.h"
#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

struct Runtime {
  const char* target;
  const char* environment;
  const char* module;        // of Python, that is slow to import
  std::size_t scripts = 10;  // fewer are too few to say anything
};

void PrintTo(const Runtime& runtime, std::ostream* out) { *out << runtime.target; }

class OnnxScripts : public testing::TestWithParam<Runtime> {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("parallax_{}_{}", GetParam().target, ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const char* elsewhere = std::getenv("PARALLAX_ENVIRONMENTS");
    const fs::path environments = elsewhere ? fs::path(elsewhere) : fs::path(PARALLAX_SOURCE_DIR) / ".targets";
    python_ = environments / GetParam().environment / "bin/python";
    if (!fs::exists(python_)) GTEST_SKIP() << GetParam().environment << " is not installed";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // What a program of Python prints, line by line.
  std::vector<nlohmann::json> lines_of(const std::string& arguments) const {
    const fs::path results = folder_ / "results.jsonl";
    const std::string command = fmt::format("'{}' {} >'{}' 2>'{}'", python_.string(), arguments, results.string(),
                                            (folder_ / "errors").string());
    EXPECT_EQ(std::system(command.c_str()), 0) << read_text_file(folder_ / "errors").value_or("");
    std::vector<nlohmann::json> lines;
    std::ifstream file(results);
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  fs::path folder_;
  fs::path python_;
};

TEST_P(OnnxScripts, AgreeWithTheRecordedVerdict) {
  const Runtime& runtime = GetParam();
  const fs::path corpus = fs::path(PARALLAX_SOURCE_DIR) / "corpus";
  const auto book = VerdictBook::read(corpus / "verdicts.jsonl");
  ASSERT_TRUE(book) << book.error().text();
  std::vector<std::pair<std::string, bool>> asked;  // of each request the case and whether it diverges
  std::ofstream requests(folder_ / "requests.jsonl");
  for (const auto& entry : fs::directory_iterator(corpus / "cases/found")) {
    if (entry.path().extension() != ".json") continue;
    const auto test = parse_case(*read_text_file(entry.path()), entry.path().string());
    ASSERT_TRUE(test) << test.error().text();
    if (origin_of(*test).target != runtime.target) continue;
    // Memory that nobody wrote is what it must be, by chance, in a process that has used none.
    if (entry.path().stem() == "onnxruntime-product-of-nothing-is-not-written") continue;
    // Right by the profile of IREE, whose sine is off by more than a script takes of a case that was not run here.
    if (entry.path().stem() == "iree-sine-of-a-large-number-control") continue;
    Finding finding;
    finding.target = runtime.target;
    finding.reduced = *test;
    for (const RecordedVerdict* one : book->of(fs::relative(entry.path(), corpus / "cases").string())) {
      if (one->target != runtime.target || (one->verdict != Verdict::Match && !is_finding(one->verdict))) continue;
      finding.verdict = one->verdict == Verdict::Match ? Verdict::Mismatch : one->verdict;
      if (const auto request = onnx_script_request(finding)) {
        requests << *request << "\n";
        asked.emplace_back(entry.path().stem(), one->verdict != Verdict::Match);
      }
    }
  }
  requests.close();
  fs::create_directories(folder_ / "scripts");
  std::map<std::string, bool> diverges;  // by script
  const auto answers = lines_of(
      fmt::format("'{}/adapters' onnx.brief_script <'{}'", PARALLAX_SOURCE_DIR, (folder_ / "requests.jsonl").string()));
  ASSERT_EQ(answers.size(), asked.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].contains("script")) continue;
    const auto& [name, is_wrong] = asked[i];
    ASSERT_TRUE(write_text_file(folder_ / "scripts" / (name + ".py"), answers[i]["script"].get<std::string>()));
    diverges[name] = is_wrong;
  }
  EXPECT_GT(diverges.size(), runtime.scripts);
  const auto runs = lines_of(fmt::format("'{}/adapters/tests/run_brief_scripts.py' {} '{}' </dev/null",
                                         PARALLAX_SOURCE_DIR, runtime.module, (folder_ / "scripts").string()));
  EXPECT_EQ(runs.size(), diverges.size());
  for (const nlohmann::json& run : runs) {
    const bool showed = run["code"] != 0;
    EXPECT_EQ(showed, diverges.at(run["script"])) << run["script"] << "\n" << run["output"].get<std::string>();
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, OnnxScripts,
                         testing::Values(Runtime{"onnxruntime", "onnxruntime-1.31.1", "onnxruntime"},
                                         Runtime{"openvino", "openvino-2026.4.1", "openvino"},
                                         Runtime{"tract", "tract-0.23.9", "tract"},
                                         Runtime{"tvm", "tvm-0.27.0.post1", "tvm", 8},
                                         Runtime{"iree-cpu", "iree-3.13.0", "iree.runtime"},
                                         Runtime{"onnx-reference", "onnx-1.23.2", "onnx.reference"}),
                         [](const auto& one) {
                           std::string name = one.param.target;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace parallax
