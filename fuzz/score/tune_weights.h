// Tune: weights under which what is looked for shows soonest, by the cross-entropy method: candidates are drawn around
// a centre, and those that do best make the next one. It needs no gradient and forgives costs that are noisy.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "fuzz/generate/weights.h"

namespace parallax {

struct TuneOptions {
  int rounds = 8;
  int candidates = 16;  // a round; the best quarter of them makes the next centre
  uint64_t seed = 1;
};

// The cost of each candidate of a round: the less, the better. They are compared within a round only.
using CostsOf = std::function<Result<std::vector<double>>(std::span<const GenerateWeights> candidates, int round)>;
// Called after each round with the centre's cost, which is the first candidate's, and the best.
using TellRound = std::function<void(int round, double centre, double best)>;

// The last centre. What is 0 in `start` stays 0.
Result<GenerateWeights> tune(const GenerateWeights& start, const TuneOptions& options, const CostsOf& costs_of,
                             const TellRound& tell);

// The lines of a profile in fuzz/generate/weights.h.
std::string text_of(const GenerateWeights& weights);

}  // namespace parallax
