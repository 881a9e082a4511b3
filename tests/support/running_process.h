// Whether a process that nobody here waits for comes to its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace parallax {

// Within ten seconds. One that its parent has not waited for yet is a zombie, and has ended.
inline bool ends_soon(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  for (int i = 0; i < 200; ++i) {
    std::ifstream file(path);
    std::string number, name, state;
    if (!(file >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace parallax
