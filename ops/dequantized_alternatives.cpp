#include "ops/dequantized_alternatives.h"

#include <algorithm>

namespace parallax {
namespace {

constexpr int64_t most_steps = 7;  // from the one end to the other: a scale of so many shows little of each

bool is_one_of_few(const IntegerBall& integer) {
  return integer.is_interval() && integer.high - integer.low <= most_steps;
}

}  // namespace

bool gives_dequantized_alternatives(const Op& op) {
  return op.schema.library == "quantized_decomposed" && op.schema.name.starts_with("dequantize_per_");
}

Alternatives dequantized_alternatives(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  const BallView& output = call.output();
  if (!(input.layout.sizes == output.layout.sizes)) return {};
  const std::vector<int64_t> from = elements_of(input.layout);
  const std::vector<int64_t> to = elements_of(output.layout);
  int64_t steps = 0;
  for (const int64_t element : from) {
    if (const IntegerBall& x = input.integer(element); is_one_of_few(x)) steps = std::max(steps, x.high - x.low);
  }
  if (steps == 0) return {};
  // The same call, of one integer at a time.
  BallStorage integers = *input.storage;
  BallStorage floats(output.dtype, static_cast<int64_t>(output.storage->balls.size()));
  std::vector<BallView> views(call.views().begin(), call.views().end());
  views[call.value(arg::input).index].storage = &integers;
  const BallView result{&floats, output.dtype, output.layout};
  const ReferenceCall of_one(call, views, std::span(&result, 1), call.profile());
  Alternatives alternatives;
  const auto take = [&](int64_t step) {
    const auto number_of = [&](const IntegerBall& x) { return step < 0 ? x.high : x.low + step; };
    for (const int64_t element : from) {
      if (const IntegerBall& x = input.integer(element); is_one_of_few(x)) integers.integers[element] = {number_of(x)};
    }
    if (!call.op().reference(of_one)) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const IntegerBall& x = input.integer(from[i]);
      if (is_one_of_few(x) && step < x.high - x.low) alternatives[to[i]].push_back(floats.balls[to[i]]);
    }
    return true;
  };
  if (!take(0) || !take(-1)) return {};
  for (int64_t step = 1; step < steps; ++step) {
    if (!take(step)) return {};
  }
  return alternatives;
}

}  // namespace parallax
