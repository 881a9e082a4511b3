#include "core/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/choices.h"
#include "core/limits.h"

namespace parallax {
namespace {

TEST(DType, NamesReadBack) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(name(dtype)), dtype);
  }
  EXPECT_FALSE(parse_dtype("f8"));
}

TEST(DType, PromotionIsTorchPromoteTypes) {
  struct Row {
    DType a, b, result;
  };
  // Facts of torch.promote_types.
  const Row rows[] = {
      {DType::U8, DType::I8, DType::I16},   {DType::F16, DType::BF16, DType::F32}, {DType::I32, DType::F16, DType::F16},
      {DType::Bool, DType::U8, DType::U8},  {DType::I64, DType::F32, DType::F32},  {DType::U8, DType::I32, DType::I32},
      {DType::F32, DType::F64, DType::F64}, {DType::I8, DType::I16, DType::I16},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(promote(row.a, row.b), row.result) << name(row.a) << " " << name(row.b);
    EXPECT_EQ(promote(row.b, row.a), row.result) << name(row.b) << " " << name(row.a);
  }
}

TEST(DType, HalfRoundsToNearestEvenAndOverflows) {
  struct Row {
    double x, f16, bf16;
  };
  const Row rows[] = {
      {1 + 0x1p-11, 1, 1},  // a tie in f16: to even
      {1 + 3 * 0x1p-11, 1 + 0x1p-9, 1},
      {65504, 65504, 65536},
      {65519.99, 65504, 65536},
      {65520, infinity, 65536},  // half way to 65536, to even: inf
      {0x1p-25, 0, 0x1p-25},     // half the smallest subnormal ties to 0
      {0x1.8p-25, 0x1p-24, 0x1.8p-25},
      {-infinity, -infinity, -infinity},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(round_to(DType::F16, row.x), row.f16) << row.x;
    EXPECT_EQ(round_to(DType::BF16, row.x), row.bf16) << row.x;
  }
}

TEST(DType, EveryHalfPatternReadsBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float half = f16_to_float(pattern);
    if (!std::isnan(half)) {
      EXPECT_EQ(double_to_f16(static_cast<double>(half)), pattern);
    }
    const float brain = bf16_to_float(pattern);
    if (!std::isnan(brain)) {
      EXPECT_EQ(double_to_bf16(static_cast<double>(brain)), pattern);
    }
  }
}

TEST(DType, HalfRoundingAgreesWithTheCompilersOwn) {
  const uint64_t seed = 20260101;
  Choices choices(seed, 0);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(static_cast<double>(choices.between(-(1 << 20), 1 << 20)),
                                static_cast<int>(choices.between(-45, 0)));
    EXPECT_EQ(round_to(DType::F16, x), static_cast<double>(static_cast<_Float16>(x))) << "seed " << seed << " x " << x;
  }
}

TEST(DType, NeighboursAreAdjacent) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    for (double x : {0.0, 1.0, -1.0, 0.5, 2.0, -2.0, info(dtype).smallest_normal, -info(dtype).smallest_normal,
                     info(dtype).smallest_subnormal}) {
      const double up = next_up(dtype, x);
      EXPECT_GT(up, x) << name(dtype) << " " << x;
      EXPECT_EQ(next_down(dtype, up), x) << name(dtype) << " " << x;
      EXPECT_EQ(round_to(dtype, up), up) << name(dtype) << " " << x;
      const double middle = x + (up - x) / 2;
      if (middle != x && middle != up) {
        EXPECT_TRUE(round_to(dtype, middle) == x || round_to(dtype, middle) == up);
      }
    }
    EXPECT_EQ(next_up(dtype, info(dtype).max_finite), infinity);
    EXPECT_EQ(next_down(dtype, infinity), info(dtype).max_finite);
  }
}

TEST(DType, IntegersWrap) {
  EXPECT_EQ(wrap_to(DType::I8, 128), -128);
  EXPECT_EQ(wrap_to(DType::U8, -1), 255);
  EXPECT_EQ(wrap_to(DType::Bool, 7), 1);
  EXPECT_EQ(wrap_to(DType::I32, int64_t{1} << 31), -(int64_t{1} << 31));
}

}  // namespace
}  // namespace parallax
