// Value errors: a wrong operation is where the target's values part from eager's; rounding alone parts them nowhere.
#include "fuzz/findings/value_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backends/open_target.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"
#include "oracle/legal_run.h"
#include "tests/support/computed.h"

namespace parallax {
namespace {

// Computes as eager does, but each sine is off by a factor.
class WrongSine : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *find_profile("eager"); }
  Outcome run(const Case& test, const std::vector<Tensor>*) override {
    Outcome outcome;
    LegalRun eager(test.graph, LegalRun::rounded());
    Interpreter interpreter(test.graph, profile());
    const auto expected = interpreter.run(test.feed, [&](NodeId id, std::span<const BallView> values) {
      eager.decide(id, values);
      const Node& node = test.graph.node(id);
      if (node.op->name != "aten.sin.default") return;
      const BallView& view = values[node.results[0].index];
      for_each_element(view.layout, [&](int64_t element) {
        Ball& ball = view.ball(element);
        ball = Ball::exact(round_to(view.dtype, ball.mid * (1 + 1e-3)));
      });
    });
    if (expected) outcome.a = testing::observation_of(*expected);
    return outcome;
  }

 private:
  std::string name_ = "wrong sine";
};

Case waves() {
  return *parse_case(R"({"parallax": 1, "name": "waves", "graph": {"inputs": {"x": {"type": "f32[4]"}}, "nodes": [
      {"out": "a", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "b", "op": "aten.sin.default", "args": ["%a"]},
      {"out": "c", "op": "aten.tanh.default", "args": ["%b"]}],
      "outputs": ["%c"]}, "feed": {"x": [0.1, 0.2, 0.3, 0.4]}})");
}

TEST(ValueErrors, PartWhereTheTargetIsWrong) {
  WrongSine target;
  const auto errors = value_errors(target, nullptr, waves());
  ASSERT_TRUE(errors);
  ASSERT_EQ(errors->rows.size(), 3U);
  const ValueError& before = errors->rows[0];
  const ValueError& wrong = errors->rows[1];
  const ValueError& after = errors->rows[2];
  EXPECT_EQ(before.target, before.eager) << "nothing is wrong yet";
  EXPECT_LE(*before.target, 0.5);
  EXPECT_EQ(wrong.name, "b");
  EXPECT_EQ(wrong.type, "f32[4]");
  // 1e-3 relative is between 2^13 and 2^14 units in the last place of f32.
  EXPECT_GT(*wrong.target, 8000);
  EXPECT_LT(*wrong.target, 17000);
  EXPECT_LE(*wrong.eager, 4);
  EXPECT_GT(*after.target, 100) << "the error goes on";
  EXPECT_LE(*after.eager, 4);
  EXPECT_FALSE(errors->vanished);
}

TEST(ValueErrors, OfARightTargetAreThoseOfRounding) {
  const auto target = open_target("portable", {});
  ASSERT_TRUE(target);
  const auto errors = value_errors(**target, nullptr, waves());
  ASSERT_TRUE(errors);
  for (const ValueError& row : errors->rows) {
    ASSERT_TRUE(row.target && row.eager) << row.name;
    EXPECT_LE(error_class(*row.target), 1) << row.name << ": " << *row.target;
  }
}

// A write in place is held where it was made, before later writes.
TEST(ValueErrors, AWrittenValueIsTakenAtOnce) {
  const Case test =
      *parse_case(R"({"parallax": 1, "name": "w", "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.neg_.default", "args": ["%x"]},
      {"out": "b", "op": "aten.exp_.default", "args": ["%a"]}],
      "outputs": ["%b"]}, "feed": {"x": [1, 2]}})");
  const auto target = open_target("portable", {});
  ASSERT_TRUE(target);
  const auto errors = value_errors(**target, nullptr, test);
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->rows[0].held, "[-1, -2]");
  EXPECT_EQ(errors->rows[0].target, 0);
}

TEST(ValueErrors, HaveSixClasses) {
  EXPECT_EQ(error_class(0.5), 0);
  EXPECT_EQ(error_class(2), 1);
  EXPECT_EQ(error_class(17), 2);
  EXPECT_EQ(error_class(300), 3);
  EXPECT_EQ(error_class(1e9), 4);
  EXPECT_EQ(error_class(std::nan("")), 5);
  EXPECT_EQ(ulps_text(std::nullopt), "–");
  EXPECT_EQ(ulps_text(1234567.0), "1.2e+06 ulp");
  EXPECT_EQ(ulps_text(7.14e44), "no digit right");
  EXPECT_EQ(ulps_text(std::numeric_limits<double>::infinity()), "NaN or infinity");
}

}  // namespace
}  // namespace parallax
