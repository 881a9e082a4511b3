// TargetCrew: a target and copies of it, which look at several cases side by side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/open_target.h"

namespace parallax {

// How many copies of a target `jobs` threads are best given: one each, but no more than two worker processes, each of
// which holds its libraries in memory.
int crew_size(const std::string& target, int jobs);

class TargetCrew {
 public:
  // `first` is one of them and must outlive this; further ones, up to `size` in all, are opened by its name with
  // `options`. One that does not open is done without.
  TargetCrew(Target& first, const TargetOptions& options, int size);

  Target& first() { return *members_.front(); }
  std::size_t size() const { return members_.size(); }
  // Calls `look(target, place)` for each place below `count`, in as many threads as there are members; no member looks
  // at two places at once.
  void look_at_each(std::size_t count, const std::function<void(Target&, std::size_t)>& look);

 private:
  std::vector<std::unique_ptr<Target>> opened_;
  std::vector<Target*> members_;
};

}  // namespace parallax
