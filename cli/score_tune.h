// score --tune: weights of a profile under which the faults with odd ids that show in this process show soonest.
#pragma once

#include "fuzz/score/score.h"

namespace parallax {

// Tunes for that many rounds, `jobs` processes at once, and prints the weights that it came to and, over graphs that it
// has not seen, how soon faults show under them and under those of the profile: the odd ones, and apart from them those
// held out. Returns the exit code.
Result<int> tune_weights(int rounds, const ScoreOptions& options, int jobs);

}  // namespace parallax
