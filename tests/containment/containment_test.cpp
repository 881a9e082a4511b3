// The containment law over the whole registry, and rules that forget something, which it must catch.
#include "tests/containment/containment.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "ops/registry.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 35;
// `./parallax test --all` draws more.
uint64_t streams() {
  const char* all = std::getenv("PARALLAX_TEST_ALL");
  return all && std::string_view(all) == "1" ? 600 : 60;
}

std::set<std::string_view> families() {
  std::set<std::string_view> names;
  for (const Op& op : all_ops()) {
    // A search needs a line that is sorted, which no abstract one is.
    if (!op.is_view() && op.family != "search") names.insert(op.family);
  }
  return names;
}

class Containment : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Containment, HoldsEveryNumberThatAnAbstractOperandStandsFor) {
  ContainmentCounts counts;
  for (const Op& op : all_ops()) {
    if (op.family != GetParam()) continue;
    int escapes = 0;
    for (int dtype = 0; dtype < dtype_count; ++dtype) {
      for (uint64_t stream = 0; stream < streams() && escapes < 3; ++stream) {
        std::optional<AbstractCall> call = AbstractCall::draw(op, static_cast<DType>(dtype), seed, stream);
        if (!call || !call->ask()) continue;
        const std::optional<Escape> escape = call->check(12, counts);
        if (!escape) continue;
        ++escapes;
        ADD_FAILURE() << op.name << ", seed " << seed << ", stream " << stream << '\n' << escape->text;
      }
    }
  }
  RecordProperty("calls", static_cast<int>(counts.calls));
  EXPECT_GT(counts.calls, 0) << "no call of the family could be drawn";
}

INSTANTIATE_TEST_SUITE_P(Registry, Containment, ::testing::ValuesIn(families()), [](const auto& family) {
  std::string name(family.param);
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

// What a rule may forget of its operands.
struct Oversight {
  std::string_view name;
  void (*apply)(DType dtype, std::vector<Ball>& balls, std::vector<IntegerBall>& integers);
};

template <void (*change)(Ball& ball)>
void in_each_ball(DType, std::vector<Ball>& balls, std::vector<IntegerBall>&) {
  for (Ball& ball : balls) change(ball);
}

constexpr std::array oversights = {
    Oversight{"that it may be NaN", in_each_ball<[](Ball& ball) { ball.may_nan = false; }>},
    Oversight{"that it may be infinite", in_each_ball<[](Ball& ball) {
                if (std::isfinite(ball.mid)) ball.may_inf = false;
              }>},
    Oversight{"that an infinity's sign is not known", in_each_ball<[](Ball& ball) {
                if (!std::isfinite(ball.mid)) ball.may_inf = false;
              }>},
    Oversight{"that it is undecided",
              [](DType, std::vector<Ball>& balls, std::vector<IntegerBall>& integers) {
                for (Ball& ball : balls) {
                  if (!ball.decided()) ball = Ball::exact(0);
                }
                for (IntegerBall& integer : integers) integer.undecided = Undecided::No;
              }},
    Oversight{"the upper end", in_each_ball<[](Ball& ball) {
                if (std::isfinite(ball.mid))
                  ball = {ball.mid - ball.radius / 2, ball.radius / 2, ball.may_nan, ball.may_inf, ball.undecided, -1};
              }>},
    Oversight{"the lower end", in_each_ball<[](Ball& ball) {
                if (std::isfinite(ball.mid))
                  ball = {ball.mid + ball.radius / 2, ball.radius / 2, ball.may_nan, ball.may_inf, ball.undecided, -1};
              }>},
    Oversight{"the sign", in_each_ball<[](Ball& ball) { ball.mid = std::fabs(ball.mid); }>},
};

// A mutant is an op whose rule has one oversight. One that says the same of every drawn call as the rule itself is
// none.
TEST(ContainmentMutants, AreCaught) {
  constexpr int wanted = 200;
  constexpr int calls_each = 40;
  std::mt19937_64 random(seed);
  const std::span<const Op> ops = all_ops();
  int mutants = 0;
  int caught = 0;
  std::vector<std::string> missed;
  for (int attempt = 0; mutants < wanted && attempt < 5000; ++attempt) {
    const Op& op = ops[random() % ops.size()];
    const Oversight& oversight = oversights[random() % oversights.size()];
    bool differs = false;
    bool escaped = false;
    for (uint64_t stream = 0; stream < calls_each && !escaped; ++stream) {
      const auto dtype = static_cast<DType>(random() % dtype_count);
      std::optional<AbstractCall> sound = AbstractCall::draw(op, dtype, seed + 1, stream);
      if (!sound || !sound->ask()) continue;
      AbstractCall mutant = *sound;
      if (!mutant.ask(oversight.apply) || mutant.says_the_same(*sound)) continue;
      differs = true;
      ContainmentCounts counts;
      escaped = mutant.check(24, counts).has_value();
    }
    mutants += differs;
    caught += escaped;
    if (differs && !escaped) missed.push_back(std::string(op.name) + " forgets " + std::string(oversight.name));
  }
  EXPECT_EQ(mutants, wanted);
  EXPECT_GE(caught * 100, mutants * 95) << ::testing::PrintToString(missed);
  RecordProperty("caught", caught);
}

}  // namespace
}  // namespace parallax
