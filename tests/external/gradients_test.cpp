// Gradients are judged where two independent opinions agree on them.
#include "backends/gradients.h"

#include <gtest/gtest.h>

#include <limits>

#include "fuzz/generate/draw_gradient.h"
#include "graph/case_json.h"
#include "graph/sketch.h"

namespace parallax {
namespace {

Case parse(const std::string& nodes, const std::string& output, const std::string& feed = "[0.5,1]") {
  auto test = parse_case(
      R"({"parallax":1,"name":"g","requires":["grad"],"graph":{"inputs":{"x":{"type":"f32[2]"}},"nodes":[)" + nodes +
      R"(],"outputs":["%)" + output + R"("]},"feed":{"x":)" + feed + R"(},"grad":{"wrt":["x"],"cotangents":[[1,3]]}})");
  if (!test) throw std::runtime_error(test.error().text());
  return *std::move(test);
}

// y = x * x; y.sin_(); z = x * y
const std::string in_place =
    R"({"op":"aten.mul.Tensor","args":["%x","%x"],"out":"y"},{"op":"aten.sin_.default","args":["%y"],"out":"s"},
       {"op":"aten.mul.Tensor","args":["%x","%s"],"out":"z"})";
// sin(x²) + 2x² cos(x²), times the cotangent
const std::vector<double> in_place_gradient = {0.7318601703010675, 5.766226789569};

Tensor tensor(DType dtype, const std::vector<double>& values) {
  Tensor made(dtype, {static_cast<int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) made.set_double(static_cast<int64_t>(i), values[i]);
  return made;
}

Judgement judged(const Case& test, const std::vector<double>& got, const std::vector<double>& reference,
                 const std::vector<double>& eager) {
  Outcome outcome;
  outcome.gradients = {tensor(DType::F32, got)};
  outcome.eager_gradients = {tensor(DType::F32, eager)};
  outcome.reference_gradients = {tensor(DType::F64, reference)};
  Judgement judgement;
  judge_gradients(test, outcome, judgement);
  return judgement;
}
Judgement judged(const Case& test, const std::vector<double>& got, const std::vector<double>& reference) {
  return judged(test, got, reference, reference);
}

TEST(Gradients, CentralDifferencesSeeThroughWritesInPlace) {
  const auto gradients = central_differences(parse(in_place, "z"));
  ASSERT_TRUE(gradients);
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(gradients->at(0).get_double(i), in_place_gradient[static_cast<std::size_t>(i)], 1e-6);
  }
}

TEST(Gradients, AWrongOneIsAMismatchAndARoundedOneIsNot) {
  const Case test = parse(in_place, "z");
  const std::vector<double>& right = in_place_gradient;
  EXPECT_EQ(judged(test, right, right).verdict, Verdict::Match);
  EXPECT_EQ(judged(test, {right[0] + 1e-5, right[1]}, right).verdict, Verdict::Match);
  const Judgement wrong = judged(test, {right[0], 0.9 * right[1]}, right);
  EXPECT_EQ(wrong.verdict, Verdict::Mismatch);
  EXPECT_EQ(wrong.divergence->place, (Place{PlaceKind::Gradient, 0, "x"}));
  EXPECT_EQ(wrong.divergence->element, 1);
}

TEST(Gradients, NothingIsSaidWhereEagerItselfIsFarOff) {
  const Case test = parse(in_place, "z");
  const std::vector<double>& right = in_place_gradient;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judged(test, {right[0], 0}, right, {right[0], infinity}).verdict, Verdict::Undecided);
  EXPECT_EQ(judged(test, {0, right[1]}, right, {right[0], infinity}).verdict, Verdict::Mismatch);
}

TEST(Gradients, TheCoarsestDtypeOfTheGraphIsWhatRounds) {
  const Case test = parse(R"({"op":"aten.tanh.default","args":["%x"],"out":"y"},
                             {"op":"aten._to_copy.default","args":["%y"],"kwargs":{"dtype":"f16"},"out":"h"},
                             {"op":"aten._to_copy.default","args":["%y"],"out":"z"})",
                          "z");
  const std::vector<double> right = {0.7864477329659274, 1.2599230248420783};  // 1 - tanh(x)², times the cotangent
  EXPECT_EQ(judged(test, {right[0] + 0.1, right[1]}, right).verdict, Verdict::Match);
  EXPECT_EQ(judged(test, {right[0] + 0.7, right[1]}, right).verdict, Verdict::Mismatch);
}

TEST(Gradients, NothingIsSaidWhereTheReferenceAndTheDifferencesDisagree) {
  const Case test = parse(in_place, "z");
  EXPECT_EQ(judged(test, {0, 0}, {1, 1}).verdict, Verdict::Undecided);
  // A kink: the differences of |x| at 0 are 0, autograd's convention may be anything.
  const Case kink = parse(R"({"op":"aten.abs.default","args":["%x"],"out":"y"})", "y", "[0,1]");
  EXPECT_EQ(judged(kink, {-1, 3}, {1, 3}).verdict, Verdict::Undecided);
}

TEST(Gradients, ARequestIsWrittenAndReadAndFollowsARebuild) {
  const Case test = parse(in_place, "z");
  const auto again = parse_case(to_json(test));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->gradient->wrt, test.gradient->wrt);
  EXPECT_EQ(again->gradient->cotangents, test.gradient->cotangents);
  Sketch sketch = take_apart(test);
  sketch.outputs = {sketch.nodes[1].results[0]};  // no cotangent is known for it
  EXPECT_FALSE(put_together(sketch, test)->gradient);
  EXPECT_EQ(without_dead_nodes(test).gradient->wrt, test.gradient->wrt);
}

TEST(Gradients, OnlyWhatCanBeDifferentiatedIsAskedFor) {
  Case test = parse(
      R"({"op":"aten.gt.Scalar","args":["%x",0],"out":"y"},{"op":"aten.mul.Tensor","args":["%x","%y"],"out":"z"})",
      "z");
  test.gradient.reset();
  Choices choices(1, 1);
  draw_gradient(choices, test);
  ASSERT_TRUE(test.gradient);
  EXPECT_EQ(test.gradient->wrt, (std::vector<std::string>{"x"}));
  EXPECT_TRUE(parse_case(to_json(test)));
}

}  // namespace
}  // namespace parallax
