// What sorts, pads and triangles give: values that PyTorch returns, inexact elements, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/limits.h"
#include "ops/ranking.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

Argument integer(int64_t x) { return Scalar(x); }
Argument flag(bool x) { return Scalar(x); }

class SortPad : public testing::Test {
 protected:
  ValueId vector(const std::vector<double>& values, DType dtype = DType::F32) {
    return harness_.add(dtype, {static_cast<int64_t>(values.size())}, values);
  }
  // Result k of a call that must succeed, as a value.
  ValueId run(std::string_view op, std::vector<Argument> arguments, std::size_t k = 0) {
    const auto result = harness_.call(op, std::move(arguments));
    EXPECT_TRUE(result) << result.error().text();
    return ValueId(result->index + k);
  }
  std::vector<double> values(ValueId value) const {
    std::vector<double> centres;
    for (int64_t element : elements_of(harness_.meta(value).layout)) {
      centres.push_back(harness_.view_of(value).as_ball(element).mid);
    }
    return centres;
  }
  std::vector<bool> decided(ValueId value) const {
    std::vector<bool> result;
    for (int64_t element : elements_of(harness_.meta(value).layout)) {
      result.push_back(harness_.view_of(value).as_ball(element).decided());
    }
    return result;
  }
  std::string refusal(std::string_view op, std::vector<Argument> arguments) {
    const auto result = harness_.call(op, std::move(arguments));
    EXPECT_FALSE(result);
    return result ? "" : result.error().text();
  }

  OpHarness harness_;
};

TEST_F(SortPad, NanSortsLast) {
  const ValueId x = vector({1, nan, infinity, -2, -infinity});
  EXPECT_THAT(values(run("aten.sort.default", {x})), ElementsAre(-infinity, -2, 1, infinity, IsNan()));
  EXPECT_THAT(values(run("aten.sort.default", {x}, 1)), ElementsAre(4, 3, 0, 2, 1));
  EXPECT_THAT(values(run("aten.sort.default", {x, integer(0), flag(true)}, 1)), ElementsAre(1, 2, 0, 3, 4));
  EXPECT_THAT(values(run("aten.topk.default", {x, integer(2)})), ElementsAre(IsNan(), infinity));
  EXPECT_THAT(values(run("aten.topk.default", {x, integer(2), integer(0), flag(false)})), ElementsAre(-infinity, -2));
}

TEST_F(SortPad, TiesAreOpenUnlessTheSortIsStable) {
  const ValueId x = vector({2, 1, 2, 0}, DType::I64);
  EXPECT_THAT(values(run("aten.sort.default", {x})), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(decided(run("aten.sort.default", {x})), ElementsAre(true, true, true, true));
  EXPECT_THAT(decided(run("aten.sort.default", {x}, 1)), ElementsAre(true, true, false, false));
  const auto stable = [&](bool descending) {
    const auto result =
        harness_.call("aten.argsort.stable", {x}, {{"stable", flag(true)}, {"descending", flag(descending)}});
    return values(*result);
  };
  EXPECT_THAT(stable(false), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(stable(true), ElementsAre(0, 2, 1, 3));
}

TEST_F(SortPad, SortsAlongADim) {
  const ValueId x = harness_.add(DType::F32, {2, 3}, {3, 1, 2, 0, 5, 4});
  EXPECT_THAT(values(run("aten.sort.default", {x})), ElementsAre(1, 2, 3, 0, 4, 5));
  EXPECT_THAT(values(run("aten.msort.default", {x})), ElementsAre(0, 1, 2, 3, 5, 4));
  EXPECT_THAT(values(run("aten.argsort.default", {x, integer(0), flag(true)})), ElementsAre(0, 1, 1, 1, 0, 0));
  EXPECT_THAT(values(run("aten.topk.default", {x, integer(1), integer(0)})), ElementsAre(3, 5, 4));
  EXPECT_THAT(refusal("aten.topk.default", {x, integer(4)}), HasSubstr("k = 4 is out of range"));
  EXPECT_THAT(refusal("aten.topk.default", {vector({1}, DType::Bool), integer(1)}), HasSubstr("bool"));
}

TEST_F(SortPad, ATopkInNoOrderHoldsEachOfItsValues) {
  const ValueId x = vector({3, 1, 5});
  const ValueId top = run("aten.topk.default", {x, integer(2), integer(0), flag(true), flag(false)});
  for (int64_t i : {0, 1}) {
    EXPECT_TRUE(in_ball(DType::F32, harness_.ball(top, i), 3));
    EXPECT_TRUE(in_ball(DType::F32, harness_.ball(top, i), 5));
  }
  EXPECT_THAT(decided(run("aten.topk.default", {x, integer(2), integer(0), flag(true), flag(false)}, 1)),
              ElementsAre(false, false));
}

TEST_F(SortPad, InexactElementsStandWhereTheirIntervalsAreApart) {
  const ValueId x = vector({5, 1, 3, 3});
  harness_.ball(x, 2).radius = 0.5;
  harness_.ball(x, 3).mid = 3.25;
  const ValueId sorted = run("aten.sort.default", {x});
  EXPECT_TRUE(same_ball(harness_.ball(sorted, 0), Ball::exact(1)));
  EXPECT_TRUE(same_ball(harness_.ball(sorted, 3), Ball::exact(5)));
  // The smaller of [2.5, 3.5] and 3.25, and the larger.
  EXPECT_DOUBLE_EQ(harness_.ball(sorted, 1).low(), 2.5);
  EXPECT_DOUBLE_EQ(harness_.ball(sorted, 1).high(), 3.25);
  EXPECT_DOUBLE_EQ(harness_.ball(sorted, 2).low(), 3.25);
  EXPECT_THAT(decided(run("aten.sort.default", {x}, 1)), ElementsAre(true, false, false, true));
  harness_.ball(x, 2) = Ball::unknown(Undecided::Unbounded);
  EXPECT_THAT(decided(run("aten.sort.default", {x})), testing::Each(false));
}

// Whatever the elements are, sorting them puts a member of its ball, and a known position, everywhere.
TEST_F(SortPad, SortedMembersLieInTheSortedBalls) {
  constexpr uint64_t seed = 5;
  std::mt19937_64 random(seed);
  const auto unit = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("seed 5, round " + std::to_string(round));
    std::vector<Ball> line(1 + random() % 7);
    for (Ball& ball : line) {
      ball = Ball::exact(std::round(unit() * 4));
      if (random() % 2) ball.radius = std::fabs(unit());
      ball.may_nan = random() % 10 == 0;
      ball.may_inf = random() % 10 == 0;
      if (random() % 12 == 0) ball = Ball::exact(random() % 2 ? nan : infinity);
    }
    for (Ties ties : {Ties::Open, Ties::Forward, Ties::Backward}) {
      const std::vector<RankedPlace> places = rank(line, ties);
      for (int draw = 0; draw < 30; ++draw) {
        std::vector<std::pair<double, int64_t>> members;
        for (std::size_t i = 0; i < line.size(); ++i) {
          double x = line[i].mid + (line[i].radius == 0 ? 0 : unit() * line[i].radius);
          if (line[i].may_nan && random() % 3 == 0) x = nan;
          if (line[i].may_inf && random() % 3 == 0) x = random() % 2 ? infinity : -infinity;
          members.emplace_back(x, static_cast<int64_t>(i));
        }
        std::sort(members.begin(), members.end(), [&](const auto& a, const auto& b) {
          const auto key = [](double x) { return std::isnan(x) ? std::pair(true, 0.0) : std::pair(false, x); };
          if (key(a.first) != key(b.first)) return key(a.first) < key(b.first);
          return ties == Ties::Backward ? a.second > b.second : a.second < b.second;
        });
        for (std::size_t k = 0; k < members.size(); ++k) {
          EXPECT_TRUE(in_ball(DType::F64, value_at(line, places[k]), members[k].first)) << "place " << k;
          if (places[k].position >= 0) {
            EXPECT_EQ(places[k].position, members[k].second) << "place " << k;
          }
        }
      }
    }
  }
}

TEST_F(SortPad, ConstantPadsAddAndCut) {
  const ValueId x = harness_.add(DType::F32, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(values(run("aten.constant_pad_nd.default", {x, IntList{1, 0}, Scalar(9.0)})),
              ElementsAre(9, 0, 1, 2, 9, 3, 4, 5));
  EXPECT_THAT(values(run("aten.constant_pad_nd.default", {x, IntList{-1, 1, 0, -1}, Scalar(9.0)})),
              ElementsAre(1, 2, 9));
  EXPECT_THAT(values(run("aten.constant_pad_nd.default", {vector({1}, DType::U8), IntList{1, 0}, integer(-1)})),
              ElementsAre(255, 1));
  EXPECT_THAT(refusal("aten.constant_pad_nd.default", {x, IntList{1}}), HasSubstr("pairs"));
  EXPECT_THAT(refusal("aten.constant_pad_nd.default", {x, IntList{-2, -2}}), HasSubstr("no size"));
  EXPECT_THAT(refusal("aten.constant_pad_nd.default", {x, IntList{INT64_MAX, INT64_MAX}}), HasSubstr("no size"));
  // Where nothing is added, the result keeps the strides of what is left.
  const ValueId transposed = harness_.view(x, {{3, 2}, {1, 3}, 0});
  EXPECT_EQ(harness_.meta(run("aten.constant_pad_nd.default", {transposed, IntList{0, 0}})).layout.strides,
            (Dims{1, 3}));
}

TEST_F(SortPad, ReflectsAndRepeatsTheBorder) {
  const ValueId x = harness_.add(DType::F32, {1, 3}, {0, 1, 2});
  EXPECT_THAT(values(run("aten.reflection_pad1d.default", {x, IntList{2, 1}})), ElementsAre(2, 1, 0, 1, 2, 1));
  EXPECT_THAT(values(run("aten.reflection_pad1d.default", {x, IntList{-1, 1}})), ElementsAre(1, 2, 1));
  EXPECT_THAT(values(run("aten.replication_pad1d.default", {x, IntList{2, 1}})), ElementsAre(0, 0, 0, 1, 2, 2));
  EXPECT_THAT(values(run("aten.replication_pad1d.default", {x, IntList{-5, 9}})), testing::Each(2));
  EXPECT_THAT(values(run("aten.replication_pad1d.default", {x, IntList{9, -9}})), testing::Each(0));
  const ValueId image = harness_.add(DType::F32, {1, 2, 2}, {0, 1, 2, 3});
  EXPECT_THAT(values(run("aten.reflection_pad2d.default", {image, IntList{0, 1, 1, 0}})),
              ElementsAre(2, 3, 2, 0, 1, 0, 2, 3, 2));
  EXPECT_THAT(refusal("aten.reflection_pad1d.default", {x, IntList{3, 0}}), HasSubstr("not less"));
  EXPECT_THAT(refusal("aten.reflection_pad2d.default", {x, IntList{0, 0, 0, 0}}), HasSubstr("2 dims"));
}

TEST_F(SortPad, Triangles) {
  const ValueId x = harness_.add(DType::F32, {2, 3}, {1, 2, 3, 4, nan, 6});
  EXPECT_THAT(values(run("aten.tril.default", {x})), ElementsAre(1, 0, 0, 4, IsNan(), 0));
  EXPECT_THAT(values(run("aten.triu.default", {x, integer(1)})), ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(values(run("aten.triu.default", {x, integer(INT64_MIN)})), ElementsAre(1, 2, 3, 4, IsNan(), 6));
  EXPECT_THAT(refusal("aten.tril.default", {vector({1})}), HasSubstr("no matrix"));
  EXPECT_THAT(values(run("aten.tril_indices.default", {integer(3), integer(2)})),
              ElementsAre(0, 1, 1, 2, 2, 0, 0, 1, 0, 1));
  EXPECT_THAT(values(run("aten.triu_indices.default", {integer(2), integer(2), integer(-5)})),
              ElementsAre(0, 0, 1, 1, 0, 1, 0, 1));
  EXPECT_THAT(values(run("aten.eye.m", {integer(2), integer(3)})), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(values(run("aten.diag_embed.default", {vector({1, 2}), integer(1)})),
              ElementsAre(0, 1, 0, 0, 0, 2, 0, 0, 0));
  // An expanded tensor is one row; what clears it and what keeps it disagree.
  const ValueId row = vector({1, 2});
  const ValueId cleared = run("aten.tril_.default", {harness_.view(row, {{2, 2}, {0, 1}, 0})});
  EXPECT_THAT(decided(cleared), ElementsAre(true, false, true, false));
}

TEST_F(SortPad, ResizingShowsTheStorageUnderOtherSizes) {
  const ValueId x = harness_.add(DType::F32, {2, 3}, {0, 1, 2, 3, 4, 5});
  const ValueId transposed = harness_.view(x, {{3, 2}, {1, 3}, 0});
  EXPECT_THAT(values(run("aten.resize_.default", {transposed, IntList{2, 2}})), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(harness_.meta(run("aten.resize_.default", {transposed, IntList{3, 2}})).layout.strides, (Dims{1, 3}));
  const auto grown = harness_.infer("aten.resize_.default", {x, IntList{7}});
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().kind, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace parallax
