#include <gtest/gtest.h>

#include <cmath>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "graph/builder.h"
#include "ops/registry.h"

namespace parallax {
namespace {

Tensor reals(DType dtype, const Dims& sizes, const std::vector<double>& elements) {
            Tensor tensor(dtype, sizes);
            for (std::size_t i = 0; i < elements.size(); ++i) tensor.set_double(static_cast<int64_t>(i), elements[i]);
            return tensor;
          }
    TEST(Exported, S1NumericClone) {
  GraphBuilder builder;
  const ValueId x = builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2})).value();
  const ValueId n0 = builder.call("aten.sigmoid.default", {x}, "n0").value();
  const ValueId n1 = builder.call("aten.clone.default", {n0}, "n1").value();
  const ValueId e = builder.call("aten.exp.default", {n0}, "e").value();
  const ValueId d = builder.call("aten.neg.default", {e}, "d").value();
  const ValueId out1 = builder.call("aten.neg.default", {n1}, "out1").value();
  const ValueId out0 = builder.call("aten.neg.default", {d}, "out0").value();
  builder.add_output(out0);
  builder.add_output(out1);
  Case test;
  test.graph = builder.take();
  test.feed = {reals(DType::F32, {2}, {-0.4824913740158081, 1.1103534698486328})};
  test.expect.outputs = std::vector<Tensor>{reals(DType::F32, {2}, {1.4647197723388672, 2.1216518878936768}), reals(DType::F32, {2}, {-0.381663978099823, -0.7521950006484985})};
  {
    const auto target = open_target("portable", {.faults = {"F01"}});
    ASSERT_TRUE(target) << target.error().text();
    EXPECT_EQ(name(examine(**target, test).judgement.verdict), "mismatch");
  }
  {
    const auto target = open_target("portable", {.faults = {}});
    ASSERT_TRUE(target) << target.error().text();
    EXPECT_EQ(name(examine(**target, test).judgement.verdict), "match");
  }
}

}  // namespace
}  // namespace parallax
