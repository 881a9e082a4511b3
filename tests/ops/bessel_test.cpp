// Bessel functions and Airy's: known values, their edges, and that neither what eager returns nor what an
// implementation makes of any value of a ball is outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_bessel.h"
#include "ops/profiles.h"
#include "tests/ops/ball_source.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Real = BallSource::Real;

constexpr uint64_t seed = 20250704;

using Function = Ball (*)(const BallMath& math, const Ball& x);

const Profile& profile() { return *find_profile("eager"); }
Ball at(DType dtype, Function function, double x) { return function(BallMath(dtype, profile()), Ball::exact(x)); }

struct Value {
  const char* name;
  Function function;
  double x;
  double value;  // to 17 digits, by mpmath
};

const std::array values = {
    Value{"j0", ball_bessel_j0, 1, 0.76519768655796655},
    Value{"j0", ball_bessel_j0, 2.5, -0.048383776468197996},
    Value{"j0", ball_bessel_j0, 5.25, -0.093080989639317873},
    Value{"j0", ball_bessel_j0, 30, -0.086367983581040211},
    Value{"j1", ball_bessel_j1, 1, 0.44005058574493352},
    Value{"j1", ball_bessel_j1, 5.25, -0.34501397857943768},
    Value{"y0", ball_bessel_y0, 1, 0.088256964215676958},
    Value{"y0", ball_bessel_y0, 5.25, -0.33477723515498113},
    Value{"y1", ball_bessel_y1, 1, -0.78121282130028872},
    Value{"y1", ball_bessel_y1, 5.25, 0.061861000898943727},
    Value{"k0", ball_bessel_k0, 1, 0.42102443824070833},
    Value{"k0", ball_bessel_k0, 5.25, 0.0028081851095097722},
    Value{"k1", ball_bessel_k1, 1, 0.60190723019723457},
    Value{"k1", ball_bessel_k1, 5.25, 0.0030647951715120243},
    Value{"scaled k0", ball_scaled_bessel_k0, 0.5, 1.5241093857739095},
    Value{"scaled k0", ball_scaled_bessel_k0, 100, 0.12517562165912658},
    Value{"scaled k1", ball_scaled_bessel_k1, 0.5, 2.7310097082117857},
    Value{"scaled k1", ball_scaled_bessel_k1, 100, 0.12579995047957853},
    Value{"Ai", ball_airy_ai, 1, 0.13529241631288142},
    Value{"Ai", ball_airy_ai, -1, 0.53556088329235212},
    Value{"Ai", ball_airy_ai, -2.25, 0.061598658777005278},
    Value{"Ai", ball_airy_ai, -8, -0.052705050356386203},
    Value{"Ai", ball_airy_ai, 8, 4.6922076160992316e-8},
    Value{"spherical j0", ball_spherical_bessel_j0, 1, 0.84147098480789651},
    Value{"spherical j0", ball_spherical_bessel_j0, 7, 0.093855228388398441},
};

TEST(Bessel, Values) {
  for (const Value& test : values) {
    const Ball result = at(DType::F64, test.function, test.x);
    EXPECT_NEAR(result.mid, test.value, 4e-16 * std::fabs(test.value) + 1e-17) << test.name << " of " << test.x;
    EXPECT_LT(result.radius, 1e-5 * std::fabs(test.value) + 6e-6) << test.name << " of " << test.x;
    const Ball narrow = at(DType::F32, test.function, test.x);
    EXPECT_TRUE(in_ball(DType::F32, narrow, round_to(DType::F32, test.value))) << test.name << " of " << test.x;
  }
}

// Eager's approximations in f64 are this far off, and are its own reference.
TEST(Bessel, TakesEagersApproximations) {
  EXPECT_TRUE(in_ball(DType::F64, at(DType::F64, ball_bessel_j0, 5.25), -0.09308124510790798));
  EXPECT_TRUE(in_ball(DType::F64, at(DType::F64, ball_bessel_j1, 5.25), -0.34501412621579314));
  EXPECT_TRUE(in_ball(DType::F64, at(DType::F64, ball_bessel_y0, 5.25), -0.3347771705249751));
  EXPECT_TRUE(in_ball(DType::F64, at(DType::F64, ball_bessel_y1, 5.25), 0.061860417324009744));
  EXPECT_TRUE(in_ball(DType::F64, at(DType::F64, ball_airy_ai, -2.25), 0.06159980873926874));
}

// Away from 5, an error of 40 roundings of 1 or of the result is caught.
TEST(Bessel, FortyRoundingsOffAreCaught) {
  for (const Value& test : values) {
    if (std::fabs(std::fabs(test.x) - 5) < 3.1 || test.x == 30) continue;
    const double wrong = round_to(DType::F32, test.value + 40 * 0x1p-24 * std::max(1.0, std::fabs(test.value)));
    EXPECT_FALSE(in_ball(DType::F32, at(DType::F32, test.function, test.x), wrong)) << test.name << " of " << test.x;
  }
}

TEST(Bessel, Edges) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    for (Function function : {ball_bessel_y0, ball_bessel_y1}) {
      EXPECT_EQ(at(dtype, function, 0).mid, -infinity);
      EXPECT_TRUE(std::isnan(at(dtype, function, -1).mid));
      EXPECT_TRUE(std::isnan(at(dtype, function, -infinity).mid));
    }
    for (Function function : {ball_bessel_k0, ball_bessel_k1, ball_scaled_bessel_k0, ball_scaled_bessel_k1}) {
      EXPECT_EQ(at(dtype, function, 0).mid, infinity);
      EXPECT_TRUE(std::isnan(at(dtype, function, -1).mid));
      EXPECT_TRUE(std::isnan(at(dtype, function, -infinity).mid));
      EXPECT_TRUE(same_ball(at(dtype, function, infinity), Ball::exact(0)));
      EXPECT_TRUE(std::isnan(at(dtype, function, nan).mid));
    }
    for (Function function : {ball_bessel_j0, ball_bessel_j1, ball_bessel_y0, ball_bessel_y1, ball_airy_ai}) {
      EXPECT_TRUE(in_ball(dtype, at(dtype, function, infinity), nan));
      EXPECT_TRUE(in_ball(dtype, at(dtype, function, infinity), 0));
      EXPECT_TRUE(std::isnan(at(dtype, function, nan).mid));
    }
    EXPECT_TRUE(same_ball(at(dtype, ball_spherical_bessel_j0, -infinity), Ball::exact(0)));
    EXPECT_TRUE(same_ball(at(dtype, ball_spherical_bessel_j0, 0), Ball::exact(1)));
    EXPECT_TRUE(same_ball(at(dtype, ball_bessel_j0, 0), Ball::exact(1)));
  }
  // 1 / x is over f32's range for its smallest numbers.
  EXPECT_TRUE(in_ball(DType::F32, at(DType::F32, ball_bessel_k1, 1e-40), infinity));
  // A phase as large as that says nothing but the amplitude.
  const Ball far = at(DType::F32, ball_bessel_j0, 1e30);
  EXPECT_TRUE(far.decided());
  EXPECT_LT(far.radius, 1e-14);
}

TEST(Bessel, HalvesAreRefusedAndIntegersTaken) {
  OpHarness harness;
  for (const char* op : {"aten.special_bessel_j0.default", "aten.special_modified_bessel_i0.default",
                         "aten.special_scaled_modified_bessel_k1.default", "aten.special_airy_ai.default"}) {
    EXPECT_FALSE(harness.infer(op, {harness.add(DType::F16, {2})}));
    EXPECT_FALSE(harness.infer(op, {harness.add(DType::BF16, {2})}));
    const auto result = harness.infer(op, {harness.add(DType::I64, {2})});
    ASSERT_TRUE(result);
    EXPECT_EQ((*result)[0].dtype, DType::F32);
  }
}

struct Sound {
  const char* name;
  Function ball;
  Real (*implementation)(BallSource& source, Real x);
  double low;
  double high;
};

// The standard library's functions, where the ball's own centres come from others.
const std::array sound = {
    Sound{"j0", ball_bessel_j0,
          [](BallSource& s, Real x) { return s.function(std::cyl_bessel_j(Real{0}, std::fabs(x))); }, -40, 40},
    Sound{"j1", ball_bessel_j1,
          [](BallSource& s, Real x) {
            return s.function(std::copysign(Real{1}, x) * std::cyl_bessel_j(Real{1}, std::fabs(x)));
          },
          -40, 40},
    Sound{"y0", ball_bessel_y0, [](BallSource& s, Real x) { return s.function(std::cyl_neumann(Real{0}, x)); }, 0.1,
          40},
    Sound{"y1", ball_bessel_y1, [](BallSource& s, Real x) { return s.function(std::cyl_neumann(Real{1}, x)); }, 0.1,
          40},
    Sound{"k0", ball_bessel_k0, [](BallSource& s, Real x) { return s.function(std::cyl_bessel_k(Real{0}, x)); }, 0.01,
          30},
    Sound{"k1", ball_bessel_k1, [](BallSource& s, Real x) { return s.function(std::cyl_bessel_k(Real{1}, x)); }, 0.01,
          30},
    Sound{"scaled k0", ball_scaled_bessel_k0,
          [](BallSource& s, Real x) { return s.function(std::cyl_bessel_k(Real{0}, x) * std::exp(x)); }, 0.01, 30},
    Sound{"Ai", ball_airy_ai,
          [](BallSource& s, Real x) {
            const Real zeta = 2 * std::fabs(x) * std::sqrt(std::fabs(x)) / 3;
            const Real third = Real{1} / 3;
            const Real pi = std::numbers::pi_v<Real>;
            if (x > 0) return s.function(std::sqrt(x / 3) / pi * std::cyl_bessel_k(third, zeta));
            const Real j = std::cyl_bessel_j(third, zeta);
            const Real y = std::cyl_neumann(third, zeta);
            return s.function(std::sqrt(-x) / 2 * (j - y / std::numbers::sqrt3_v<Real>));
          },
          -20, 10},
    Sound{"spherical j0", ball_spherical_bessel_j0,
          [](BallSource& s, Real x) { return x == 0 ? Real{1} : s.stored(s.function(std::sin(x)) / x); }, -20, 20},
};

TEST(BesselSoundness, InsideTheBall) {
  for (const Sound& test : sound) {
    for (const DType dtype : {DType::F32, DType::F64}) {
      const BallMath math(dtype, profile());
      BallSource source(dtype, seed);
      int decided = 0;
      int outside = 0;
      for (int i = 0; i < 1000; ++i) {
        const double place = (static_cast<double>(source.unit()) + 1) / 2;
        Ball x = Ball::exact(round_to(dtype, test.low + (test.high - test.low) * place));
        if (source.chance(50)) {
          x.radius =
              std::min(std::fabs(x.mid - test.low), 0.5) * std::ldexp(1.0, -static_cast<int>(source.bits() % 24));
        }
        const Ball result = test.ball(math, x);
        decided += result.decided();
        for (int k = 0; k < 4; ++k) {
          const Real member = source.member(x);
          if (member == 0 && test.low < 0 && test.ball == ball_airy_ai) continue;
          if (!inside(result, test.implementation(source, member))) ++outside;
        }
      }
      EXPECT_EQ(outside, 0) << test.name << " into " << name(dtype) << ", seed " << seed;
      EXPECT_GT(decided, 950) << test.name << " into " << name(dtype);
    }
  }
}

}  // namespace
}  // namespace parallax
