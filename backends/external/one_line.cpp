#include "backends/external/one_line.h"

#include "backends/external/last_line.h"
#include "backends/external/process.h"

namespace parallax {

Result<std::string> one_line(const std::vector<std::string>& command, std::chrono::milliseconds limit) {
  TRY(Process process, Process::start(command, {}));
  LineOrFailure answer = process.exchange("", limit);
  if (auto* line = std::get_if<std::string>(&answer)) return std::move(*line);
  const std::string said = last_line(process.error_tail());
  if (std::holds_alternative<ProcessTimeout>(answer)) {
    return fail("{}: no answer within {:.0f} s", command.back(), static_cast<double>(limit.count()) / 1000);
  }
  if (std::holds_alternative<ProcessOverflow>(answer)) return fail("{}: the answer is too long", command.back());
  const std::string end = std::get<ProcessEnd>(answer).text();
  return fail("{}", said.empty() ? fmt::format("{}: {}", command.back(), end) : said);
}

}  // namespace parallax
