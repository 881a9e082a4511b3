// Large storages are held as balls only while a node takes them, and what is computed is the same.
#include "oracle/large_storages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

constexpr int64_t wide = 160;  // 160 x 160 elements are large

Tensor ripple(double step) {
  Tensor data(DType::F32, {wide, wide});
  for (int64_t i = 0; i < data.numel(); ++i) data.set_double(i, std::sin(step * static_cast<double>(i + 1)) / 16);
  return data;
}

ValueId weight_of(GraphBuilder& builder, const char* name, double step) {
  return *builder.add_source(SourceKind::Constant, name, DType::F32, contiguous_layout({wide, wide}), ripple(step));
}

TEST(LargeStorages, AreHeldFromTheFirstNodeThatTakesThemToTheLast) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({wide, wide}));
  const ValueId w = weight_of(builder, "w", 0.7);
  const ValueId start = *builder.call("aten.neg.default", {x});
  const ValueId turned = *builder.call("aten.t.default", {w});
  const ValueId product = *builder.call("aten.mm.default", {start, turned});
  builder.add_output(*builder.call("aten.neg.default", {product}));
  const Graph graph = builder.take();
  const LargeStorages large(graph);
  EXPECT_TRUE(large.holds(graph.meta(w).storage));
  EXPECT_FALSE(large.holds(graph.meta(x).storage)) << "an input";
  EXPECT_TRUE(large.holds(graph.meta(start).storage)) << "what a node makes";
  EXPECT_FALSE(large.holds(graph.meta(graph.outputs[0]).storage)) << "an output";
  const auto nodes_of = [&](ValueId value) {
    std::vector<std::size_t> nodes;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const auto note = [&](StorageId storage) {
        if (storage == graph.meta(value).storage) nodes.push_back(n);
      };
      large.for_each_first_taken(n, note);
      large.for_each_last_taken(n, note);
    }
    return nodes;
  };
  EXPECT_EQ(nodes_of(w), (std::vector<std::size_t>{1, 2})) << "through the view";
  EXPECT_EQ(nodes_of(start), (std::vector<std::size_t>{0, 2}));
}

// The scales of a dequantization are looked at again where its result is quantized.
TEST(LargeStorages, OperandsThatAreLookedBackAtAreHeldThroughout) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({wide, wide}));
  const ValueId doubled = *builder.call("aten.mul.Scalar", {x, Scalar(2.0)});
  const ValueId stored =
      *builder.call("quantized_decomposed.quantize_per_tensor.default",
                    {doubled, Scalar(0.5), Scalar(int64_t{0}), Scalar(int64_t{-128}), Scalar(int64_t{127}), DType::I8});
  builder.add_output(*builder.call("aten.neg.default", {stored}));
  const Graph graph = builder.take();
  EXPECT_FALSE(LargeStorages(graph).holds(graph.meta(doubled).storage));
}

TEST(LargeStorages, WhatIsHandedOutOrABufferIsHeldThroughout) {
  GraphBuilder builder;
  const ValueId given = weight_of(builder, "given", 0.3);
  const ValueId buffer =
      *builder.add_source(SourceKind::Buffer, "kept", DType::F32, contiguous_layout({wide, wide}), ripple(0.7));
  const ValueId taken = weight_of(builder, "taken", 0.5);
  builder.call("aten.add_.Tensor", {buffer, taken}, "sum").value();
  builder.add_output(*builder.call("aten.t.default", {given}));
  const Graph graph = builder.take();
  const LargeStorages large(graph);
  EXPECT_FALSE(large.holds(graph.meta(given).storage));
  EXPECT_FALSE(large.holds(graph.meta(buffer).storage));
  EXPECT_TRUE(large.holds(graph.meta(taken).storage));
}

// A second run takes the same numbers again, and both are those of weights that are fed.
TEST(LargeStorages, HoldTheirNumbersInEveryRun) {
  const auto graph_of = [](SourceKind kind) {
    GraphBuilder builder;
    const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({wide, wide}));
    const ValueId w = kind == SourceKind::Constant
                          ? weight_of(builder, "w", 0.7)
                          : *builder.add_source(kind, "w", DType::F32, contiguous_layout({wide, wide}));
    const ValueId once = *builder.call("aten.mm.default", {x, w});
    builder.add_output(*builder.call("aten.mm.default", {once, *builder.call("aten.t.default", {w})}));
    return builder.take();
  };
  const Graph constant = graph_of(SourceKind::Constant), fed = graph_of(SourceKind::Input);
  const Profile& eager = *find_profile("eager");
  Interpreter with_constant(constant, eager), with_input(fed, eager);
  for (const double step : {0.2, 0.9}) {
    const std::vector<Tensor> one = {ripple(step)}, two = {ripple(step), ripple(0.7)};
    const BallTensor got = with_constant.run(one)->outputs[0];
    const BallTensor wanted = with_input.run(two)->outputs[0];
    ASSERT_EQ(got.balls.size(), wanted.balls.size());
    for (std::size_t i = 0; i < got.balls.size(); ++i) {
      ASSERT_EQ(got.balls[i].mid, wanted.balls[i].mid) << i;
      ASSERT_EQ(got.balls[i].radius, wanted.balls[i].radius) << i;
    }
  }
}

}  // namespace
}  // namespace parallax
