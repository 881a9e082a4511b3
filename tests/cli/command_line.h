// A fixture that runs the program in a folder of its own, as a shell would.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

namespace parallax {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("parallax_{}_{}", test->name(), ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    // A browser that is still ending takes its own files away meanwhile.
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  Ran run(const std::string& arguments) const {
    return execute("PARALLAX_ROOT='" PARALLAX_SOURCE_DIR "' '" PARALLAX_BINARY "' " + arguments);
  }
  // Any command of the shell, in the test's folder.
  Ran execute(const std::string& command) const {
    const std::filesystem::path out = folder_ / "stdout", err = folder_ / "stderr";
    const int status = std::system(
        ("cd '" + folder_.string() + "' && " + command + " >'" + out.string() + "' 2>'" + err.string() + "' </dev/null")
            .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }
  bool is_installed(const std::string& program) const { return execute("command -v " + program).code == 0; }
  // The names that `parallax COMMAND --help` lists as subcommands.
  std::vector<std::string> listed_commands(const std::string& command = "") const {
    std::vector<std::string> names;
    std::istringstream lines(run(command + " --help").out);
    bool listed = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "Subcommands:" || line.starts_with("Commands ")) {
        listed = true;
      } else if (!line.starts_with("  ")) {
        listed = false;
      } else if (listed && line[2] != ' ') {
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
      }
    }
    return names;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return name;
  }

  std::filesystem::path folder_;
};

}  // namespace parallax
