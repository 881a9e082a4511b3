// Cast elision: what comes from halves alone may be kept as one, and nothing else is widened.
#include "oracle/cast_elision.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

// out = (a cast to f32) * b, with a in f16 and b in the dtype given, and what is said of it.
Ball product(DType second, const char* profile) {
  GraphBuilder builder;
  const ValueId a = *builder.add_source(SourceKind::Input, "a", DType::F16, contiguous_layout({1}));
  const ValueId b = *builder.add_source(SourceKind::Input, "b", second, contiguous_layout({1}));
  const auto cast = [&](ValueId x, const char* name) {
    return *builder.call("aten._to_copy.default", {x}, name, {{"dtype", DType::F32}});
  };
  const ValueId wide = cast(a, "wide");
  const ValueId other = second == DType::F32 ? b : cast(b, "other");
  builder.add_output(*builder.call("aten.mul.Tensor", {wide, other}, "out"));
  const Graph graph = builder.take();
  Tensor first(DType::F16, {1});
  first.set_double(0, 1.0009765625);  // 1 + 2^-10: its square needs 21 bits
  Tensor last(second, {1});
  last.set_double(0, 1.0009765625);
  const auto expected = Interpreter(graph, *find_profile(profile)).run(std::vector{first, last});
  return expected->outputs[0].balls[0];
}

TEST(CastElision, AProductOfHalvesMayBeAHalf) {
  EXPECT_TRUE(product(DType::F16, "eager").is_exact()) << "f32 holds the product";
  const Ball elided = product(DType::F16, "recorded");
  EXPECT_GE(elided.radius, 0x1p-20);
  EXPECT_LE(elided.radius, 0x1p-10);
}

TEST(CastElision, AProductWithWhatIsNoHalfIsNot) { EXPECT_TRUE(product(DType::F32, "recorded").is_exact()); }

}  // namespace
}  // namespace parallax
