#include "tests/soundness/form_twins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/check.h"
#include "core/limits.h"
#include "graph/case.h"
#include "graph/case_json.h"
#include "oracle/acceptance.h"
#include "oracle/interpreter.h"
#include "tests/soundness/checked_call.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20251012;

std::vector<double> drawn(std::size_t count, double low, double high) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> between(low, high);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = between(random);
  return numbers;
}

// One call, whose plain implementation asks for the form (Perturbed::takes) or carries its sums as the profile lets it.
FormTwin of_call(Form form, std::string_view op, DType dtype, std::vector<CheckedCall::Operand> operands,
                 std::vector<Argument> others = {}) {
  return {form, op, [=](const Profile& target, const Profile& judge, uint64_t implementation) {
            const auto call = CheckedCall::build(op, dtype, judge, operands, others);
            std::mt19937_64 random(seed);
            const std::vector<PlainTensor> values = call.draw_members(random);
            Perturbed p(dtype, call.seen(target), implementation);
            const std::vector<PlainTensor> results = call.run(plain_op(op), p, values);
            const auto balls = call.result_balls();
            for (std::size_t k = 0; k < balls.size(); ++k) {
              for (std::size_t i = 0; i < balls[k].size(); ++i) {
                if (!accepts(dtype, balls[k][i], results[k][i])) return true;
              }
            }
            return false;
          }};
}

// A case of one input, x, whose elements are given when it runs, and one output, y.
Case single_input_case(std::string_view type, std::size_t elements, std::string_view nodes) {
  const std::string zeros = fmt::format("{}", fmt::join(std::vector<int>(elements), ","));
  Result<Case> test = parse_case(fmt::format(
      R"({{"parallax": 1, "name": "twin", "requires": ["quantized"], "graph": {{"inputs": {{"x": {{"type": "{}"}}}}, "nodes": [{}],
                       "outputs": ["%y"]}}, "feed": {{"x": [{}]}}}})",
      type, nodes, zeros));
  PARALLAX_CHECK(test.has_value());
  return *std::move(test);
}

// A whole graph of one input, and what an implementation makes of its first output.
using Outputs = std::vector<double> (*)(const Perturbed& p, const std::vector<double>& x);
FormTwin of_graph(Form form, std::string_view what, DType dtype, std::vector<double> x, std::string nodes,
                  Outputs outputs) {
  if (is_floating(dtype)) {
    for (double& element : x) element = round_to(dtype, element);
  }
  return {form, what, [=](const Profile& target, const Profile& judge, uint64_t implementation) {
            Tensor feed(dtype, {static_cast<int64_t>(x.size())});
            for (std::size_t i = 0; i < x.size(); ++i) {
              is_floating(dtype) ? feed.set_double(static_cast<int64_t>(i), x[i])
                                 : feed.set_integer(static_cast<int64_t>(i), static_cast<int64_t>(x[i]));
            }
            const Case test = single_input_case(fmt::format("{}[{}]", name(dtype), x.size()), x.size(), nodes);
            const BallTensor expected = Interpreter(test.graph, judge).run(std::vector{feed}).value().outputs[0];
            const bool allowed = target.allowed.anywhere().has(form);
            const Perturbed p(is_floating(dtype) ? dtype : DType::F32,
                              CallProfile(target, allowed ? FormSet{form} : FormSet()), implementation);
            const std::vector<double> got = outputs(p, x);
            for (std::size_t i = 0; i < got.size(); ++i) {
              if (is_floating(expected.dtype) && !accepts(expected.dtype, expected.balls[i], got[i])) return true;
              if (is_floating(expected.dtype)) continue;
              const IntegerBall& integer = expected.integers[i];
              if (got[i] < static_cast<double>(integer.lowest()) || got[i] > static_cast<double>(integer.highest()))
                return true;
            }
            return false;
          }};
}

std::vector<double> map(const std::vector<double>& x, const std::function<double(double)>& f) {
  std::vector<double> y;
  std::ranges::transform(x, std::back_inserter(y), f);
  return y;
}

// The mean of the squares less the square of the mean, of numbers that are far from 0.
std::vector<double> variance(const Perturbed& p, const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = p.div(p.sum(x), n);
  if (p.takes(Form::OnePassVariance)) {
    const std::vector<double> squares = map(x, [&](double y) { return p.mul(y, y); });
    return {p.sub(p.div(p.sum(squares), n), p.mul(mean, mean))};
  }
  const std::vector<double> squares = map(x, [&](double y) {
    const double deviation = p.sub(y, mean);
    return p.mul(deviation, deviation);
  });
  return {p.div(p.sum(squares), n)};
}

// x * 1.0009765625 of halves that were cast up: the half nearest to the product, or the product, which f32 holds.
std::vector<double> product_of_halves(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    const double product = y * y;
    return p.takes(Form::ElidedCasts) ? round_to(DType::F16, product) : product;
  });
}

// A clamp that drops NaN after every result.
std::vector<double> roots(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    if (y < 0 && p.takes(Form::LostNan)) return -1.0;
    return y < 0 && p.takes(Form::InfiniteNan) ? -std::numeric_limits<double>::infinity() : std::sqrt(y);
  });
}

// An exponential whose argument is clamped first: NaN becomes the least, and 0.
std::vector<double> exponentials(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    return std::isnan(y) && p.takes(Form::LostOperandNan) ? 0 : p.fn([](auto z) { return std::exp(z); }, y);
  });
}

// An insertion sort by <, which finds NaN to be in its place everywhere; eager has NaN last.
std::vector<double> sorted(const Perturbed& p, const std::vector<double>& x) {
  std::vector<double> y = x;
  if (p.takes(Form::UnorderedNan)) {
    for (std::size_t i = 1; i < y.size(); ++i) {
      for (std::size_t k = i; k > 0 && y[k] < y[k - 1]; --k) std::swap(y[k], y[k - 1]);
    }
  } else {
    std::ranges::sort(y, [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
  }
  return y;
}

std::vector<double> signs(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    if (std::isnan(y)) return p.takes(Form::SignOfNan) ? nan : 0;
    return static_cast<double>((y > 0) - (y < 0));
  });
}

// 1 << x as an x86 processor has it, which looks at the lowest bits of x; eager has 0 beyond the width.
std::vector<double> shifts(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    const auto bits = static_cast<int64_t>(y);
    const bool inside = bits >= 0 && bits < 32;
    if (!inside && !p.takes(Form::OpenShifts)) return 0.0;
    return static_cast<double>(int64_t{1} << (static_cast<uint64_t>(bits) & 31U));
  });
}

// 2 - 2 (x - 1 - 0.1), or -2 x + 4.2 with the constant rounded.
std::vector<double> chain(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    if (p.takes(Form::JoinedConstants)) return p.add(p.mul(-2, y), p.number(4.2));
    return p.sub(2, p.mul(2, p.sub(p.sub(y, 1), p.number(0.1))));
  });
}

// Quantized by the scale 0.1 of an f32, eager's reciprocal of which is 10: ties that lie under the tie as a quotient.
std::vector<double> quotients(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    return std::nearbyint(p.takes(Form::DividedScale) ? y / static_cast<double>(0.1F) : y * 10);
  });
}

// Quantized by the scale 1, with ties to even, away from 0 or up.
std::vector<double> tied(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    if (p.takes(Form::HalfAway)) return std::round(y);
    return p.takes(Form::HalfUp) ? std::floor(y + 0.5) : std::nearbyint(y);
  });
}

// Quantized by a scale of f64, or by the same in f32.
std::vector<double> single_scales(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) {
    if (!p.takes(Form::SingleScales)) return std::nearbyint(y * (1 / 0.0371));
    return static_cast<double>(std::nearbyint(static_cast<float>(y) * (1.0F / 0.0371F)));
  });
}

// An integer times 2^e m, with m of so many bits; the product is rounded once more where it is shifted.
double requantized(double x, double factor, int bits, bool twice) {
  int e = 0;
  const double m = std::frexp(factor, &e);
  const auto multiplier = static_cast<int64_t>(std::round(std::ldexp(m, bits)));
  const int64_t product = static_cast<int64_t>(x) * multiplier;
  const auto shifted = [](int64_t number, int by) {
    return by == 0 ? number : (number + (int64_t{1} << (by - 1))) >> by;
  };
  return static_cast<double>(twice ? shifted(shifted(product, bits), -e) : shifted(product, bits - e));
}

// Integers by the scale 0.25 made integers by the scale 1.
std::vector<double> quarters(const Perturbed& p, const std::vector<double>& x) {
  return map(
      x, [&](double y) { return p.takes(Form::FixedPoint) ? requantized(y, 0.25, 31, true) : std::nearbyint(y / 4); });
}

// Integers by the scale 0.0371 made integers by the scale 9.53.
std::vector<double> narrowed(const Perturbed& p, const std::vector<double>& x) {
  constexpr float scale = 0.0371F;
  return map(x, [&](double y) {
    if (p.takes(Form::ShortFixedPoint)) return requantized(y, static_cast<double>(scale) / 9.53, 15, false);
    return static_cast<double>(std::nearbyint(static_cast<float>(y) * scale * static_cast<float>(1 / 9.53)));
  });
}

// k / 4 and a bias of 0.3, which is 1.2 units of 1/4, by the scale 1.
std::vector<double> biased(const Perturbed& p, const std::vector<double>& x) {
  return map(x, [&](double y) { return std::nearbyint(y / 4 + (p.takes(Form::RoundedBias) ? 0.25 : 0.3)); });
}

std::vector<double> integers_between(int low, int high, int step) {
  std::vector<double> elements;
  for (int k = low; k <= high; k += step) elements.push_back(k);
  return elements;
}

// Numbers of f32 next to ties of that scale.
std::vector<double> near_ties() {
  std::vector<double> elements;
  for (int k = 0; k < 100; ++k) elements.push_back(static_cast<double>(static_cast<float>((k + 0.5) * 0.0371)));
  return elements;
}

// Numbers whose halves are subnormal.
std::vector<double> least_normals() {
  std::vector<double> numbers(64);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0x1p-126 * (1 + static_cast<double>(i) / 128);
  return numbers;
}

std::vector<double> near_half_gates() {
  std::vector<double> elements;
  for (int i = 0; i < 64; ++i) elements.push_back(-3 + std::ldexp(1 + i % 7 / 8.0, -4 - i % 12));
  return elements;
}

// Windows whose elements cancel to 2^-10.
std::vector<double> cancelling_windows() {
  std::vector<double> elements;
  for (const double number : drawn(32, 1024, 2048)) {
    const double x = std::ldexp(std::floor(number), -10);
    elements.insert(elements.end(), {x, -x, 0x1p-10});
  }
  return elements;
}

// A small texel beside a large one.
std::vector<double> uneven_texels() {
  std::vector<double> elements = drawn(64, 0.5, 1.5);
  for (std::size_t i = 1; i < elements.size(); i += 2) elements[i] = std::ldexp(elements[i], -20);
  return elements;
}

std::vector<double> halves() {
  std::vector<double> elements;
  for (int i = 0; i < 16; ++i) elements.push_back((1 + i % 5) / 2.0);
  return elements;
}

// Keys whose scores rise, so that each of them rescales what was summed before, and a value for the first one alone.
std::vector<CheckedCall::Operand> rising_scores() {
  constexpr int keys = 256;
  std::vector<double> rising;
  std::vector<double> first(keys, 0);
  for (int key = 0; key < keys; ++key) rising.push_back(std::ldexp(key, -8));
  first[0] = 1;
  return {{{1, 1}, {1}}, {{keys, 1}, rising}, {{keys, 1}, first}};
}

std::vector<FormTwin> make_twins() {
  const CheckedCall::Operand gates = {{64}, near_half_gates()};
  const CheckedCall::Operand windows = {{32, 1, 3}, cancelling_windows()};
  const CheckedCall::Operand matrix = {{4, 4}, halves()};
  return {
      of_call(Form::AccumulateInHalf, "aten.sum.dim_IntList", DType::F16, {{{8, 512}, drawn(8 * 512, 0.5, 1.5)}},
              {IntList{1}}),
      of_call(Form::DroppedNan, "aten.maximum.default", DType::F32, {{{3}, {nan, 1, 2}}, {{3}, {0, 1, nan}}}),
      of_graph(Form::OnePassVariance, "the variance of numbers around 1000", DType::F32, drawn(16, 1000, 1001),
               R"({"out": "y", "op": "aten.var.correction", "args": ["%x"], "kwargs": {"correction": 0}})", variance),
      of_graph(Form::ElidedCasts, "a square of halves in f32", DType::F16, {1.0009765625, 1.0029296875, 3},
               R"({"out": "wide", "op": "aten._to_copy.default", "args": ["%x"], "kwargs": {"dtype": "f32"}},
                  {"out": "y", "op": "aten.mul.Tensor", "args": ["%wide", "%wide"]})",
               product_of_halves),
      of_graph(Form::LostNan, "the root of a negative number", DType::F32, {-1, 4},
               R"({"out": "y", "op": "aten.sqrt.default", "args": ["%x"]})", roots),
      of_graph(Form::LostOperandNan, "the exponential of NaN", DType::F32, {nan, 1},
               R"({"out": "y", "op": "aten.exp.default", "args": ["%x"]})", exponentials),
      of_graph(Form::InfiniteNan, "the root of a negative number", DType::F32, {-1, 4},
               R"({"out": "y", "op": "aten.sqrt.default", "args": ["%x"]})", roots),
      of_call(Form::FoldedFactors, "aten.mm.default", DType::F32, {matrix, matrix}),
      of_call(Form::CancellingGate, "aten.hardsigmoid.default", DType::F32, {gates}),
      of_call(Form::CancellingGate, "aten.hardswish.default", DType::F32, {gates}),
      of_call(Form::AveragedProducts, "aten.avg_pool1d.default", DType::F32, {windows}, {IntList{3}}),
      of_call(Form::AveragedProducts, "aten.adaptive_avg_pool1d.default", DType::F32, {windows}, {IntList{1}}),
      // Places at multiples of 1/64, which are exact.
      of_call(Form::InterpolationBySteps, "aten.upsample_bilinear2d.default", DType::F32,
              {{{32, 1, 1, 2}, uneven_texels()}}, {IntList{1, 65}, Scalar(true)}),
      of_graph(Form::UnorderedNan, "a sort of NaN", DType::F32, {3, nan, 1, 2},
               R"({"out": "both", "op": "aten.sort.default", "args": ["%x"]},
                  {"out": "y", "op": "getitem", "args": ["%both", 0]})",
               sorted),
      of_graph(Form::SignOfNan, "the sign of NaN", DType::F32, {nan, -3, 0},
               R"({"out": "y", "op": "aten.sgn.default", "args": ["%x"]})", signs),
      of_graph(Form::OpenShifts, "1 shifted by 33 and by -4", DType::I32, {33, -4, 3},
               R"({"out": "one", "op": "aten.full_like.default", "args": ["%x", 1]},
                  {"out": "y", "op": "aten.bitwise_left_shift.Tensor", "args": ["%one", "%x"]})",
               shifts),
      of_graph(Form::JoinedConstants, "2 - 2 (x - 1 - 0.1)", DType::F32, drawn(64, 1, 1.2),
               R"({"out": "a", "op": "aten.sub.Scalar", "args": ["%x", 1]},
                  {"out": "b", "op": "aten.sub.Scalar", "args": ["%a", 0.1]},
                  {"out": "c", "op": "aten.mul.Scalar", "args": ["%b", 2]},
                  {"out": "y", "op": "aten.rsub.Scalar", "args": ["%c", 2]})",
               chain),
      of_graph(
          Form::DividedScale, "multiples of 1/4 by the scale 0.1", DType::F32, {0.25, 1.25, 1.75, 3.75, -1.75, 2},
          R"({"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%x", 0.1, 0, -128, 127, "i8"]})",
          quotients),
      of_graph(
          Form::HalfAway, "ties of the scale 1", DType::F32, {0.5, 2.5, -0.5, -2.5, 1.5},
          R"({"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%x", 1.0, 0, -128, 127, "i8"]})",
          tied),
      of_graph(
          Form::HalfUp, "ties of the scale 1", DType::F32, {0.5, 2.5, -0.5, -2.5, 1.5},
          R"({"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%x", 1.0, 0, -128, 127, "i8"]})",
          tied),
      of_graph(Form::SingleScales, "near ties of the scale 0.0371", DType::F32, near_ties(),
               R"({"out": "s", "op": "aten.full.default", "args": [[1], 0.0371], "kwargs": {"dtype": "f64"}},
                  {"out": "z", "op": "aten.full.default", "args": [[1], 0], "kwargs": {"dtype": "i64"}},
                  {"out": "y", "op": "quantized_decomposed.quantize_per_channel.default",
                   "args": ["%x", "%s", "%z", 0, -128, 127, "i8"]})",
               single_scales),
      of_graph(Form::FixedPoint, "integers by four", DType::I8, integers_between(-128, 127, 1),
               R"({"out": "f", "op": "quantized_decomposed.dequantize_per_tensor.default",
                   "args": ["%x", 0.25, 0, -128, 127, "i8"]},
                  {"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default",
                   "args": ["%f", 1.0, 0, -128, 127, "i8"]})",
               quarters),
      of_graph(Form::ShortFixedPoint, "integers of 16 bits made those of 8", DType::I16,
               integers_between(-30000, 30000, 7),
               R"({"out": "f", "op": "quantized_decomposed.dequantize_per_tensor.default",
                   "args": ["%x", 0.0371, 0, -32768, 32767, "i16"]},
                  {"out": "y", "op": "quantized_decomposed.quantize_per_tensor.default",
                   "args": ["%f", 9.53, 0, -128, 127, "i8"]})",
               narrowed),
      of_graph(Form::RoundedBias, "quarters and a bias", DType::I8, integers_between(-128, 127, 1),
               R"({"out": "c", "op": "aten.view.default", "args": ["%x", [256, 1]]},
                  {"out": "f", "op": "quantized_decomposed.dequantize_per_tensor.default",
                   "args": ["%c", 0.25, 0, -128, 127, "i8"]},
                  {"out": "i", "op": "aten.full.default", "args": [[1, 1], 1], "kwargs": {"dtype": "i8"}},
                  {"out": "w", "op": "quantized_decomposed.dequantize_per_tensor.default",
                   "args": ["%i", 1.0, 0, -128, 127, "i8"]},
                  {"out": "b", "op": "aten.full.default", "args": [[1], 0.3], "kwargs": {"dtype": "f32"}},
                  {"out": "l", "op": "aten.linear.default", "args": ["%f", "%w", "%b"]},
                  {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default",
                   "args": ["%l", 1.0, 0, -128, 127, "i8"]},
                  {"out": "y", "op": "aten.view.default", "args": ["%q", [256]]})",
               biased),
      of_call(Form::ReciprocalProduct, "aten.div.Scalar", DType::F32, {{{64}, drawn(64, 1, 2)}}, {Scalar(7.0)}),
      of_call(Form::Bf16Instructions, "aten.silu.default", DType::BF16, {{{64}, least_normals()}}),
      of_call(Form::OnlineSoftmax, "aten.scaled_dot_product_attention.default", DType::F32, rising_scores()),
  };
}

}  // namespace

const std::vector<FormTwin>& form_twins() {
  static const std::vector<FormTwin> twins = make_twins();
  return twins;
}

}  // namespace parallax
