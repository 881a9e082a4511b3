#include "cli/child_jobs.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace parallax {
namespace {

// A process that does one piece of work. It does not outlive its Child.
class Child {
 public:
  Child(std::size_t place, pid_t process, int output) : place_(place), process_(process), output_(output) {}
  Child(Child&& other) noexcept
      : place_(other.place_),
        process_(std::exchange(other.process_, -1)),
        output_(std::exchange(other.output_, -1)),
        written_(std::move(other.written_)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(process_, other.process_);
    std::swap(output_, other.output_);
    written_.swap(other.written_);
    return *this;
  }
  ~Child() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    wait();
  }

  std::size_t place() const { return place_; }  // of its work
  int output() const { return output_; }
  const std::string& written() const { return written_; }

  // Takes what the child has written; whether there may be more.
  bool read_some() {
    std::array<char, 4096> buffer;
    const ssize_t n = read(output_, buffer.data(), buffer.size());
    if (n > 0) written_.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0;
  }

  // The status that it ends with.
  int wait() {
    int status = 0;
    close(output_);
    waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }

 private:
  std::size_t place_;
  pid_t process_;
  int output_;
  std::string written_;
};

[[noreturn]] void work_and_exit(const ChildJobs& jobs, std::size_t place, int output) {
  // What never ends is ended by a signal.
  alarm(static_cast<unsigned>(jobs.seconds));
  const Result<Json> reply = jobs.work(place);
  const std::string text = (reply ? *reply : Json{{"error", reply.error().text()}}).dump();
  std::size_t written = 0;
  for (ssize_t n = 1; written < text.size() && n > 0; written += static_cast<std::size_t>(std::max<ssize_t>(n, 0))) {
    n = write(output, text.data() + written, text.size() - written);
  }
  _exit(0);
}

Result<Child> start_child(const ChildJobs& jobs, std::size_t place) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return fail("no pipe for a child process");
  const pid_t process = fork();
  if (process < 0) return fail("no child process");
  if (process == 0) {
    close(ends[0]);
    work_and_exit(jobs, place, ends[1]);
  }
  close(ends[1]);
  return Child(place, process, ends[0]);
}

Result<Json> reply_of(Child& child, const std::string& name) {
  const int status = child.wait();
  if (WIFSIGNALED(status)) return Json{{"id", name}, {"crashed", WTERMSIG(status)}};
  Json reply = Json::parse(child.written(), nullptr, false);
  if (reply.is_discarded()) return fail("the child process for {} said nothing", name);
  if (reply.contains("error")) return fail("{}: {}", name, reply["error"].get<std::string>());
  return reply;
}

// One of them that has ended, taken out of the list.
Child next_ended(std::vector<Child>& running) {
  while (true) {
    std::vector<pollfd> polled;
    for (const Child& child : running) polled.push_back({child.output(), POLLIN, 0});
    poll(polled.data(), polled.size(), -1);
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (polled[i].revents == 0 || running[i].read_some()) continue;
      Child ended = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      return ended;
    }
  }
}

}  // namespace

Result<std::vector<Json>> run_in_children(const ChildJobs& jobs) {
  std::vector<Json> replies(jobs.names.size());
  std::vector<Child> running;
  std::size_t started = 0;
  std::size_t told = 0;
  while (told < replies.size()) {
    while (started < replies.size() && running.size() < static_cast<std::size_t>(jobs.at_once)) {
      TRY(Child child, start_child(jobs, started));
      running.push_back(std::move(child));
      ++started;
    }
    Child ended = next_ended(running);
    TRY(replies[ended.place()], reply_of(ended, jobs.names[ended.place()]));
    for (; told < replies.size() && !replies[told].is_null(); ++told) {
      if (jobs.tell) jobs.tell(replies[told]);
    }
  }
  return replies;
}

}  // namespace parallax
