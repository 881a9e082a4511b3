#include "cli/score_child.h"

#include <fmt/format.h>
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

// What a child writes, to the end of the pipe.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(descriptor);
  return text;
}

}  // namespace

Result<Json> score_in_child(const std::string& id, const ScoreOptions& options) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return fail("no pipe for a child process");
  const pid_t child = fork();
  if (child < 0) return fail("no child process");
  if (child == 0) {
    close(ends[0]);
    // What never ends is ended by a signal.
    alarm(static_cast<unsigned>(2 * options.seconds + options.reduce_seconds + 10));
    const Result<FaultScore> score = score_fault(id, options);
    const std::string text = (score ? score_json(*score) : Json{{"id", id}, {"error", score.error().text()}}).dump();
    std::size_t written = 0;
    for (ssize_t n = 1; written < text.size() && n > 0; written += static_cast<std::size_t>(std::max<ssize_t>(n, 0))) {
      n = write(ends[1], text.data() + written, text.size() - written);
    }
    _exit(0);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return Json{{"id", id}, {"crashed", WTERMSIG(status)}};
  Json score = Json::parse(text, nullptr, false);
  if (score.is_discarded()) return fail("the child process for {} said nothing", id);
  if (score.contains("error")) return fail("{}: {}", id, score["error"].get<std::string>());
  return score;
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
