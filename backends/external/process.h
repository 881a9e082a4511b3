// Process: a child that is spoken to in lines, and cannot harm us: it may die, hang, print without end or stop reading.
//
// The child has a process group of its own, which is killed as a whole and always reaped. Its standard error is a file
// in memory that is read when something went wrong and emptied when it grows, so nothing of it is lost in a crash.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"

namespace parallax {

struct ProcessLimits {
  std::size_t reply_bytes = std::size_t{256} << 20;  // the longest line taken
  std::size_t memory_bytes = 0;                      // address space (RLIMIT_AS); 0: no limit
  std::function<bool()> given_up = nullptr;          // asked while it waits: true ends the wait, and the child
};

// Why no line came back.
struct ProcessTimeout {};   // it was silent past the limit
struct ProcessOverflow {};  // its line passed reply_bytes
struct ProcessGivenUp {};   // nobody waits for it any more
struct ProcessEnd {
  int signal = 0;              // what killed it, or 0
  int exit_status = 0;         // where it ended by itself
  bool closed_output = false;  // it closed its output and went on; it was killed then

  // "SIGSEGV", "exit 3".
  std::string text() const;
};
using LineOrFailure = std::variant<std::string, ProcessTimeout, ProcessOverflow, ProcessGivenUp, ProcessEnd>;

// Whose child a process is: the one that learns how it ended.
class ProcessParent {
 public:
  virtual ~ProcessParent() = default;
  // How its child ended, as waitpid tells it, for once; nothing while it goes on, unless that is waited for.
  virtual std::optional<int> status(pid_t pid, bool wait) = 0;
};

class Process {
 public:
  // Starts `command` (found in PATH). The error says what could not be started, and why.
  static Result<Process> start(const std::vector<std::string>& command, const ProcessLimits& limits);

  // The descriptors that a child has as standard input, output and error.
  struct ChildFiles {
    int input;
    int output;
    int errors;
  };
  using Start = std::function<Result<pid_t>(const ChildFiles& files)>;
  // The same where `begin` starts it, in a process group of its own, as a child of `parent`; of this program where that
  // is null.
  static Result<Process> start_by(const Start& begin, std::shared_ptr<ProcessParent> parent,
                                  const ProcessLimits& limits);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  // Kills the group and reaps the child.
  ~Process();

  // Sends `line` and a newline and waits for one line back. After anything but a line the child is dead and reaped. The
  // limit does not count the time in which the child wanted to run and other processes had the cores. Descriptors go
  // with the line, and the child gets them as its own.
  LineOrFailure exchange(const std::string& line, std::chrono::milliseconds limit,
                         std::span<const int> descriptors = {});

  // Whether it has ended, or has said something that nobody asked for: it is not to be used again.
  bool is_stale();

  // Processor time that it took so far, with that of its children that ended; 0 where that is not told.
  double processor_seconds() const;

  // The last `limit` bytes that were written to standard error since the last exchange began.
  std::string error_tail(std::size_t limit = 16 << 10) const;

 private:
  Process() = default;

  // What a wait for the child found.
  enum class Progress { Going, Line, Overflow, End };
  Progress read_some();
  bool write_some(const std::string& line, std::size_t& sent, std::span<const int> descriptors);
  void trim_errors();
  std::optional<int> status(bool wait);
  ProcessEnd reap(bool kill_first);
  ProcessEnd reap_ended();
  ProcessEnd reaped(int status);
  void close_all();

  pid_t pid_ = -1;
  std::shared_ptr<ProcessParent> parent_;  // null: this program
  int input_ = -1;                         // a socket: a write to a dead child is an error and no SIGPIPE
  int output_ = -1;                        // a pipe
  int errors_ = -1;                        // the memory file behind the child's standard error
  off_t errors_begin_ = 0;                 // what lies before it was given back
  std::string received_;
  std::size_t searched_ = 0;  // no newline in received_ before this
  ProcessLimits limits_;
};

}  // namespace parallax
