// Replay: 10,000 small cases of a file through `portable` on one core: cases a second, and the memory that the process
// has after each tenth of them.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/campaign/campaign.h"
#include "fuzz/generate/generate.h"
#include "graph/case_files.h"
#include "graph/case_json.h"

namespace parallax {
namespace {

constexpr uint64_t cases = 10'000;
constexpr int most_nodes = 6;

// Resident memory of this process in MiB, as Linux tells it.
double resident() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, pages = 0;
  file >> total >> pages;
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// The cases, one a line. Made by another process, so that what that takes is not counted.
void write_cases(const std::filesystem::path& path) {
  std::ofstream file(path);
  for (uint64_t k = 0; k < cases; ++k) {
    Choices choices(1, k);
    file << to_json(generate(choices, {.profile = GenerateProfile::All, .min_nodes = 2, .max_nodes = most_nodes}))
         << '\n';
  }
}

int replay(const std::filesystem::path& path) {
  const auto started = std::chrono::steady_clock::now();
  CaseFiles files;
  if (const auto added = files.add(path.string()); !added || !files.broken().empty()) return EXIT_FAILURE;
  CampaignOptions options;
  options.targets = {"portable"};
  options.jobs = 1;
  options.source = [&](uint64_t k) -> std::optional<Case> {
    if (k >= files.size()) return std::nullopt;
    if (k % (cases / 10) == 0) fmt::print("{:>6} cases {:>7.1f} MiB\n", k, resident());
    return *files.read(k);
  };
  const auto result = run_campaign(options);
  if (!result) return EXIT_FAILURE;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  fmt::print("{:>6} cases {:>7.1f} MiB\n", cases, resident());
  fmt::print("{:.0f} a second, reading them included; {} judged\n", static_cast<double>(cases) / seconds.count(),
             result->tallies.at("portable").judged());
  return EXIT_SUCCESS;
}

int run(int count, char** arguments) {
  if (count > 1) return replay(arguments[1]);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("replay_bench_{}.jsonl", ::getpid());
  write_cases(path);
  const int status = std::system(fmt::format("'{}' '{}'", arguments[0], path.string()).c_str());
  std::filesystem::remove(path);
  return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace parallax

int main(int count, char** arguments) { return parallax::run(count, arguments); }
