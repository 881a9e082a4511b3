#include "fuzz/campaign/turns.h"

#include <algorithm>

namespace parallax {

bool Turns::is_done(const Lane& lane) const {
  return lane.finished && std::ranges::find(returned_, &lane, &Returned::first) == returned_.end();
}

// The first case of a lane's next turn.
uint64_t Turns::take_number(Lane& lane) {
  const auto found = std::ranges::find(returned_, &lane, &Returned::first);
  if (found == returned_.end()) {
    lane.next = std::max(lane.next, lane.state.next);  // those ahead of it may be counted by now
    while (lane.state.ahead.contains(lane.next)) lane.next += lane.cases_a_turn;  // served by an earlier process
    return std::exchange(lane.next, lane.next + lane.cases_a_turn);
  }
  const uint64_t number = found->second;
  returned_.erase(found);
  return number;
}

std::optional<Turn> Turns::take(double now) {
  Lane* best = nullptr;
  for (Lane& lane : lanes) {
    if (is_done(lane) || lane.busy >= lane.most_busy) continue;
    if (!best || lane.seconds(now) < best->seconds(now)) best = &lane;
  }
  if (best == nullptr) return std::nullopt;
  ++best->busy;
  best->begun.push_back(now);
  Turn turn{best, take_number(*best), {}, now};
  if (!best->ready.empty()) {
    turn.instance = std::move(best->ready.back());
    best->ready.pop_back();
  }
  return turn;
}

bool Turns::are_to_come() const {
  return std::ranges::any_of(lanes, [&](const Lane& lane) { return !is_done(lane); });
}

void Turns::finish(Turn turn) {
  turn.lane->ready.push_back(std::move(turn.instance));
  leave(turn);
}

void Turns::give_up(const Turn& turn) {
  returned_.emplace_back(turn.lane, turn.first);
  leave(turn);
}

void Turns::leave(const Turn& turn) {
  --turn.lane->busy;
  turn.lane->begun.erase(std::ranges::find(turn.lane->begun, turn.begun));
}

}  // namespace parallax
