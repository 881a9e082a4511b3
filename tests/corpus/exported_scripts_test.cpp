// Every case of the corpus as a script, executed by the PyTorch that is installed: what diverged shows, its control
// does not, and eager gives what is recorded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "corpus/signature.h"
#include "corpus/verdict_book.h"
#include "export/emit_pytorch.h"
#include "export/python_control.h"
#include "fuzz/findings/controls.h"
#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/text_file.h"
#include "places.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

// A Python with torch, of the release that the verdicts were recorded with: an environment that `parallax targets
// install` made.
std::optional<fs::path> python_with_torch() {
  for (const char* environment : {"torch-2.13.0", "executorch-1.4.1"}) {
    const fs::path python = fs::path(PARALLAX_SOURCE_DIR) / ".targets" / environment / "bin/python";
    if (fs::exists(python)) return python;
  }
  return std::nullopt;
}

bool is_of_torch(std::string_view family) {
  return family == "torch-export" || family == "torch-aot-eager" || family == "torch-inductor";
}

class ExportedScripts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("parallax_scripts_{}", ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(ExportedScripts, AgreeWithTheRecordedVerdict) {
  const auto python = python_with_torch();
  if (!python) GTEST_SKIP() << "no environment of .targets has torch";
  const fs::path corpus = fs::path(PARALLAX_SOURCE_DIR) / "corpus";
  const auto book = VerdictBook::read(corpus / "verdicts.jsonl");
  ASSERT_TRUE(book) << book.error().text();
  std::map<std::string, bool> diverges;  // by script
  for (const auto& entry : fs::recursive_directory_iterator(corpus / "cases")) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_text_file(entry.path());
    ASSERT_TRUE(text);
    const auto test = parse_case(*text, entry.path().string());
    ASSERT_TRUE(test) << test.error().text();
    const bool several = std::ranges::any_of(test->later, [](const LaterRun& run) { return run.instance > 0; });
    if (several || !test->methods.empty() || writes_in_slices(test->graph)) continue;  // no script says them
    const std::string target = origin_of(*test).target;
    const auto recorded = book->of(fs::relative(entry.path(), corpus / "cases").string());
    const auto is_recorded = [&](const auto& verdict) {
      return is_of_torch(family_of_target(target)) && std::ranges::any_of(recorded, [&](const RecordedVerdict* one) {
               return one->target == target && verdict(one->verdict);
             });
    };
    // Recalled bugs are of releases that are not installed here.
    if (is_of_torch(family_of_target(target)) && !is_recorded([](Verdict) { return true; })) continue;
    // What kills its process takes the other scripts along, and eager runs in each.
    const bool kills_eager = std::ranges::any_of(recorded, [](const RecordedVerdict* one) {
      return one->target == "pytorch-eager" && one->verdict == Verdict::Crash;
    });
    const bool is_crash = signed_verdict(origin_of(*test).signature) == Verdict::Crash;
    if (is_crash || kills_eager || is_recorded([](Verdict verdict) { return verdict == Verdict::Crash; })) continue;
    const std::vector<Control> controls = control_cases(*test);
    const auto script = emit_pytorch(
        *test,
        {.comment = "", .target = target, .control = controls.empty() ? std::nullopt : std::optional(controls[0])});
    ASSERT_TRUE(script) << entry.path() << ": " << script.error().text();
    ASSERT_TRUE(write_text_file(folder_ / (entry.path().stem().string() + ".py"), *script));
    diverges[entry.path().stem().string()] = is_recorded(is_finding);
  }
  const fs::path results = folder_ / "results.jsonl";
  const std::string command = fmt::format("'{}' '{}/adapters/tests/run_scripts.py' '{}' >'{}' 2>&1 </dev/null",
                                          python->string(), PARALLAX_SOURCE_DIR, folder_.string(), results.string());
  ASSERT_EQ(std::system(command.c_str()), 0) << *read_text_file(results);
  std::ifstream lines(results);
  std::size_t scripts = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto run = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!run.is_object()) continue;  // what a system logs
    const bool is_bug = run["class"] == "Bug";
    scripts += is_bug;
    const bool wanted = is_bug && diverges.at(run["script"]);
    EXPECT_EQ(run["code"], wanted ? 1 : 0) << run["script"] << ", " << run["class"] << "\n"
                                           << run["output"].get<std::string>();
  }
  EXPECT_EQ(scripts, diverges.size());
}

}  // namespace
}  // namespace parallax
