// Collector: how a system tells its versions in the way that its maintainers ask for, and which lines of it matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parallax {

struct Collector {
  std::vector<std::string> arguments;           // of the Python of the system's environment
  std::vector<std::string_view> first_of_line;  // what a line that matters begins with; empty: every line matters

  // "python -m torch.utils.collect_env", for a shell.
  std::string command() const;
  // Of what it prints, the lines that matter. Names of machines and folders are not among them.
  std::string cut(std::string_view printed) const;
};

// Of a target's family, as "torch-inductor"; null where its maintainers ask for no command's output.
const Collector* collector_of(std::string_view family);

}  // namespace parallax
