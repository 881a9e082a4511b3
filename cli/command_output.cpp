#include "cli/command_output.h"

#include <array>
#include <cstdio>

namespace parallax {

CommandOutput command_output(const std::string& line) {
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return {};
  CommandOutput output;
  std::array<char, 1 << 16> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.text.append(buffer.data(), got);
  }
  output.succeeded = ::pclose(pipe) == 0;
  return output;
}

}  // namespace parallax
