// Signatures: how many a planted fault's findings get, and which faults share one.
//
// Each finding is made from another graph, and reduced, as `fuzz` does it. A fault with two signatures is reported
// twice; two faults with one signature hide each other.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "backends/open_target.h"
#include "compiler/faults.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/generate/generate.h"

namespace parallax {
namespace {

struct Signed {
  std::map<std::string, int> signatures;  // how many findings have each
  int findings = 0;
};

Signed sign(const Fault& fault, uint64_t seed, int findings, uint64_t graphs) {
  Signed result;
  FindingOptions options;
  options.target_options.faults = {std::string(fault.id)};
  options.reduce_seconds = 10;
  // A worker process would be another program than this one.
  const std::string name = fmt::format("{}{}", fault.target, fault.target == "portable" ? "" : "?in-process=yes");
  const auto target = open_target(name, options.target_options);
  if (!target) return result;
  const Vocabulary words = Vocabulary::taken_by({target->get()});
  GenerateOptions generate_options;
  generate_options.profile = GenerateProfile::All;
  generate_options.words = &words;
  for (uint64_t k = 0; k < graphs && result.findings < findings; ++k) {
    Choices choices(seed, k);
    const Case test = generate(choices, generate_options);
    const Examination seen = examine(**target, test);
    if (!is_finding(seen.judgement.verdict)) continue;
    ++result.findings;
    ++result.signatures[make_finding(**target, test, seen, options).finding.signature];
  }
  return result;
}

// Arguments: findings a fault (default 15), the seed (1), and ids of faults (all).
int run(int count, char** arguments) {
  const int findings = count > 1 ? std::atoi(arguments[1]) : 15;
  const uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const std::set<std::string> named(arguments + std::min(count, 3), arguments + count);
  constexpr uint64_t most_graphs = 60'000;
  std::map<std::string, std::set<std::string>> faults_of;  // by signature
  int found = 0;
  int shown = 0;
  std::size_t signatures = 0;
  for (const Fault* fault : all_faults) {
    if (!named.empty() && !named.contains(std::string(fault->id))) continue;
    const Signed result = sign(*fault, seed, findings, most_graphs);
    found += result.findings;
    shown += result.findings > 0;
    signatures += result.signatures.size();
    fmt::print("{} {:<42} {:>3} findings {:>3} signatures\n", fault->id, fault->name, result.findings,
               result.signatures.size());
    for (const auto& [signature, times] : result.signatures) {
      faults_of[signature].insert(std::string(fault->id));
      fmt::print("      {:>3}  {}\n", times, signature);
    }
    std::fflush(stdout);
  }
  fmt::print("{} findings of {} faults, {:.2f} signatures a fault\n", found, shown,
             static_cast<double>(signatures) / std::max(shown, 1));
  for (const auto& [signature, faults] : faults_of) {
    if (faults.size() > 1) fmt::print("shared by {}: {}\n", fmt::join(faults, " "), signature);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace parallax

int main(int count, char** arguments) { return parallax::run(count, arguments); }
