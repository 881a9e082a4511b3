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
    Tensor integers(DType dtype, const Dims& sizes, const std::vector<int64_t>& elements) {
            Tensor tensor(dtype, sizes);
            for (std::size_t i = 0; i < elements.size(); ++i) tensor.set_integer(static_cast<int64_t>(i), elements[i]);
            return tensor;
          }
    TEST(Exported, EveryPart) {
  GraphBuilder builder;
  const StorageId s0 = builder.add_storage("s0", DType::F32, {12}).value();
  const StorageId kept = builder.add_storage("kept", DType::F32, {4}, reals(DType::F32, {4}, {1.0, 2.0, 3.0, 4.0})).value();
  const ValueId x = builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2,3})).value();
  const ValueId w0 = builder.add_window(SourceKind::Input, "w0", DType::F32, Layout{{2,3}, {6,2}, 1}, s0).value();
  builder.add_source(SourceKind::Input, "turned", DType::I64, Layout{{2,2}, {1,2}, 0}).value();
  builder.add_source(SourceKind::Constant, "half", DType::F16, contiguous_layout({3}), reals(DType::F16, {3}, {0.5, -HUGE_VAL, std::nan("")})).value();
  const ValueId cache = builder.add_source(SourceKind::Buffer, "cache", DType::F32, contiguous_layout({2}), reals(DType::F32, {2}, {0.0, -0.0})).value();
  const ValueId head = builder.add_window(SourceKind::Buffer, "head", DType::F32, Layout{{2}, {1}, 2}, kept).value();
  const ValueId a = builder.call("aten.sigmoid.default", {x}, "a").value();
  const ValueId sum = builder.call("aten.add_.Tensor", {w0, a}, "sum", {{"alpha", Scalar(0.5)}}).value();
  builder.call("aten.add_.Tensor", {cache, head}, "update").value();
  const ValueId flat = builder.call("aten.view.default", {a, IntList{3, 2}}, "flat").value();
  const std::vector<ValueId> p = builder.add_node(op_named("aten.split.Tensor"), {flat, Scalar(int64_t{2}), Scalar(int64_t{0})}, "p", {"p_0", "last"}).value();
  const ValueId z = builder.call("aten.neg.default", {p[1]}, "z").value();
  const ValueId whole = builder.call("aten.cat.default", {ValueList{p[0], p[1]}}, "whole").value();
  builder.add_output(sum);
  builder.add_output(p[1]);
  builder.add_output(z);
  builder.add_output(z);
  builder.add_output(x);
  builder.add_output(whole);
  Case test;
  test.graph = builder.take();
  test.feed = {reals(DType::F32, {12}, {1.8183884620666504, 1.0006089210510254, -1.5432904958724976, -1.657368540763855, -0.37215837836265564, 1.181136131286621, -1.3128052949905396, 1.8314167261123657, -1.9756994247436523, -1.966187596321106, 1.2306205034255981, 1.3947221040725708}), reals(DType::F32, {2,3}, {0.0, 1.0, std::nan(""), HUGE_VAL, -HUGE_VAL, -1.5}), integers(DType::I64, {2,2}, {1, 2, 3, 4})};
  test.expect.inputs.emplace_back("w0", reals(DType::F32, {2,3}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  test.expect.buffers.emplace_back("cache", reals(DType::F32, {2}, {3.0, 4.0}));
  {
    const auto target = open_target("portable", {.faults = {}});
    ASSERT_TRUE(target) << target.error().text();
    EXPECT_EQ(name(examine(**target, test).judgement.verdict), "match");
  }
}

}  // namespace
}  // namespace parallax
