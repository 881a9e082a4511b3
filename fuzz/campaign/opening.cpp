#include "fuzz/campaign/opening.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace parallax {

std::vector<OpenedTarget> open_side_by_side(
    const std::vector<std::string>& names, int jobs,
    const std::function<Result<Instance>(const std::string& name)>& open,
    const std::function<void(const std::vector<std::string>& now)>& on_opening) {
  std::vector<OpenedTarget> opened;
  for (const std::string& name : names) opened.push_back({name, fail("")});
  std::mutex mutex;
  std::size_t next = 0;
  std::vector<std::string> now;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next < opened.size()) {
      OpenedTarget& target = opened[next++];
      now.push_back(target.name);
      if (on_opening) on_opening(now);
      lock.unlock();
      target.instance = open(target.name);
      lock.lock();
      now.erase(std::ranges::find(now, target.name));
    }
  };
  std::vector<std::thread> threads;
  const std::size_t starters = std::min(names.size(), static_cast<std::size_t>(std::max(jobs, 2)));
  for (std::size_t i = 1; i < starters; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return opened;
}

}  // namespace parallax
