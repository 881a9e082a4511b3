#include "backends/external/fork_server.h"

#include <signal.h>

#include <array>
#include <map>
#include <span>
#include <utility>

#include "core/json_field.h"
#include "core/json_text.h"

namespace parallax {
namespace {

using std::chrono::milliseconds;

// For what is done at once. A busy machine takes its time.
constexpr milliseconds soon{60'000};

constexpr std::size_t module_word = 2;  // behind PYTHON and the folder of adapters

std::vector<std::string> module_of(const std::vector<std::string>& command) {
  return {command.begin(), command.begin() + module_word + 1};
}

// The server of each module that was started before; null where it is started anew each time.
class Servers {
 public:
  // Null for the first worker of a module, and where it cannot be forked.
  std::shared_ptr<ForkServer> of(const std::vector<std::string>& command, milliseconds limit) {
    const std::vector<std::string> module = module_of(command);
    std::unique_lock lock(mutex_);
    const auto [at, is_first] = of_module_.try_emplace(module);
    if (is_first) return nullptr;
    Entry& entry = at->second;  // of a map: it stays where it is
    lock.unlock();
    const std::lock_guard starting(entry.mutex);
    if (!std::exchange(entry.was_tried, true)) {
      auto server = ForkServer::start({module[0], module[1], "worker.fork_server", module[2]}, limit);
      if (server) entry.server = *std::move(server);
    }
    return entry.server;
  }

  // After it failed: its workers are started anew from here on.
  void drop(const std::vector<std::string>& command) {
    const std::lock_guard lock(mutex_);
    Entry& entry = of_module_[module_of(command)];
    const std::lock_guard starting(entry.mutex);
    entry.server.reset();
  }

 private:
  struct Entry {
    std::mutex mutex;
    bool was_tried = false;
    std::shared_ptr<ForkServer> server;
  };
  std::mutex mutex_;
  std::map<std::vector<std::string>, Entry> of_module_;
};

Servers& servers() {
  static Servers all;
  return all;
}

}  // namespace

Result<Json> ForkServer::ask(const Json& request, std::span<const int> descriptors, milliseconds limit) {
  const std::lock_guard lock(mutex_);
  if (!process_) return fail("the fork server is gone");
  const LineOrFailure answer = process_->exchange(write_json(request), limit, descriptors);
  const auto* line = std::get_if<std::string>(&answer);
  if (line == nullptr) {
    process_.reset();
    return fail("the fork server is gone");
  }
  return parse_json(*line);
}

Result<std::shared_ptr<ForkServer>> ForkServer::start(const std::vector<std::string>& command, milliseconds limit) {
  TRY(Process process, Process::start(command, {}));
  std::shared_ptr<ForkServer> server(new ForkServer(std::move(process)));
  TRY(const Json reply, server->ask(Json{{"do", "import"}}, {}, limit));
  if (!reply.is_object() || reply.value("forks", Json()) != true) {
    return fail("{} is not forked: {}", command.back(), write_json(reply));
  }
  return server;
}

Result<Process> ForkServer::fork(const std::vector<std::string>& arguments, const ProcessLimits& limits) {
  const auto begin = [&](const Process::ChildFiles& files) -> Result<pid_t> {
    const std::array descriptors = {files.input, files.output, files.errors};
    const Json request = {{"do", "fork"}, {"arguments", arguments}, {"memory", limits.memory_bytes}};
    TRY(const Json reply, ask(request, descriptors, soon));
    TRY(Field pid, Field(reply, "").need("pid"));
    TRY(const int64_t number, pid.integer());
    return static_cast<pid_t>(number);
  };
  return Process::start_by(begin, shared_from_this(), limits);
}

std::optional<int> ForkServer::status(pid_t pid, bool wait) {
  const Result<Json> reply = ask(Json{{"do", "status"}, {"pid", pid}, {"wait", wait}}, {}, soon);
  if (!reply || !reply->is_object()) return SIGKILL;
  const Json status = reply->value("status", Json());
  if (status.is_number_integer()) return status.get<int>();
  return wait ? std::optional<int>(SIGKILL) : std::nullopt;
}

Result<Process> start_worker(const std::vector<std::string>& command, const ProcessLimits& limits, milliseconds limit) {
  if (const auto server = servers().of(command, limit)) {
    auto worker = server->fork({command.begin() + module_word + 1, command.end()}, limits);
    if (worker) return worker;
    servers().drop(command);
  }
  return Process::start(command, limits);
}

}  // namespace parallax
