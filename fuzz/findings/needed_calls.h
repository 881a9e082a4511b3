// At which call of a case a divergence shows, and which other calls it needs.
#pragma once

#include <functional>
#include <optional>

#include "corpus/finding.h"

namespace parallax {

// Of a case with several calls whose numbers are wrong as `judgement` says, or of one that is right at first and wrong
// when it is called once more; nothing of any other. `shows` says whether a
// case still diverges in the same way: calls are left out one after the other as long as it does, and those that remain
// are needed.
std::optional<WrongCall> needed_calls(const Case& test, const Judgement& judgement,
                                      const std::function<bool(const Case& fewer)>& shows);

}  // namespace parallax
