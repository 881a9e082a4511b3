#include "backends/external/core_wait.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace parallax {

CoreWait::CoreWait(pid_t root, std::filesystem::path proc) : root_(root), proc_(std::move(proc)) { look(root_); }

void CoreWait::look() { waited_ += std::chrono::nanoseconds(look(root_)); }

int64_t CoreWait::look(pid_t process) {
  const std::filesystem::path folder = proc_ / std::to_string(process);
  std::ifstream statistics(folder / "schedstat");
  int64_t running = 0;
  int64_t waiting = 0;
  if (!(statistics >> running >> waiting)) return 0;
  int64_t longest = waiting - std::exchange(seen_[process], waiting);
  std::error_code gone;  // a process may end at any moment
  for (std::filesystem::directory_iterator thread(folder / "task", gone), end; !gone && thread != end;
       thread.increment(gone)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) longest = std::max(longest, look(child));
  }
  return longest;
}

}  // namespace parallax
