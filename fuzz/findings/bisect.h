// Bisect: in which version a divergence came, and in which it went.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

// What one version makes of a case.
enum class VersionState {
  Good,        // judged, and it does not diverge
  Bad,         // it diverges
  Untestable,  // not judged: it does not install or start, or does not take the case
};

struct Bisection {
  std::vector<std::optional<VersionState>> standings;  // by version; nothing where none was needed
  std::optional<std::size_t> first_bad;                // the version before it that was judged is good
  std::optional<std::size_t> first_fixed;              // the version before it that was judged is bad
};

// Judges as few of `count` versions, oldest first, as tell every change between the ones judged: the ends, then the
// middle of each gap whose ends differ. Where both ends are good, or both bad, the middle is looked at too, so that a
// bug that came and went in between is found if it lived for half of the versions. An untestable version is left out,
// and the one next to it judged. Of several changes the last one of each kind is told. `probe` is called once a
// version.
Bisection bisect(std::size_t count, const std::function<VersionState(std::size_t version)>& probe);

}  // namespace parallax
