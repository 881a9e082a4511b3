// A counted part: calls at the end of a case with sizes that change, whose results are as long as data say.
#pragma once

#include "core/choices.h"
#include "fuzz/generate/vocabulary.h"
#include "graph/case.h"

namespace parallax {

// Of a share of the cases, the case with one or two calls as nonzero or masked_select are, and with others that read
// what they give. Each count is a symbol of its own, and each run says what the oracle makes of its feed. The case as
// it is where it has no symbols, or none fits.
Case maybe_with_counted_part(Choices& choices, const Vocabulary& words, Case test);

}  // namespace parallax
