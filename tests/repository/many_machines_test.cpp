// The examples of docs/ci that spread one campaign over many machines, run here in small: the script that each example
// gives to its scheduler runs once for every shard, with the variables that the scheduler sets, and the findings merge.
#include <fmt/format.h>

#include <regex>
#include <set>

#include "../cli/command_line.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr int shards = 3;

std::string example(const std::string& name) {
  const std::string text = read_file(fs::path(PARALLAX_SOURCE_DIR) / "docs/ci" / name);
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

// The block scalar (`key: |` or `- |`) that holds `parallax fuzz`, without its indentation.
std::string script_in_yaml(const std::string& yaml) {
  std::istringstream lines(yaml);
  std::string block;
  std::size_t outer = 0, indent = std::string::npos;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    if (inside && start != std::string::npos && start <= outer) {
      if (block.find("parallax fuzz") != std::string::npos) return block;
      inside = false;
    }
    if (inside && start != std::string::npos) {
      if (indent == std::string::npos) indent = start;
      block += line.substr(indent) + "\n";
    } else if (line.ends_with(" |")) {
      inside = true, outer = start, indent = std::string::npos, block.clear();
    }
  }
  return block;
}

// The campaign of the example, shortened: a planted fault, so that there is something to find, and few graphs.
std::string in_small(const std::string& script) {
  const std::string shorter = std::regex_replace(script, std::regex("--seconds 3600"), "--graphs 60 --plant F01");
  EXPECT_NE(shorter, script) << "no campaign of an hour in\n" << script;
  return std::regex_replace(shorter, std::regex(R"(\./parallax)"), "parallax");
}

class ManyMachines : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    fs::create_directories(folder_ / "bin");
    std::ofstream(folder_ / "bin/parallax")
        << "#!/bin/sh\nPARALLAX_ROOT='" PARALLAX_SOURCE_DIR "' exec '" PARALLAX_BINARY "' \"$@\"\n";
    fs::permissions(folder_ / "bin/parallax", fs::perms::owner_all);
  }

  // One task of the job, as the scheduler starts it.
  void run_task(const std::string& script, const std::string& environment) const {
    std::ofstream(folder_ / "task.sh") << in_small(script);
    const Ran ran = execute(fmt::format("{} PATH=\"$PWD/bin:$PATH\" bash -eu task.sh", environment));
    EXPECT_EQ(ran.code, 0) << environment << "\n" << ran.err;
  }

  // The shards ran parts of one campaign, and all that they found is in the merged folder, each signature once.
  void expect_one_campaign(const std::string& folders) const {
    const Ran merged = run("merge " + folders + " -o merged");
    ASSERT_EQ(merged.code, 0) << merged.err;
    EXPECT_NE(merged.out.find(" added, "), std::string::npos) << merged.out;
    std::set<std::string> signatures;
    for (const auto& entry : fs::directory_iterator(folder_ / "merged")) {
      if (!entry.is_directory()) continue;
      std::smatch found;
      const std::string finding = read_file(entry.path() / "finding.json");
      ASSERT_TRUE(std::regex_search(finding, found, std::regex(R"re("signature": "([^"]*)")re"))) << entry.path();
      EXPECT_TRUE(signatures.insert(found[1]).second) << found[1] << " was kept twice";
    }
    EXPECT_FALSE(signatures.empty()) << "the planted fault was not found";
  }
};

TEST_F(ManyMachines, SlurmArrayJob) {
  const std::string script = example("slurm.sh");
  EXPECT_NE(script.find("#SBATCH --array=1-"), std::string::npos);
  for (int task = 1; task <= shards; ++task) {
    run_task(script, fmt::format("SLURM_ARRAY_TASK_ID={} SLURM_ARRAY_TASK_COUNT={}", task, shards));
  }
  expect_one_campaign("campaign/shard-*/findings");
}

TEST_F(ManyMachines, KubernetesIndexedJob) {
  const std::string yaml = example("kubernetes.yaml");
  EXPECT_NE(yaml.find("completionMode: Indexed"), std::string::npos);
  const std::string script = script_in_yaml(yaml);
  for (int index = 0; index < shards; ++index) {
    run_task(script, fmt::format("JOB_COMPLETION_INDEX={} SHARDS={} FOLDER=findings", index, shards));
  }
  expect_one_campaign("findings/shard-*/findings");
}

TEST_F(ManyMachines, GitHubActionsMatrix) {
  const std::string script = script_in_yaml(example("fuzz.yml"));
  for (int shard = 1; shard <= shards; ++shard) {
    std::string filled = std::regex_replace(script, std::regex(R"(\$\{\{ github\.run_number \}\})"), "42");
    filled =
        std::regex_replace(filled, std::regex(R"(\$\{\{ matrix\.shard \}\}/4)"), fmt::format("{}/{}", shard, shards));
    ASSERT_EQ(filled.find("${{"), std::string::npos) << filled;
    run_task(filled, "");
    fs::create_directories(folder_ / "shards");
    fs::rename(folder_ / "shard", folder_ / "shards" / fmt::format("shard-{}", shard));
  }
  expect_one_campaign("shards/*/findings");
}

// The scripts that ClusterFuzzLite calls are checked by fuzz/oss-fuzz/check.sh; here only that its folder is found.
TEST_F(ManyMachines, ClusterFuzzLiteFindsItsFolder) {
  EXPECT_NE(example("clusterfuzzlite.yml").find("google/clusterfuzzlite/actions/run_fuzzers"), std::string::npos);
  for (const char* file : {"build.sh", "Dockerfile", "project.yaml"}) {
    EXPECT_TRUE(fs::exists(fs::path(PARALLAX_SOURCE_DIR) / ".clusterfuzzlite" / file)) << file;
  }
}

}  // namespace
}  // namespace parallax
