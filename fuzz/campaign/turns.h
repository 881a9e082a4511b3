// Turns: which of a campaign's targets is served next, and with which cases: the one that had the least time. The
// caller holds the campaign's lock.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fuzz/campaign/lane.h"

namespace parallax {

struct Turn {
  Lane* lane = nullptr;
  uint64_t first = 0;  // the number of its first case
  Instance instance;   // empty: to be opened
  double begun = 0;    // in seconds of the campaign
};

class Turns {
 public:
  // Targets are added before the first turn is taken.
  std::vector<Lane> lanes;

  // The next turn with its cases reserved; nothing where every target is finished or has as many threads as it may.
  std::optional<Turn> take(double now);
  // Whether a target that has no room for one more thread is not finished: there may be turns later.
  bool are_to_come() const;
  // A turn is over, and its instance is there for the next one.
  void finish(Turn turn);
  // A turn was not served: its cases go to the next who asks.
  void give_up(const Turn& turn);

 private:
  using Returned = std::pair<Lane*, uint64_t>;

  uint64_t take_number(Lane& lane);
  bool is_done(const Lane& lane) const;
  static void leave(const Turn& turn);

  std::vector<Returned> returned_;  // turns that were taken and given up
};

}  // namespace parallax
