// Combiner: what the accumulating scatters do. Several values meet in one element, in no defined order, and are summed,
// multiplied, averaged or compared there.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "ops/ball_math.h"

namespace parallax {

enum class Combine { Sum, Product, Mean, Maximum, Minimum };

// The kind of a `reduce` argument of scatter_reduce and index_reduce: sum, prod, mean, amax, amin.
std::optional<Combine> parse_combine(std::string_view name);

class Combiner {
 public:
  // `keeps_self`: what the target's elements hold takes part.
  Combiner(const BallView& target, Combine how, bool keeps_self, const CallProfile& profile);

  // One more value for an element of the target, of the target's dtype.
  void add(int64_t element, const Ball& value) { balls_[element].push_back(value); }
  void add(int64_t element, const IntegerBall& value) { integers_[element].push_back(value); }
  void add(int64_t element, const BallView& from, int64_t from_element);

  // Writes the elements that something was added to.
  void finish();

 private:
  Ball combined(const BallMath& math, const std::vector<Ball>& terms) const;
  IntegerBall combined(const std::vector<IntegerBall>& terms) const;

  const BallView* target_;
  Combine how_;
  bool keeps_self_;
  CallProfile profile_;
  std::map<int64_t, std::vector<Ball>> balls_;
  std::map<int64_t, std::vector<IntegerBall>> integers_;
};

}  // namespace parallax
