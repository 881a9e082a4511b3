// Calibration: between which numbers each value of a case lies when it is run, as an observer of a quantizer sees it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/case.h"

namespace parallax {

struct ValueRange {
  double low = 0;
  double high = 0;
};

class Calibration {
 public:
  // Runs the case with the oracle, all of its runs; an error is what eager raises.
  static Result<Calibration> of(const Case& test);

  // Nothing for a value that was never seen, or in which something is no number.
  std::optional<ValueRange> range(ValueId value) const;
  // These values have one range from now on, and whatever shares one with them.
  void share(std::span<const ValueId> values);

 private:
  struct Seen {
    ValueRange range;
    bool any = false;
    bool finite = true;
  };
  std::size_t leader(ValueId value) const;
  void see(ValueId value, double x);

  std::vector<Seen> seen_;            // by value
  std::vector<std::size_t> leaders_;  // by value: one that has the range of all that share it
};

}  // namespace parallax
