#include "ops/dequantized_alternatives.h"

#include "ops/carried_alternatives.h"

namespace parallax {
namespace {

constexpr int64_t most_steps = 7;  // from the one end to the other: a scale of so many shows little of each

bool is_one_of_few(const IntegerBall& integer) {
  return integer.is_interval() && integer.high - integer.low <= most_steps;
}

// The ends first: what an op makes of them spans what it makes of all.
std::vector<Ball> numbers_of(const IntegerBall& integer) {
  std::vector<Ball> numbers = {Ball::exact(static_cast<double>(integer.low)),
                               Ball::exact(static_cast<double>(integer.high))};
  for (int64_t x = integer.low + 1; x < integer.high; ++x) numbers.push_back(Ball::exact(static_cast<double>(x)));
  return numbers;
}

}  // namespace

bool gives_dequantized_alternatives(const Op& op) {
  return op.schema.library == "quantized_decomposed" && op.schema.name.starts_with("dequantize_per_");
}

Alternatives dequantized_alternatives(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  Alternatives integers;
  for_each_element(input.layout, [&](int64_t element) {
    const IntegerBall& x = input.integer(element);
    if (is_one_of_few(x)) integers.emplace(element, numbers_of(x));
  });
  if (integers.empty()) return integers;
  return std::move(carried_alternatives(call, {{input.storage, std::move(integers)}}).front());
}

}  // namespace parallax
