#include "fuzz/findings/bisect.h"

namespace parallax {
namespace {

class Search {
 public:
  Search(std::size_t count, const std::function<VersionState(std::size_t)>& probe) : probe_(&probe) {
    result_.standings.resize(count);
  }

  Bisection run() {
    if (result_.standings.empty()) return std::move(result_);
    const std::optional<std::size_t> first = testable(0, result_.standings.size());
    if (!first) return std::move(result_);
    const std::optional<std::size_t> last = testable_back(*first + 1, result_.standings.size());
    if (last) {
      if (standing(*first) == standing(*last)) {
        look_between(*first, *last);
      } else {
        narrow(*first, *last);
      }
    }
    tell_changes();
    return std::move(result_);
  }

 private:
  VersionState standing(std::size_t version) {
    std::optional<VersionState>& known = result_.standings[version];
    if (!known) known = (*probe_)(version);
    return *known;
  }

  // The first, and the last, version in [begin, end) that can be tested.
  std::optional<std::size_t> testable(std::size_t begin, std::size_t end) {
    for (std::size_t version = begin; version < end; ++version) {
      if (standing(version) != VersionState::Untestable) return version;
    }
    return std::nullopt;
  }
  std::optional<std::size_t> testable_back(std::size_t begin, std::size_t end) {
    for (std::size_t version = end; version > begin; --version) {
      if (standing(version - 1) != VersionState::Untestable) return version - 1;
    }
    return std::nullopt;
  }

  // One testable version strictly between the two, as near to the middle as there is.
  std::optional<std::size_t> between(std::size_t low, std::size_t high) {
    const std::size_t middle = low + (high - low) / 2;
    if (middle == low) return std::nullopt;
    if (const auto above = testable(middle, high)) return above;
    return testable_back(low + 1, middle);
  }

  void look_between(std::size_t low, std::size_t high) {
    const auto middle = between(low, high);
    if (!middle || standing(*middle) == standing(low)) return;
    narrow(low, *middle);
    narrow(*middle, high);
  }

  // The two differ; ends when nothing testable lies between two that do.
  void narrow(std::size_t low, std::size_t high) {
    while (const auto middle = between(low, high)) {
      if (standing(*middle) == standing(low)) {
        low = *middle;
      } else {
        high = *middle;
      }
    }
  }

  void tell_changes() {
    std::optional<VersionState> before;
    for (std::size_t version = 0; version < result_.standings.size(); ++version) {
      const std::optional<VersionState> now = result_.standings[version];
      if (!now || *now == VersionState::Untestable) continue;
      if (before && *before != *now) {
        (*now == VersionState::Bad ? result_.first_bad : result_.first_fixed) = version;
      }
      before = now;
    }
  }

  const std::function<VersionState(std::size_t)>* probe_;
  Bisection result_;
};

}  // namespace

Bisection bisect(std::size_t count, const std::function<VersionState(std::size_t version)>& probe) {
  return Search(count, probe).run();
}

}  // namespace parallax
