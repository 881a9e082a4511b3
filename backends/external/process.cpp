#include "backends/external/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "backends/external/core_wait.h"
#include "core/check.h"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

// How often a waiting parent looks at the size of the child's standard error, and the size it is emptied at.
constexpr std::chrono::milliseconds tick{100};
// How often it looks who waits for a core. That takes longer than many an answer: the first look is no sooner, either.
constexpr std::chrono::milliseconds core_tick{500};
constexpr off_t error_limit = off_t{16} << 20;
constexpr std::size_t errors_kept = std::size_t{64} << 10;
constexpr std::size_t most_descriptors = 3;  // that go with one line

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// The last bytes of a file from `begin` on, without moving anybody's offset.
std::string read_tail(int fd, off_t begin, std::size_t limit) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return {};
  const auto size = static_cast<std::size_t>(std::max<off_t>(status.st_size - begin, 0));
  std::string text(std::min(size, limit), '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), status.st_size - static_cast<off_t>(text.size()));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// In the child, between fork and exec: only calls that are safe there. Tells the parent why exec failed.
[[noreturn]] void become(char* const* arguments, const Process::ChildFiles& files, int report, std::size_t memory_bytes,
                         bool ends_with_parent) {
  ::setpgid(0, 0);
  if (ends_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  if (memory_bytes > 0) {
    const rlimit limit{memory_bytes, memory_bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ::dup2(files.input, 0);
  ::dup2(files.output, 1);
  ::dup2(files.errors, 2);
  ::execvp(arguments[0], arguments);
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &reason, sizeof reason);
  ::_exit(127);
}

}  // namespace

std::string ProcessEnd::text() const {
  if (closed_output) return "end of output";
  if (signal == 0) return fmt::format("exit {}", exit_status);
  const char* name = ::sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

Result<Process> Process::start_by(const Start& begin, std::shared_ptr<ProcessParent> parent,
                                  const ProcessLimits& limits) {
  // Every descriptor closes on exec, or a child started beside this one would hold our ends open.
  int sockets[2], pipes[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return fail("socketpair: {}", std::strerror(errno));
  Descriptor input(sockets[0]), child_input(sockets[1]);
  if (::pipe2(pipes, O_CLOEXEC) != 0) return fail("pipe: {}", std::strerror(errno));
  Descriptor output(pipes[0]), child_output(pipes[1]);
  Descriptor errors(::memfd_create("stderr", MFD_CLOEXEC));
  if (errors.get() < 0) return fail("memfd_create: {}", std::strerror(errno));
  ::fcntl(errors.get(), F_SETFL, O_APPEND);  // so that the file can be emptied under its writer
  ::fcntl(input.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);

  TRY(const pid_t pid, begin({child_input.get(), child_output.get(), errors.get()}));
  Process process;
  process.pid_ = pid;
  process.parent_ = std::move(parent);
  process.input_ = input.release();
  process.output_ = output.release();
  process.errors_ = errors.release();
  process.limits_ = limits;
  return process;
}

Result<Process> Process::start(const std::vector<std::string>& command, const ProcessLimits& limits) {
  if (command.empty() || command[0].empty()) return fail("an empty command line");
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const auto begin = [&](const ChildFiles& files) -> Result<pid_t> {
    int reports[2];
    if (::pipe2(reports, O_CLOEXEC) != 0) return fail("pipe: {}", std::strerror(errno));
    Descriptor report(reports[0]), child_report(reports[1]);
    // A child that computes for ever does not see that nobody asks any more. Linux ends it with the thread that started
    // it, which has to be the one that lasts.
    const bool ends_with_parent = ::gettid() == ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return fail("fork: {}", std::strerror(errno));
    if (pid == 0) become(arguments.data(), files, child_report.get(), limits.memory_bytes, ends_with_parent);
    ::setpgid(pid, pid);  // both do it, so that the group exists whoever runs first
    ::close(child_report.release());
    int reason = 0;
    if (::read(report.get(), &reason, sizeof reason) == sizeof reason) {
      ::waitpid(pid, nullptr, 0);
      return fail("cannot start {}: {}", command[0], std::strerror(reason));
    }
    return pid;
  };
  return start_by(begin, nullptr, limits);
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  reap(true);
  close_all();
  pid_ = std::exchange(other.pid_, -1);
  parent_ = std::move(other.parent_);
  input_ = std::exchange(other.input_, -1);
  output_ = std::exchange(other.output_, -1);
  errors_ = std::exchange(other.errors_, -1);
  errors_begin_ = other.errors_begin_;
  received_ = std::move(other.received_);
  searched_ = std::exchange(other.searched_, 0);
  limits_ = other.limits_;
  return *this;
}

Process::~Process() {
  reap(true);
  close_all();
}

void Process::close_all() {
  for (int* fd : {&input_, &output_, &errors_}) {
    if (*fd >= 0) ::close(std::exchange(*fd, -1));
  }
}

// The status that ended it, once it has been waited for.
ProcessEnd Process::reaped(int status) {
  ::kill(-pid_, SIGKILL);  // what it left behind in its group
  pid_ = -1;
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exit_status = WEXITSTATUS(status)};
}

std::optional<int> Process::status(bool wait) {
  if (parent_) return parent_->status(pid_, wait);
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid_, &status, wait ? 0 : WNOHANG);
  } while (ended < 0 && errno == EINTR);
  return ended == 0 ? std::nullopt : std::optional(status);
}

ProcessEnd Process::reap(bool kill_first) {
  if (pid_ < 0) return {};
  if (kill_first) ::kill(-pid_, SIGKILL);
  return reaped(*status(true));
}

// After its output ended. A child that is dying gets a moment, so that its own signal or status is what is reported.
ProcessEnd Process::reap_ended() {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  while (true) {
    if (const std::optional<int> ended = status(false)) return reaped(*ended);
    if (Clock::now() > deadline) {
      reap(true);
      return {.closed_output = true};
    }
    ::usleep(1000);
  }
}

Process::Progress Process::read_some() {
  std::array<char, 1 << 16> chunk;
  const ssize_t got = ::read(output_, chunk.data(), chunk.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR ? Progress::Going : Progress::End;
  if (got == 0) return Progress::End;
  received_.append(chunk.data(), static_cast<std::size_t>(got));
  const std::size_t newline = received_.find('\n', searched_);
  searched_ = newline == std::string::npos ? received_.size() : newline;
  if (searched_ > limits_.reply_bytes) return Progress::Overflow;
  return newline == std::string::npos ? Progress::Going : Progress::Line;
}

// False once the child cannot be written to any more; what it said before is still to be read. The descriptors go with
// the first byte.
bool Process::write_some(const std::string& line, std::size_t& sent, std::span<const int> descriptors) {
  iovec text{const_cast<char*>(line.data()) + sent, line.size() - sent};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(most_descriptors * sizeof(int))> control{};
  if (sent == 0 && !descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  const ssize_t put = ::sendmsg(input_, &message, MSG_NOSIGNAL);
  if (put >= 0) sent += static_cast<std::size_t>(put);
  return put >= 0 || errno == EAGAIN || errno == EINTR;
}

void Process::trim_errors() {
  struct stat status{};
  if (::fstat(errors_, &status) != 0 || status.st_size - errors_begin_ <= error_limit) return;
  // The child may be writing its last words: only memory far behind the end is given back, and nothing is moved.
  const off_t begin = status.st_size - static_cast<off_t>(errors_kept);
  if (::fallocate(errors_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, errors_begin_, begin - errors_begin_) == 0) {
    errors_begin_ = begin;
  }
}

LineOrFailure Process::exchange(const std::string& line, std::chrono::milliseconds limit,
                                std::span<const int> descriptors) {
  PARALLAX_CHECK(pid_ >= 0 && descriptors.size() <= most_descriptors);
  if (::ftruncate(errors_, 0) != 0) return reap(true);
  errors_begin_ = 0;
  const std::string message = line + '\n';
  std::size_t sent = 0;
  bool writable = true;
  std::optional<CoreWait> without_core;
  Clock::time_point deadline = Clock::now() + limit;
  const Clock::time_point first_deadline = deadline;
  Clock::time_point next_look = Clock::now() + core_tick;
  while (true) {
    if (Clock::now() >= next_look) {
      if (without_core) {
        without_core->look();
      } else {
        without_core.emplace(pid_);
      }
      next_look = Clock::now() + core_tick;
    }
    if (without_core && Clock::now() >= deadline) deadline = first_deadline + without_core->waited();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      reap(true);
      return ProcessTimeout{};
    }
    if (limits_.given_up && limits_.given_up()) {
      reap(true);
      return ProcessGivenUp{};
    }
    std::array<pollfd, 2> waits = {{{output_, POLLIN, 0}, {input_, POLLOUT, 0}}};
    const bool writing = writable && sent < message.size();
    ::poll(waits.data(), writing ? 2 : 1, static_cast<int>(std::min(left, tick).count()));
    trim_errors();
    if (writing && waits[1].revents != 0) writable = write_some(message, sent, descriptors);
    if (waits[0].revents == 0) continue;
    switch (read_some()) {
      case Progress::Going:
        break;
      case Progress::Overflow:
        reap(true);
        return ProcessOverflow{};
      case Progress::End:
        return reap_ended();
      case Progress::Line: {
        std::string reply = received_.substr(0, searched_);
        received_.erase(0, searched_ + 1);
        searched_ = 0;
        return reply;
      }
    }
  }
}

bool Process::is_stale() {
  if (pid_ < 0) return true;
  pollfd wait{output_, POLLIN, 0};
  return !received_.empty() || ::poll(&wait, 1, 0) != 0;
}

double Process::processor_seconds() const {
  if (pid_ < 0) return 0;
  std::ifstream file(fmt::format("/proc/{}/stat", pid_));
  std::string text;
  std::getline(file, text);
  // The name in parentheses may hold anything; the times are the 12th to 15th fields behind it.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double ticks = 0;
  for (int i = 0; i < 4; ++i) {
    double one = 0;
    if (fields >> one) ticks += one;
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::string Process::error_tail(std::size_t limit) const {
  return errors_ < 0 ? std::string() : read_tail(errors_, errors_begin_, limit);
}

}  // namespace parallax
