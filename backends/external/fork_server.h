// Workers of one adapter, forked off a process that has imported it (adapters/worker/fork_server.py): what a process of
// its own takes seconds for is there already. A worker that dies costs that much less, and so does one for each set of
// switches.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/external/process.h"
#include "core/json_text.h"
#include "core/result.h"

namespace parallax {

class ForkServer final : public ProcessParent, public std::enable_shared_from_this<ForkServer> {
 public:
  // Starts `command` and waits up to `limit` until its module is imported. The error says why it will not fork.
  static Result<std::shared_ptr<ForkServer>> start(const std::vector<std::string>& command,
                                                   std::chrono::milliseconds limit);

  // A worker with those arguments.
  Result<Process> fork(const std::vector<std::string>& arguments, const ProcessLimits& limits);

  // Of one of its workers. What became of a worker is not known where the server is gone: it counts as killed.
  std::optional<int> status(pid_t pid, bool wait) override;

 private:
  explicit ForkServer(Process process) : process_(std::move(process)) {}
  // The reply to one line, which is JSON.
  Result<Json> ask(const Json& request, std::span<const int> descriptors, std::chrono::milliseconds limit);

  std::mutex mutex_;  // one line at a time
  std::optional<Process> process_;
};

// Starts a worker by {PYTHON, FOLDER OF ADAPTERS, MODULE, ARGUMENT…}: the first of a module as a process of its own,
// later ones by a server, where the module can be forked. `limit` is for the import.
Result<Process> start_worker(const std::vector<std::string>& command, const ProcessLimits& limits,
                             std::chrono::milliseconds limit);

}  // namespace parallax
