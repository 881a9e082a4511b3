// Redact: a case without what its user may not give away: random numbers in the place of weights and feeds, canonical
// names in the place of names, and of its origin the target alone.
#pragma once

#include <string>
#include <vector>

#include "reducers/reduce.h"

namespace parallax {

struct Redaction {
  Case test;
  std::string text;                    // the case file, in which what is redacted reads {"random": …}
  int64_t values = 0;                  // that the case held
  int64_t left = 0;                    // of those that are still in it
  std::vector<std::string> kept = {};  // the new names of the tensors that hold them
};

// What `survives` needs is kept, a tensor at a time, the largest ones being tried first; a case that needs nothing of
// it is redacted whole. `survives` is not asked about the case itself.
Redaction redact(const Case& test, const Interesting& survives);

}  // namespace parallax
