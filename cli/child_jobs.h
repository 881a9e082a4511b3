// Work in processes of its own: what it breaks may bring its process down or keep it from ending, and ends no run.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/result.h"

namespace parallax {

using Json = nlohmann::ordered_json;

struct ChildJobs {
  std::vector<std::string> names;  // of each piece of work, as errors have it
  std::function<Result<Json>(std::size_t place)> work;
  int at_once = 1;
  double seconds = 60;                      // after which a piece is ended by SIGALRM
  std::function<void(const Json&)> tell{};  // gets each reply as soon as those before it are there
};

// What each piece of work gives, in order, or {"id": its name, "crashed": the signal that ended it}. An error of one is
// that of all, and ends those that still run.
Result<std::vector<Json>> run_in_children(const ChildJobs& jobs);

}  // namespace parallax
