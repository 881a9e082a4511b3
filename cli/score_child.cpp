#include "cli/score_child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace parallax {
namespace {

Json detection_json(const Detection& detection) {
  return {{"found", detection.found}, {"graphs", detection.graphs}, {"seconds", detection.seconds}};
}

Json score_json(const FaultScore& score) {
  Json json = {{"id", score.id}, {"values", detection_json(score.values)}};
  if (score.values.found) {
    json["verdict"] = score.verdict;
    json["nodes"] = score.nodes;
    json["blame"] = score.blame;
    json["blame_is_right"] = score.blame_is_right;
  }
  for (std::size_t d = 0; d < other_detectors.size(); ++d) {
    json[std::string(other_detectors[d])] = detection_json(score.others[d]);
  }
  return json;
}

// A process that scores one fault.
struct Child {
  std::size_t place = 0;  // of its fault
  pid_t process = -1;
  int output = -1;
  std::string written;
};

[[noreturn]] void score_and_exit(const std::string& id, const ScoreOptions& options, int output) {
  // What never ends is ended by a signal.
  alarm(static_cast<unsigned>(2 * options.seconds + options.reduce_seconds + 10));
  const Result<FaultScore> score = score_fault(id, options);
  const std::string text = (score ? score_json(*score) : Json{{"id", id}, {"error", score.error().text()}}).dump();
  std::size_t written = 0;
  for (ssize_t n = 1; written < text.size() && n > 0; written += static_cast<std::size_t>(std::max<ssize_t>(n, 0))) {
    n = write(output, text.data() + written, text.size() - written);
  }
  _exit(0);
}

Result<Child> start_child(const std::string& id, std::size_t place, const ScoreOptions& options) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return fail("no pipe for a child process");
  const pid_t process = fork();
  if (process < 0) return fail("no child process");
  if (process == 0) {
    close(ends[0]);
    score_and_exit(id, options, ends[1]);
  }
  close(ends[1]);
  return Child{place, process, ends[0], ""};
}

// Takes what the child has written; whether there may be more.
bool read_some(Child& child) {
  std::array<char, 4096> buffer;
  const ssize_t n = read(child.output, buffer.data(), buffer.size());
  if (n > 0) child.written.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

Result<Json> row_of(const Child& child, const std::string& id) {
  close(child.output);
  int status = 0;
  waitpid(child.process, &status, 0);
  if (WIFSIGNALED(status)) return Json{{"id", id}, {"crashed", WTERMSIG(status)}};
  Json score = Json::parse(child.written, nullptr, false);
  if (score.is_discarded()) return fail("the child process for {} said nothing", id);
  if (score.contains("error")) return fail("{}: {}", id, score["error"].get<std::string>());
  return score;
}

// One of them that has ended, taken out of the list.
Child next_ended(std::vector<Child>& running) {
  while (true) {
    std::vector<pollfd> polled;
    for (const Child& child : running) polled.push_back({child.output, POLLIN, 0});
    poll(polled.data(), polled.size(), -1);
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (polled[i].revents == 0 || read_some(running[i])) continue;
      Child ended = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      return ended;
    }
  }
}

}  // namespace

Result<std::vector<Json>> score_in_children(const std::vector<std::string>& ids, const ScoreOptions& options, int jobs,
                                            const std::function<void(const Json&)>& tell) {
  std::vector<Json> rows(ids.size());
  std::vector<Child> running;
  std::size_t started = 0;
  std::size_t told = 0;
  while (told < ids.size()) {
    while (started < ids.size() && running.size() < static_cast<std::size_t>(jobs)) {
      TRY(running.emplace_back(), start_child(ids[started], started, options));
      ++started;
    }
    const Child ended = next_ended(running);
    TRY(rows[ended.place], row_of(ended, ids[ended.place]));
    for (; told < ids.size() && !rows[told].is_null(); ++told) tell(rows[told]);
  }
  return rows;
}

std::string detector_text(const Json& row) {
  std::string text;
  for (std::string_view detector : other_detectors) {
    const Json& seen = row[std::string(detector)];
    text += seen["found"].get<bool>() ? fmt::format("  {} {}", detector, seen["graphs"].get<uint64_t>())
                                      : fmt::format("  {} –", detector);
  }
  return text;
}

}  // namespace parallax
