// How long a process and those that it started were ready to run and had no core. On a crowded machine a slow answer is
// not the fault of the one who answers, nor of the compiler that it waits for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>

namespace parallax {

class CoreWait {
 public:
  // Counts from now on. `proc` is where the system tells of its processes, each in a folder with its number:
  // `schedstat` (nanoseconds run and waited, of the main thread) and `task/THREAD/children`. Linux does; elsewhere
  // nobody is ever seen to wait.
  explicit CoreWait(pid_t root, std::filesystem::path proc = "/proc");

  // Adds the longest wait of any one of them since the last look: who waits side by side waits once, so that it is
  // never more than the time that went by. What somebody waited after the last look that saw it is lost.
  void look();

  std::chrono::nanoseconds waited() const { return waited_; }

 private:
  // The longest wait, in nanoseconds, of a process and those below it since they were last seen.
  int64_t look(pid_t process);

  pid_t root_;
  std::filesystem::path proc_;
  std::map<pid_t, int64_t> seen_;  // nanoseconds waited in all its life; nothing for who was started since
  std::chrono::nanoseconds waited_{0};
};

}  // namespace parallax
