#include "fuzz/findings/target_crew.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace parallax {

int crew_size(const std::string& target, int jobs) { return runs_in_process(target) ? jobs : std::min(jobs, 2); }

TargetCrew::TargetCrew(Target& first, const TargetOptions& options, int size) : members_{&first} {
  while (static_cast<int>(members_.size()) < size) {
    Result<std::unique_ptr<Target>> target = open_target(first.name(), options);
    if (!target) return;
    members_.push_back(target->get());
    opened_.push_back(*std::move(target));
  }
}

void TargetCrew::look_at_each(std::size_t count, const std::function<void(Target&, std::size_t)>& look) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Target& target) {
    for (std::size_t place = next++; place < count; place = next++) look(target, place);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(count, members_.size()); ++i) {
    threads.emplace_back([&, i] { work(*members_[i]); });
  }
  work(*members_.front());
  for (std::thread& thread : threads) thread.join();
}

}  // namespace parallax
