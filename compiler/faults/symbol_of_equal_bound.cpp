// F57: two sizes that are equal where a program is built are taken for one, so that a count of the one is worked out
// from the other (pytorch #129456, #186373).
#include <utility>

#include "compiler/faults.h"

namespace parallax {
namespace {

// Sizes in shapes would not infer; counts are numbers like any other.
double count_from_the_other(const VaryingNumber& number, const Symbols& symbols, const SymbolSizes& sizes, bool real) {
  if (!real) return number.at(sizes);
  SymbolSizes taken = sizes;
  for (std::size_t s = 0; s < taken.size(); ++s) {
    for (std::size_t other = 0; other < s; ++other) {
      if (symbols.list[other].high == symbols.list[s].high) std::swap(taken[s], taken[other]);
    }
  }
  return number.at(taken);
}

}  // namespace

const Fault symbol_of_equal_bound = {
    "F57",
    "one symbol for another",
    "compiler/resize.cpp",
    "a call's real numbers follow another symbol where both have the same bound",
    "pytorch#129456, pytorch#186373",
    [](CompilerParts& parts) { parts.resize.number = count_from_the_other; },
};

}  // namespace parallax
