// How the jury runs a script: in a process of its own, with the Python of the target's environment.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "backends/external/last_line.h"
#include "backends/external/process.h"
#include "fuzz/findings/jury.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_script{180};

// A file that goes when nobody needs it any more.
class ScriptFile {
 public:
  ScriptFile() : path_(fs::temp_directory_path() / fmt::format("parallax-script-{}-{}.py", ::getpid(), next_++)) {}
  ~ScriptFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScriptFile(const ScriptFile&) = delete;
  ScriptFile& operator=(const ScriptFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  static inline std::atomic<int> next_ = 0;
  fs::path path_;
};

// Whether a script of ours said what it found: a system may log tracebacks that it has dealt with. Of a script of few
// lines it is numpy.testing that says so.
bool came_to_an_end(std::string_view written) {
  return written.contains("<-- differs") || written.contains("\n  raises ") ||
         written.contains("AssertionError: \nNot equal to tolerance") ||
         written.contains("AssertionError: \nArrays are not equal");
}

}  // namespace

Result<ScriptEnd> run_script(const std::string& target, const std::string& script) {
  TRY(const Catalogue catalogue, open_catalogue());
  TRY(const TargetSpec spec, parse_target_spec(target));
  if (!spec.command.empty()) return fail("{} is a command: whose Python its script needs is not known", target);
  TRY(const std::vector<std::string> worker, catalogue.command(spec));
  std::vector<std::string> python = heap_checks(spec);
  python.push_back(worker.front());
  return run_python(std::move(python), script);
}

Result<ScriptEnd> run_python(std::vector<std::string> python, const std::string& script) {
  const ScriptFile file;
  TRY_VOID(write_text_file(file.path(), script));
  // All that it writes goes to standard error, which is read when it has ended; the shell tells the exit code.
  // Processes that the script leaves behind hold nothing up.
  python.insert(python.begin(), {"sh", "-c", R"("$@" >&2 </dev/null; echo $?)", "sh"});
  python.push_back(file.path().string());
  TRY(Process process, Process::start(python, {}));
  const LineOrFailure said = process.exchange("", longest_script);
  const std::string written = process.error_tail();
  ScriptEnd end;
  end.said = last_line(written);
  end.traceback = written.contains("Traceback (most recent call last)") && !came_to_an_end(written);
  constexpr int by_signal = 128;  // how a shell tells a signal
  const auto* line = std::get_if<std::string>(&said);
  const int code = line ? std::atoi(line->c_str()) : 0;
  if (line && code < by_signal) {
    end.exit_code = code;
  } else {
    end.said = line ? ProcessEnd{.signal = code - by_signal}.text() : "it did not end";
  }
  return end;
}

}  // namespace parallax
