// Grades: what weighs more comes first, and tolerances are those of torch.testing.assert_close.
#include "corpus/grade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "corpus/juror.h"

namespace parallax {
namespace {

TEST(Grade, FollowsFromVerdictEdgeAndTolerances) {
  EXPECT_EQ(grade_of({Verdict::Mismatch, false, false}), Grade::Gross);
  EXPECT_EQ(grade_of({Verdict::Nondeterministic, false, false}), Grade::Gross);
  EXPECT_EQ(grade_of({Verdict::Mismatch, false, true}), Grade::InsideTolerances);
  EXPECT_EQ(grade_of({Verdict::Mismatch, true, false}), Grade::Edge);
  EXPECT_EQ(grade_of({Verdict::InternalError, false, false}), Grade::Refusal);
  EXPECT_EQ(grade_of({Verdict::InternalError, true, false}), Grade::Edge);
  EXPECT_EQ(grade_of({Verdict::Crash, true, false}), Grade::Crash);
  EXPECT_EQ(grade_of({Verdict::Hang, false, false}), Grade::Crash);
}

TEST(Grade, HasANameThatIsReadBack) {
  for (const Grade grade : grades) EXPECT_EQ(parse_grade(name(grade)), grade);
  EXPECT_FALSE(parse_grade("fair"));
}

TEST(Tolerances, AreThoseOfAssertClose) {
  const Tolerances f32 = default_tolerances(DType::F32);
  EXPECT_TRUE(f32.accept(1 + 1.1e-5, 1));
  EXPECT_FALSE(f32.accept(1 + 1.2e-5, 1));
  EXPECT_TRUE(f32.accept(1e6 + 1.2, 1e6));
  EXPECT_FALSE(f32.accept(1e6 + 1.4, 1e6));
  EXPECT_TRUE(f32.accept(nan, nan));
  EXPECT_TRUE(f32.accept(infinity, infinity));
  EXPECT_FALSE(f32.accept(-infinity, infinity));
  EXPECT_FALSE(f32.accept(infinity, 1));
  EXPECT_TRUE(default_tolerances(DType::BF16).accept(1.016, 1));
  EXPECT_FALSE(default_tolerances(DType::F64).accept(1 + 3e-7, 1));
  EXPECT_FALSE(default_tolerances(DType::I32).accept(3, 2));
}

TEST(NumericError, IsInUnitsInTheLastPlaceOfTheReference) {
  EXPECT_DOUBLE_EQ(error_of(1 + std::ldexp(1.0, -23), 1, DType::F32).ulps, 1);
  EXPECT_DOUBLE_EQ(error_of(1 + std::ldexp(1.0, -10), 1, DType::F16).ulps, 1);
  EXPECT_DOUBLE_EQ(error_of(std::ldexp(3.0, -149), 0, DType::F32).ulps, 3);
  EXPECT_EQ(error_of(5, 2, DType::I64).ulps, 3);
  EXPECT_EQ(error_of(nan, 1, DType::F32).ulps, infinity);
  EXPECT_EQ(error_of(nan, nan, DType::F32).ulps, 0);
}

TEST(Confirmation, OneContradictionOutweighsTheRest) {
  const JurorAnswer agrees{"a", Answer::Agrees, ""};
  const JurorAnswer contradicts{"b", Answer::Contradicts, ""};
  const JurorAnswer silent{"c", Answer::NotAsked, ""};
  using Jury = std::vector<JurorAnswer>;
  EXPECT_EQ(confirmation_of(Jury{}), Confirmation::NotAsked);
  EXPECT_EQ(confirmation_of(Jury{silent}), Confirmation::ByProof);
  EXPECT_EQ(confirmation_of(Jury{silent, agrees}), Confirmation::Confirmed);
  EXPECT_EQ(confirmation_of(Jury{agrees, contradicts, agrees}), Confirmation::Unconfirmed);
}

}  // namespace
}  // namespace parallax
