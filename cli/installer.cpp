#include "cli/installer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/external/one_line.h"
#include "backends/open_target.h"
#include "core/json_field.h"

namespace parallax {

namespace {

// adapters/install.py as a command line for the system's own Python.
std::vector<std::string> installer(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"python3", (root_folder() / "adapters").string(), "install"});
  return arguments;
}

}  // namespace

Result<int> install_targets(const std::vector<std::string>& names, bool quiet) {
  std::vector<std::string> words = installer(names);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (const int nowhere = quiet ? open("/dev/null", O_WRONLY) : -1; nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return fail("the installer could not be started");
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) {
    return fail("the installer could not be run (is python3 there?)");
  }
  return WEXITSTATUS(status);
}

Result<std::vector<std::string>> released_versions(const std::string& target, const std::string& low,
                                                   const std::string& high) {
  TRY(const std::string line, one_line(installer({"--list", low + ".." + high, target}), std::chrono::minutes(2)));
  TRY(const Json json, parse_json(line));
  std::vector<std::string> versions;
  const Field list(json, "");
  TRY_VOID(list.expect_array());
  for (std::size_t i = 0; i < json.size(); ++i) {
    TRY(std::string version, list.element(i).text());
    versions.push_back(std::move(version));
  }
  return versions;
}

}  // namespace parallax
