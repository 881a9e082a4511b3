// What gathers, scatters and their kin by index give: values that PyTorch returns, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Argument integer(int64_t x) { return Scalar(x); }
Argument text(const char* x) { return std::string(x); }

class IndexFamilies : public testing::Test {
 protected:
  ValueId vector(const std::vector<double>& values, DType dtype = DType::F32) {
    return harness_.add(dtype, {static_cast<int64_t>(values.size())}, values);
  }
  ValueId indices(const std::vector<double>& values) { return vector(values, DType::I64); }
  ValueId matrix() { return harness_.add(DType::F32, {2, 3}, {0, 1, 2, 3, 4, 5}); }

  // The centres of the result's elements; each is exact and decided.
  std::vector<double> values(std::string_view op, std::vector<Argument> arguments,
                             std::vector<std::pair<std::string, Argument>> named = {}) {
    const auto result = harness_.call(op, std::move(arguments), std::move(named));
    if (!result) {
      ADD_FAILURE() << result.error().text();
      return {};
    }
    std::vector<double> centres;
    for (int64_t element : elements_of(harness_.meta(*result).layout)) {
      const Ball ball = harness_.view_of(*result).as_ball(element);
      EXPECT_TRUE(ball.is_exact() || std::isnan(ball.mid));
      centres.push_back(ball.mid);
    }
    return centres;
  }
  // Which elements of the result are not decided, with that reason.
  std::vector<bool> undecided(std::string_view op, std::vector<Argument> arguments, Undecided reason) {
    const auto result = harness_.call(op, std::move(arguments));
    EXPECT_TRUE(result);
    std::vector<bool> open;
    for (int64_t element : elements_of(harness_.meta(*result).layout)) {
      open.push_back(harness_.view_of(*result).as_ball(element).undecided == reason);
    }
    return open;
  }
  std::string refusal(std::string_view op, std::vector<Argument> arguments,
                      std::vector<std::pair<std::string, Argument>> named = {}) {
    const auto result = harness_.call(op, std::move(arguments), std::move(named));
    EXPECT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::EagerRefuses);
    return result.error().text();
  }

  OpHarness harness_;
};

TEST_F(IndexFamilies, ReadsByIndex) {
  const ValueId a = matrix();
  EXPECT_THAT(values("aten.take.default", {a, indices({1, -1})}), ElementsAre(1, 5));
  EXPECT_THAT(values("aten.take_along_dim.default", {a, harness_.add(DType::I64, {1, 2}, {0, -1}), integer(1)}),
              ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(values("aten.take_along_dim.default", {a, indices({0, 5})}), ElementsAre(0, 5));
  // Along a dim an index is taken modulo the size, as eager does.
  EXPECT_THAT(values("aten.take_along_dim.default", {vector({1, 2, 3}), indices({5, -4}), integer(0)}),
              ElementsAre(3, 3));
  EXPECT_THAT(values("aten.embedding.default", {a, harness_.add(DType::I32, {2, 1}, {1, 0})}),
              ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_THAT(values("aten.gather.default", {a, integer(0), harness_.add(DType::I64, {1, 2}, {1, 0})}),
              ElementsAre(3, 1));
  // A 0-d tensor is a vector of one element.
  const ValueId scalar = harness_.add(DType::F32, Dims{}, {7});
  EXPECT_THAT(values("aten.gather.default", {scalar, integer(0), indices({0, 0})}), ElementsAre(7, 7));
  EXPECT_THAT(values("aten.index_select.default", {scalar, integer(0), indices({0})}), ElementsAre(7));
}

TEST_F(IndexFamilies, RefusesIndicesThatEagerRefuses) {
  const ValueId a = matrix();
  EXPECT_THAT(refusal("aten.take.default", {a, indices({6})}), HasSubstr("index 6 is out of range [-6, 6)"));
  EXPECT_THAT(refusal("aten.take_along_dim.default", {a, indices({-1})}), HasSubstr("out of range [0, 6)"));
  EXPECT_THAT(refusal("aten.gather.default", {a, integer(0), harness_.add(DType::I64, {1, 1}, {-1})}),
              HasSubstr("index -1 is out of range [0, 2)"));
  EXPECT_THAT(refusal("aten.embedding.default", {a, indices({2})}), HasSubstr("out of range"));
  EXPECT_THAT(refusal("aten.embedding.default", {vector({1}), indices({0})}), HasSubstr("not a matrix"));
  EXPECT_THAT(refusal("aten.take.default", {a, vector({1}, DType::I32)}), HasSubstr("is not i64"));
  EXPECT_THAT(refusal("aten.scatter.src", {a, integer(0), indices({0}), vector({1})}), HasSubstr("dims"));
  EXPECT_THAT(refusal("aten.index_copy.default", {a, integer(0), vector({0}, DType::I32), matrix()}),
              HasSubstr("is not i64"));
  EXPECT_THAT(refusal("aten.index_add.default", {a, integer(0), indices({0}), matrix()}),
              HasSubstr("1 indices for 2 slices"));
  const ValueId column = harness_.add(DType::F32, {2, 1}, {1, 2});
  EXPECT_THAT(refusal("aten.index_copy.default", {column, integer(1), indices({0}), vector({3, 4})}),
              HasSubstr("a source of 1 dims has no dim 1"));
}

TEST_F(IndexFamilies, Scatters) {
  const ValueId zeros = vector({0, 0, 0});
  EXPECT_THAT(values("aten.scatter.src", {zeros, integer(0), indices({2, 0}), vector({5, 6})}), ElementsAre(6, 0, 5));
  EXPECT_THAT(values("aten.scatter.value", {vector({0, 0}, DType::U8), integer(0), indices({1, 1}), Scalar(2.7)}),
              ElementsAre(0, 2));
  EXPECT_THAT(values("aten.scatter.reduce", {vector({3, 5}), integer(0), indices({0, 0}), vector({4, 10})},
                     {{"reduce", text("multiply")}}),
              ElementsAre(120, 5));
  EXPECT_THAT(values("aten.scatter.value_reduce", {vector({3, 5}), integer(0), indices({0, 0}), Scalar(2.5)},
                     {{"reduce", text("add")}}),
              ElementsAre(8, 5));
  EXPECT_THAT(values("aten.scatter_add.default", {vector({1, 2}), integer(0), indices({1, 1, 1}), vector({1, 2, 3})}),
              ElementsAre(1, 8));
  // Equal numbers that meet agree; others depend on the order.
  EXPECT_THAT(values("aten.scatter.src", {zeros, integer(0), indices({1, 1}), vector({5, 5})}), ElementsAre(0, 5, 0));
  EXPECT_THAT(
      undecided("aten.scatter.src", {zeros, integer(0), indices({1, 1}), vector({5, 6})}, Undecided::DuplicateIndex),
      ElementsAre(false, true, false));
  // A number that the dtype does not hold is still one number.
  EXPECT_THAT(
      undecided("aten.scatter.value", {zeros, integer(0), indices({1, 1}), Scalar(0.1)}, Undecided::DuplicateIndex),
      ElementsAre(false, false, false));
  EXPECT_THAT(values("aten.scatter.src", {zeros, integer(0), indices({}), vector({})}), ElementsAre(0, 0, 0));
  EXPECT_THAT(refusal("aten.scatter.reduce", {zeros, integer(0), indices({0}), vector({1})}, {{"reduce", text("sum")}}),
              HasSubstr("neither 'add' nor 'multiply'"));
  EXPECT_THAT(refusal("aten.scatter.value", {vector({0}, DType::U8), integer(0), indices({0}), Scalar(300.0)}),
              HasSubstr("does not fit"));
}

std::vector<std::pair<std::string, Argument>> without_self() { return {{"include_self", Scalar(false)}}; }

TEST_F(IndexFamilies, ScatterReducesWithAndWithoutSelf) {
  const ValueId where = indices({0, 0, 1, 2, 2});
  const ValueId self = vector({3, 5, 7, 2}, DType::I8);
  const ValueId source = vector({4, 100, 0, -9, 2}, DType::I8);
  const auto reduce = [&](const char* how, std::vector<std::pair<std::string, Argument>> named) {
    return values("aten.scatter_reduce.two", {self, integer(0), where, source, text(how)}, std::move(named));
  };
  EXPECT_THAT(reduce("sum", {}), ElementsAre(107, 5, 0, 2));
  EXPECT_THAT(reduce("sum", without_self()), ElementsAre(104, 0, -7, 2));
  EXPECT_THAT(reduce("prod", {}), ElementsAre(-80, 0, -126, 2));  // wraps
  EXPECT_THAT(reduce("prod", without_self()), ElementsAre(-112, 0, -18, 2));
  EXPECT_THAT(reduce("mean", {}), ElementsAre(35, 2, 0, 2));
  EXPECT_THAT(reduce("mean", without_self()), ElementsAre(52, 0, -4, 2));  // rounds down
  EXPECT_THAT(reduce("amax", {}), ElementsAre(100, 5, 7, 2));
  EXPECT_THAT(reduce("amin", without_self()), ElementsAre(4, 0, -9, 2));
}

TEST_F(IndexFamilies, ScatterReducesNanAndInfinities) {
  const ValueId self = vector({nan, 1, -infinity, 2});
  const ValueId where = indices({0, 1, 2, 3, 3});
  const ValueId source = vector({1, nan, infinity, infinity, -infinity});
  const auto reduce = [&](const char* how, std::vector<std::pair<std::string, Argument>> named) {
    return values("aten.scatter_reduce.two", {self, integer(0), where, source, text(how)}, std::move(named));
  };
  using testing::IsNan;
  EXPECT_THAT(reduce("sum", {}), ElementsAre(IsNan(), IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(reduce("prod", without_self()), ElementsAre(1, IsNan(), infinity, -infinity));
  EXPECT_THAT(reduce("amax", {}), ElementsAre(IsNan(), IsNan(), infinity, infinity));
  EXPECT_THAT(reduce("amin", without_self()), ElementsAre(1, IsNan(), infinity, -infinity));
}

TEST_F(IndexFamilies, AMeanOfBoolIsRefused) {
  const ValueId self = vector({1}, DType::Bool);
  EXPECT_THAT(refusal("aten.scatter_reduce.two", {self, integer(0), indices({0}), self, text("mean")}),
              HasSubstr("bool has no mean"));
  EXPECT_THAT(refusal("aten.index_reduce.default", {self, integer(0), indices({0}), self, text("prod")}),
              HasSubstr("does not take bool"));
}

// Eager counts i8 elements in i8.
TEST_F(IndexFamilies, ACountOfAMeanWraps) {
  const ValueId self = vector({0}, DType::I8);
  const auto mean = [&](std::size_t count) {
    return values("aten.scatter_reduce.two", {self, integer(0), indices(std::vector<double>(count, 0)),
                                              vector(std::vector<double>(count, 1), DType::I8), text("mean")});
  };
  EXPECT_THAT(mean(255), ElementsAre(-1));
  EXPECT_THAT(mean(130), ElementsAre(1));
}

TEST_F(IndexFamilies, WritesAtAVectorOfIndices) {
  const ValueId a = matrix();
  EXPECT_THAT(values("aten.index_add.default", {a, integer(0), indices({0, 0}), a}, {{"alpha", Scalar(2.5)}}),
              ElementsAre(7.5, 13.5, 19.5, 3, 4, 5));
  EXPECT_THAT(values("aten.index_add.default",
                     {vector({0, 1}, DType::I64), integer(0), indices({1, 1}), vector({2, 3}, DType::I64)},
                     {{"alpha", Scalar(2.5)}}),
              ElementsAre(0, 11));
  EXPECT_THAT(
      values("aten.index_copy.default", {a, integer(1), indices({2}), harness_.add(DType::F32, {2, 1}, {8, 9})}),
      ElementsAre(0, 1, 8, 3, 4, 9));
  EXPECT_THAT(values("aten.index_fill.int_Scalar", {a, integer(0), indices({-1}), integer(7)}),
              ElementsAre(0, 1, 2, 7, 7, 7));
  EXPECT_THAT(values("aten.index_fill.int_Tensor",
                     {vector({0, 1}, DType::I64), integer(0), indices({0}), harness_.add(DType::F32, Dims{}, {7.5})}),
              ElementsAre(7, 1));
  EXPECT_THAT(values("aten.index_reduce.default", {vector({-3, -4}, DType::I64), integer(0), indices({0, 0}),
                                                   vector({-1, -1}, DType::I64), text("mean")}),
              ElementsAre(-2, -4));
  EXPECT_THAT(values("aten.put.default", {a, indices({1, -1}), vector({7, 8})}), ElementsAre(0, 7, 2, 3, 4, 8));
  EXPECT_THAT(values("aten.put.default", {a, indices({1, 1}), vector({7, 8}), Scalar(true)}),
              ElementsAre(0, 16, 2, 3, 4, 5));
  EXPECT_THAT(undecided("aten.index_copy.default", {vector({0, 0}), integer(0), indices({1, 1}), vector({1, 2})},
                        Undecided::DuplicateIndex),
              ElementsAre(false, true));
}

TEST_F(IndexFamilies, FillsAnExpandedTensorInPlace) {
  const ValueId base = vector({1, 2, 3});
  const ValueId expanded = harness_.view(base, {{2, 3}, {0, 1}, 0});
  EXPECT_THAT(values("aten.index_fill_.int_Scalar", {expanded, integer(0), indices({0}), integer(7)}),
              ElementsAre(7, 7, 7, 7, 7, 7));
  EXPECT_THAT(refusal("aten.index_add_.default",
                      {expanded, integer(0), indices({0}), harness_.add(DType::F32, {1, 3}, {1, 1, 1})}),
              HasSubstr("expanded"));
}

TEST_F(IndexFamilies, OperandsLieApartFromWhatIsWritten) {
  const ValueId self = vector({0, 1, 2}, DType::I64);
  EXPECT_THAT(refusal("aten.scatter_.src", {self, integer(0), self, vector({1, 2, 3}, DType::I64)}),
              HasSubstr("the written tensor itself"));
  EXPECT_THAT(refusal("aten.index_add_.default", {self, integer(0), indices({0, 0, 0}), self}),
              HasSubstr("the written tensor itself"));
}

TEST_F(IndexFamilies, PutsThroughMasks) {
  const ValueId a = matrix();
  const ValueId mask = harness_.add(DType::Bool, {2, 3}, {1, 0, 1, 0, 1, 0});
  const ValueId row = harness_.add(DType::Bool, {3}, {1, 0, 1});
  EXPECT_THAT(values("aten.index_put.default", {a, ValueList{mask}, vector({7, 8, 9})}), ElementsAre(7, 1, 8, 3, 9, 5));
  EXPECT_THAT(values("aten.index_put.default", {a, ValueList{ValueId(), row}, vector({7, 8})}),
              ElementsAre(7, 1, 8, 7, 4, 8));
  const ValueId first = harness_.add(DType::Bool, {2}, {1, 0});
  EXPECT_THAT(values("aten.index_put.default", {a, ValueList{first, indices({2})}, vector({7})}),
              ElementsAre(0, 1, 7, 3, 4, 5));
  EXPECT_THAT(refusal("aten.index_put.default", {a, ValueList{mask}, vector({7, 8})}), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("aten.index_put.default", {a, ValueList{row}, vector({7})}), HasSubstr("mask's shape"));
  harness_.integer(mask, 0).undecided = Undecided::InexactCompare;
  EXPECT_THAT(undecided("aten.index_put.default", {a, ValueList{mask}, vector({7})}, Undecided::InexactCompare),
              testing::Each(true));
}

TEST_F(IndexFamilies, MaskedScatterTakesTheSourceInOrder) {
  const ValueId a = matrix();
  const ValueId mask = harness_.add(DType::Bool, {2, 3}, {1, 0, 1, 0, 1, 0});
  EXPECT_THAT(values("aten.masked_scatter.default", {a, mask, vector({7, 8, 9, 10})}), ElementsAre(7, 1, 8, 3, 9, 5));
  EXPECT_THAT(refusal("aten.masked_scatter.default", {a, mask, vector({7, 8})}), HasSubstr("more than"));
  harness_.integer(mask, 2).undecided = Undecided::InexactCompare;
  EXPECT_THAT(undecided("aten.masked_scatter.default", {a, mask, vector({7, 8, 9})}, Undecided::InexactCompare),
              ElementsAre(false, false, true, false, true, false));
  const auto aliased = harness_.infer("aten.masked_scatter_.default", {a, mask, a});
  ASSERT_FALSE(aliased);
  EXPECT_EQ(aliased.error().kind, ErrorKind::Unsupported);
}

TEST_F(IndexFamilies, NonzeroFillsUpOrCutsOff) {
  const ValueId a = harness_.add(DType::F32, {2, 2}, {1, 0, 2, nan});
  EXPECT_THAT(values("aten.nonzero_static.default", {a}, {{"size", integer(2)}}), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(values("aten.nonzero_static.default", {a}, {{"size", integer(4)}, {"fill_value", integer(7)}}),
              ElementsAre(0, 0, 1, 0, 1, 1, 7, 7));
}

TEST_F(IndexFamilies, RepeatsElements) {
  EXPECT_THAT(values("aten.repeat_interleave.Tensor", {indices({0, 2, 1})}, {{"output_size", integer(3)}}),
              ElementsAre(1, 1, 2));
  EXPECT_THAT(refusal("aten.repeat_interleave.Tensor", {indices({0, 2, 1})}, {{"output_size", integer(4)}}),
              HasSubstr("there are 3 and not 4"));
  EXPECT_THAT(values("aten.repeat_interleave.self_int", {matrix(), integer(2), integer(0)}),
              ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_THAT(values("aten.repeat_interleave.self_int", {vector({1, 2}), integer(2)}), ElementsAre(1, 1, 2, 2));
  const auto unknown = harness_.infer("aten.repeat_interleave.Tensor", {indices({1})});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Unsupported);
}

TEST_F(IndexFamilies, SearchesSortedSequences) {
  const ValueId sorted = vector({1, 3, 3, 5});
  const ValueId wanted = vector({0, 1, 3, 4, 6, nan});
  EXPECT_THAT(values("aten.searchsorted.Tensor", {sorted, wanted}), ElementsAre(0, 0, 1, 3, 4, 4));
  EXPECT_THAT(values("aten.searchsorted.Tensor", {sorted, wanted}, {{"right", Scalar(true)}}),
              ElementsAre(0, 1, 3, 3, 4, 4));
  EXPECT_THAT(values("aten.bucketize.Tensor", {vector({3, nan}), sorted}), ElementsAre(1, 4));
  EXPECT_THAT(values("aten.searchsorted.Scalar", {vector({1, 3}, DType::I64), Scalar(2.5)}), ElementsAre(1));
  // A number may be rounded to the sequence's dtype first, or not.
  EXPECT_THAT(undecided("aten.searchsorted.Scalar", {sorted, Scalar(3.00000001)}, Undecided::InexactCompare),
              ElementsAre(true));
  EXPECT_THAT(values("aten.searchsorted.Tensor", {vector({5, 1, 3}), vector({2, 4})}, {{"sorter", indices({1, 2, 0})}}),
              ElementsAre(1, 2));
  EXPECT_THAT(refusal("aten.searchsorted.Tensor", {sorted, wanted}, {{"side", text("left")}, {"right", Scalar(true)}}),
              HasSubstr("side is 'left' and right is true"));
  // Where the sequence is not sorted, or the value is inexact across an element, bisections differ.
  EXPECT_THAT(undecided("aten.searchsorted.Tensor", {vector({3, 1, 5}), vector({2, 9})}, Undecided::InexactCompare),
              ElementsAre(true, false));
  harness_.ball(wanted, 2) = {3, 0.5, false, false, Undecided::No};
  harness_.ball(wanted, 3) = {4, 0.5, false, false, Undecided::No};
  EXPECT_THAT(undecided("aten.searchsorted.Tensor", {sorted, wanted}, Undecided::InexactCompare),
              ElementsAre(false, false, true, false, false, false));
}

}  // namespace
}  // namespace parallax
