// Wrong kernels, each of which must be caught: an oracle that takes everything would be sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "core/limits.h"
#include "ops/profiles.h"
#include "oracle/acceptance.h"
#include "tests/soundness/checked_call.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20251011;

const Profile& eager() { return *find_profile("eager"); }

// Whether some element of a run is outside its ball.
bool caught(const CheckedCall& call, const std::vector<PlainTensor>& results) {
  const auto balls = call.result_balls();
  for (std::size_t k = 0; k < balls.size(); ++k) {
    for (std::size_t i = 0; i < balls[k].size(); ++i) {
      if (!accepts(call.dtype(), balls[k][i], results[k][i])) return true;
    }
  }
  return false;
}

// What a wrong implementation of a call does instead. Nothing where the fault does not apply to the call.
struct Faulty {
  std::vector<Argument> arguments;
  std::vector<PlainTensor> values;
};
using Fault = std::optional<Faulty> (*)(const CheckedCall& call, Faulty right);

// How many of the drawn calls of each family, in f32 with exact operands, the fault applies to and how many are caught.
struct Caught {
  int applied = 0;
  int caught = 0;
};
std::map<std::string, Caught> catch_fault(Fault fault) {
  std::map<std::string, Caught> families;
  for (const PlainOp& op : plain_ops()) {
    for (uint64_t stream = 0; stream < 30; ++stream) {
      const auto call = CheckedCall::draw(op, DType::F32, eager(), seed, stream);
      if (!call || !call->exact()) continue;
      std::mt19937_64 random(stream);
      const std::vector<PlainTensor> values = call->draw_members(random);
      const auto wrong = fault(*call, {call->arguments(), values});
      if (!wrong) continue;
      Perturbed p(DType::F32, eager(), stream);
      Perturbed again(DType::F32, eager(), stream);
      const std::vector<PlainTensor> results = call->run(op, p, wrong->values, &wrong->arguments);
      // What the fault does not change, as in a tensor of equal elements, nobody can catch.
      if (results == call->run(op, again, values)) continue;
      Caught& family = families[std::string(op.family)];
      ++family.applied;
      family.caught += caught(*call, results);
    }
  }
  return families;
}

void expect_caught(const std::map<std::string, Caught>& families, std::size_t at_least, int percent) {
  EXPECT_GE(families.size(), at_least);
  for (const auto& [family, counts] : families) {
    EXPECT_GE(counts.caught * 100, counts.applied * percent)
        << family << ": " << counts.caught << " of " << counts.applied;
    EXPECT_GE(counts.caught, 1) << family;
  }
}

int parameter_named(const CheckedCall& call, arg name) { return call.op().schema.index_of(name); }

// The first operand is read one place too far; the last element twice.
std::optional<Faulty> off_by_one(const CheckedCall&, Faulty wrong) {
  for (const Argument& argument : wrong.arguments) {
    const auto* value = std::get_if<ValueId>(&argument);
    if (value == nullptr) continue;
    PlainTensor& elements = wrong.values[value->index];
    if (elements.size() < 2) return std::nullopt;
    std::shift_left(elements.begin(), elements.end(), 1);
    return wrong;
  }
  return std::nullopt;
}

TEST(WrongKernels, AnIndexThatIsOffByOneIsCaughtInEveryFamily) { expect_caught(catch_fault(off_by_one), 24, 60); }

// What an index names, one place further; the last place becomes the first.
std::optional<Faulty> shifted_index(const CheckedCall& call, Faulty wrong) {
  if (!call.op().index_ranges) return std::nullopt;
  for (const IndexRange& range : call.index_ranges()) {
    for (double& index : wrong.values[range.value.index]) {
      index = static_cast<double>((static_cast<int64_t>(index) + 1) % range.places);
    }
  }
  return wrong;
}

TEST(WrongKernels, AWrongIndexIsCaught) { expect_caught(catch_fault(shifted_index), 2, 60); }

// Forgets what the target held, scales positions by the other rule for corners, divides by what lies inside.
std::optional<Faulty> negated_flag(const CheckedCall& call, Faulty wrong) {
  for (const arg name :
       {arg::include_self, arg::accumulate, arg::align_corners, arg::count_include_pad, arg::unbiased}) {
    const int at = parameter_named(call, name);
    if (at < 0) continue;
    Argument& argument = wrong.arguments[static_cast<std::size_t>(at)];
    argument = Scalar(!std::get<bool>(std::get<Scalar>(argument)));
    return wrong;
  }
  return std::nullopt;
}

TEST(WrongKernels, AFlagTakenTheOtherWayIsCaught) { expect_caught(catch_fault(negated_flag), 4, 60); }

// One degree, one order or one decimal more.
std::optional<Faulty> one_more(const CheckedCall& call, Faulty wrong) {
  for (const arg name : {arg::n, arg::decimals}) {
    const int at = parameter_named(call, name);
    auto* number = at < 0 ? nullptr : std::get_if<Scalar>(&wrong.arguments[static_cast<std::size_t>(at)]);
    if (number == nullptr) continue;
    *number = std::visit([](auto x) { return Scalar(static_cast<double>(x) + 1); }, *number);
    return wrong;
  }
  return std::nullopt;
}

TEST(WrongKernels, AWrongDegreeIsCaught) { expect_caught(catch_fault(one_more), 2, 60); }

std::optional<Faulty> tenfold_eps(const CheckedCall& call, Faulty wrong) {
  const int eps = parameter_named(call, arg::eps);
  if (eps < 0 || is_none(wrong.arguments[static_cast<std::size_t>(eps)])) return std::nullopt;
  Argument& argument = wrong.arguments[static_cast<std::size_t>(eps)];
  argument = Scalar(10 * as_double(std::get<Scalar>(argument)));
  return wrong;
}

TEST(WrongKernels, AWrongEpsIsCaught) { expect_caught(catch_fault(tenfold_eps), 2, 50); }

std::optional<Faulty> dropped_bias(const CheckedCall& call, Faulty wrong) {
  // A bias has no part in the gradients.
  if (call.op().family == "gradient") return std::nullopt;
  const int bias = parameter_named(call, arg::bias);
  if (bias >= 0 && !is_none(wrong.arguments[static_cast<std::size_t>(bias)])) {
    wrong.arguments[static_cast<std::size_t>(bias)] = Argument();
    return wrong;
  }
  const int beta = parameter_named(call, arg::beta);
  if (beta < 0) return std::nullopt;
  wrong.arguments[static_cast<std::size_t>(beta)] = Scalar(0.0);
  return wrong;
}

TEST(WrongKernels, ADroppedBiasIsCaught) { expect_caught(catch_fault(dropped_bias), 4, 60); }

std::optional<Faulty> swapped(const CheckedCall& call, Faulty wrong) {
  static const std::set<std::string, std::less<>> asymmetric = {
      "aten.sub.Tensor",    "aten.rsub.Tensor",       "aten.div.Tensor",   "aten.fmod.Tensor", "aten.remainder.Tensor",
      "aten.atan2.default", "aten.pow.Tensor_Tensor", "aten.xlogy.Tensor", "aten.lerp.Tensor", "aten.lerp.Scalar"};
  if (!asymmetric.contains(call.op().name)) return std::nullopt;
  std::swap(wrong.arguments[0], wrong.arguments[1]);
  return wrong;
}

TEST(WrongKernels, SwappedOperandsAreCaught) { expect_caught(catch_fault(swapped), 3, 50); }

// Of one operand, f32, in a range where the function neither overflows nor cancels.
TEST(WrongKernels, TwoUnitsOverTheProfileIsCaughtInEachFunction) {
  std::mt19937_64 random(seed);
  const auto units = static_cast<int>(eager().error_of(FunctionKind::Other, DType::F32).ulp) + 2;
  int64_t tried = 0;
  for (const PlainOp& op : plain_ops()) {
    if (op.family != "function") continue;
    std::vector<double> elements;
    const double start = op.domain == PlainOp::Domain::OverOne ? 1.25 : 0.25;
    const double reach = op.domain == PlainOp::Domain::Unit ? 0.5 : 2;
    for (int i = 0; i < 500; ++i) elements.push_back(start + std::uniform_real_distribution<double>(0, reach)(random));
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
      const auto call = CheckedCall::build(op.name, dtype, eager(), {{{500}, elements}});
      const auto balls = call.result_balls();
      for (const Ball& ball : balls[0]) {
        if (op.name == "aten.erf.default" && size_of(dtype) == 2) break;  // its bound there is absolute
        double up = round_to(dtype, ball.mid);
        double down = up;
        for (int k = 0; k < units; ++k) {
          up = next_up(dtype, up);
          down = next_down(dtype, down);
        }
        // Across a power of two the units below are half as large.
        if (std::ilogb(down) != std::ilogb(up)) continue;
        ++tried;
        if (accepts(dtype, ball, up) || accepts(dtype, ball, down)) {
          ADD_FAILURE() << op.name << " into " << name(dtype) << ": " << up << " or " << down << " is in " << ball.mid
                        << " by " << ball.radius;
          break;
        }
      }
    }
  }
  EXPECT_GT(tried, 20'000);
}

// Elementwise: two units beyond the correctly rounded results.
TEST(WrongKernels, TwoUnitsOffIsCaughtInArithmetic) {
  std::mt19937_64 random(seed + 1);
  std::normal_distribution<double> normal;
  int tried = 0;
  for (const char* op : {"aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor", "aten.div.Tensor"}) {
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
      std::vector<double> a;
      std::vector<double> b;
      for (int i = 0; i < 1000; ++i) {
        a.push_back(normal(random));
        b.push_back(normal(random));
      }
      const auto call = CheckedCall::build(op, dtype, eager(), {{{1000}, a}, {{1000}, b}});
      const auto balls = call.result_balls();
      for (const Ball& ball : balls[0]) {
        // A tie may go either way.
        const double unit = FloatFormat(dtype).ulp(ball.mid);
        const double largest = std::floor((ball.mid + unit / 2) / unit) * unit;
        const double least = std::ceil((ball.mid - unit / 2) / unit) * unit;
        // Units change at a power of two, and next to the subnormals the absolute error counts.
        if (std::ilogb(least - 2 * unit) != std::ilogb(largest + 2 * unit)) continue;
        if (std::fabs(ball.mid) < 64 * info(dtype).smallest_normal) continue;
        ++tried;
        EXPECT_FALSE(accepts(dtype, ball, largest + 2 * unit)) << op << " " << name(dtype);
        EXPECT_FALSE(accepts(dtype, ball, least - 2 * unit)) << op << " " << name(dtype);
      }
    }
  }
  EXPECT_GT(tried, 9000);
}

// Small integers and quarters: sums and products of them are exact in any order, and one unit off is proof.
TEST(WrongKernels, OneUnitOffOnTheExactGridIsCaught) {
  std::mt19937_64 random(seed + 2);
  const auto grid = [&](int64_t count) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back((static_cast<double>(random() % 15) - 7) / 4);
    return numbers;
  };
  struct Test {
    const char* op;
    std::vector<Dims> operands;
    std::vector<Argument> others;
  };
  const std::vector<Test> tests = {
      {"aten.add.Tensor", {{64}, {64}}, {}},
      {"aten.mul.Tensor", {{64}, {64}}, {}},
      {"aten.addcmul.default", {{64}, {64}, {64}}, {}},
      {"aten.sum.dim_IntList", {{8, 100}}, {IntList{1}}},
      {"aten.cumsum.default", {{8, 20}}, {Scalar(int64_t{1})}},
      {"aten.mm.default", {{8, 32}, {32, 8}}, {}},
      {"aten.addmm.default", {{8}, {8, 32}, {32, 8}}, {}},
      {"aten.linear.default", {{8, 32}, {8, 32}, {8}}, {}},
      {"aten.conv2d.default", {{1, 3, 6, 6}, {4, 3, 3, 3}, {4}}, {}},
  };
  for (const Test& test : tests) {
    for (const DType dtype : {DType::F32, DType::F16}) {
      std::vector<CheckedCall::Operand> operands;
      for (const Dims& sizes : test.operands) {
        int64_t count = 1;
        for (const int64_t size : sizes) count *= size;
        operands.push_back({sizes, grid(count)});
      }
      const auto balls = CheckedCall::build(test.op, dtype, eager(), operands, test.others).result_balls();
      for (const Ball& ball : balls[0]) {
        EXPECT_FALSE(accepts(dtype, ball, next_up(dtype, ball.mid))) << test.op << " " << name(dtype);
        EXPECT_FALSE(accepts(dtype, ball, next_down(dtype, ball.mid))) << test.op << " " << name(dtype);
      }
    }
  }
}

// A product of inner size 64 whose elements are all 128 units too large.
TEST(WrongKernels, A128UnitBiasOfADenseProductIsCaught) {
  std::mt19937_64 random(seed + 3);
  std::normal_distribution<double> normal;
  int products_caught = 0;
  constexpr int products = 40;
  for (int i = 0; i < products; ++i) {
    std::vector<double> a(16 * 64);
    std::vector<double> b(64 * 16);
    for (double& x : a) x = normal(random);
    for (double& x : b) x = normal(random);
    const auto call = CheckedCall::build("aten.mm.default", DType::F32, eager(), {{{16, 64}, a}, {{64, 16}, b}});
    bool outside = false;
    const auto balls = call.result_balls();
    for (const Ball& ball : balls[0]) {
      const double biased = round_to(DType::F32, ball.mid) + 128 * FloatFormat(DType::F32).ulp(ball.mid);
      outside = outside || !accepts(DType::F32, ball, biased);
    }
    products_caught += outside;
  }
  EXPECT_EQ(products_caught, products);
}

// Sums of halves that are carried as halves, where the profile has them in f32.
TEST(WrongKernels, AHalfAccumulatorIsCaught) {
  Profile halves = eager();
  allow(halves, Form::AccumulateInHalf);
  std::mt19937_64 random(seed + 4);
  const auto numbers = [&](int64_t count) {
    std::vector<double> drawn;
    for (int64_t i = 0; i < count; ++i) drawn.push_back(std::uniform_real_distribution<double>(0.5, 1.5)(random));
    return drawn;
  };
  struct Test {
    const char* op;
    std::vector<CheckedCall::Operand> operands;
    std::vector<Argument> others;
  };
  const std::vector<Test> tests = {
      {"aten.sum.dim_IntList", {{{8, 512}, numbers(8 * 512)}}, {IntList{1}}},
      {"aten.mean.dim", {{{8, 512}, numbers(8 * 512)}}, {IntList{1}}},
      {"aten.cumsum.default", {{{8, 64}, numbers(8 * 64)}}, {Scalar(int64_t{1})}},
      {"aten.var.correction", {{{8, 512}, numbers(8 * 512)}}, {IntList{1}}},
      {"aten.linalg_vector_norm.default", {{{8, 512}, numbers(8 * 512)}}, {Scalar(int64_t{2}), IntList{1}}},
      {"aten.mm.default", {{{8, 256}, numbers(8 * 256)}, {{256, 8}, numbers(256 * 8)}}, {}},
      {"aten.conv1d.default", {{{1, 64, 8}, numbers(64 * 8)}, {{4, 64, 3}, numbers(4 * 64 * 3)}}, {}},
      {"aten.avg_pool2d.default", {{{1, 2, 16, 16}, numbers(512)}}, {IntList{16, 16}}},
  };
  for (const Test& test : tests) {
    for (const DType dtype : {DType::F16, DType::BF16}) {
      const auto call = CheckedCall::build(test.op, dtype, eager(), test.operands, test.others);
      const std::vector<PlainTensor> values = call.draw_members(random);
      int applied = 0;
      int outside = 0;
      for (uint64_t implementation = 0; implementation < 60; ++implementation) {
        Perturbed p(dtype, call.seen(halves), implementation);
        // In one lane and not wider: where the error of a half accumulator shows.
        const bool one_lane = p.habits().order != Habits::Order::Pairwise && p.habits().order != Habits::Order::Lanes;
        if (!one_lane || p.habits().fused || p.accumulator().width() != dtype) continue;
        ++applied;
        outside += caught(call, call.run(plain_op(test.op), p, values));
      }
      EXPECT_GE(applied, 5) << test.op;
      EXPECT_GE(outside * 100, applied * 60) << test.op << " " << name(dtype);
    }
  }
}

// max, min and what is made of them hand a NaN on; a kernel that drops it is caught.
TEST(WrongKernels, ADroppedNanIsCaught) {
  Profile drops = eager();
  allow(drops, Form::DroppedNan);
  std::vector<double> elements(48, 1);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = i % 6 == 2 ? nan : static_cast<double>(i % 5) - 2;
  const std::vector<double> others(48, 0.5);
  struct Test {
    const char* op;
    std::vector<CheckedCall::Operand> operands;
    std::vector<Argument> others;
  };
  const std::vector<Test> tests = {
      {"aten.relu.default", {{{48}, elements}}, {}},
      {"aten.clamp.default", {{{48}, elements}}, {Scalar(-1.0), Scalar(1.0)}},
      {"aten.hardtanh.default", {{{48}, elements}}, {}},
      {"aten.maximum.default", {{{48}, elements}, {{48}, others}}, {}},
      {"aten.minimum.default", {{{48}, elements}, {{48}, others}}, {}},
      {"aten.amax.default", {{{6, 8}, elements}}, {IntList{1}}},
      {"aten.amin.default", {{{6, 8}, elements}}, {IntList{1}}},
      {"aten.max_pool2d_with_indices.default", {{{1, 1, 6, 8}, elements}}, {IntList{2, 2}}},
  };
  for (const Test& test : tests) {
    const auto call = CheckedCall::build(test.op, DType::F32, eager(), test.operands, test.others);
    std::mt19937_64 random(seed);
    const std::vector<PlainTensor> values = call.draw_members(random);
    int dropping = 0;
    for (uint64_t implementation = 0; implementation < 20; ++implementation) {
      Perturbed p(DType::F32, call.seen(drops), implementation);
      const bool outside = caught(call, call.run(plain_op(test.op), p, values));
      EXPECT_EQ(outside, p.takes(Form::DroppedNan)) << test.op;
      dropping += p.takes(Form::DroppedNan);
    }
    EXPECT_GE(dropping, 3);
  }
}

}  // namespace
}  // namespace parallax
