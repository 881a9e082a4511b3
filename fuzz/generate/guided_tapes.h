// Guided tapes: which graph comes next where what graphs are made of is fed back, as a coverage-guided engine has it.
//
// Half of the graphs are drawn anew. The others are edits of graphs that showed something no graph before had: an op at
// a dtype and rank, an alias relation that a node of that kind brings about, an op that reads another's result. Of
// those the ones are edited more often whose rarest part is rare.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/choices.h"
#include "graph/case.h"

namespace parallax {

class GuidedTapes {
 public:
  using Draw = std::function<Case(Choices& choices)>;
  // Draws graph k anew from stream k of the seed.
  GuidedTapes(uint64_t seed, Draw draw) : seed_(seed), draw_(std::move(draw)), draws_(mix(seed, 1), 0) {}

  Case next();
  // How many graphs showed something new.
  std::size_t kept() const { return kept_.size(); }

 private:
  struct Kept {
    std::vector<uint8_t> tape;
    std::vector<uint64_t> features;
  };

  std::vector<uint8_t> edited_tape();
  const Kept& pick();
  uint64_t rarest(const Kept& kept) const;
  void keep_if_new(const Case& test, const std::vector<uint8_t>& tape);

  uint64_t seed_;
  Draw draw_;
  Choices draws_;
  uint64_t graphs_ = 0;
  std::vector<Kept> kept_;
  std::unordered_map<uint64_t, uint64_t> seen_;  // graphs that hold it, by feature
};

}  // namespace parallax
