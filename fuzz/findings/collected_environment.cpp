#include "fuzz/findings/collected_environment.h"

#include <chrono>
#include <variant>

#include "backends/external/last_line.h"
#include "backends/external/process.h"
#include "backends/open_target.h"
#include "corpus/collector.h"
#include "graph/origin.h"

namespace parallax {
namespace {

// torch's asks the package manager for every package.
constexpr std::chrono::seconds longest_collection{120};
constexpr std::size_t most_printed = 256 << 10;

}  // namespace

Result<std::string> collected_environment(const std::string& target) {
  const Collector* collector = collector_of(family_of_target(target));
  if (collector == nullptr) return std::string();
  TRY(const Catalogue catalogue, open_catalogue());
  TRY(const TargetSpec spec, parse_target_spec(target));
  if (!spec.command.empty()) return std::string();
  TRY(const std::vector<std::string> worker, catalogue.command(spec));
  // What it prints goes to standard error, which is read when it has ended; the shell tells the exit code.
  std::vector<std::string> words = {"sh", "-c", R"(exec 3>&2; "$0" "$@" 2>/dev/null >&3 </dev/null; echo $?)",
                                    worker.front()};
  words.insert(words.end(), collector->arguments.begin(), collector->arguments.end());
  TRY(Process process, Process::start(words, {}));
  const LineOrFailure said = process.exchange("", longest_collection);
  const auto* code = std::get_if<std::string>(&said);
  const std::string printed = process.error_tail(most_printed);
  if (code == nullptr || *code != "0")
    return fail("{} does not end well: {}", collector->command(), last_line(printed));
  return collector->cut(printed);
}

}  // namespace parallax
