// Large convolutions are summed by matrix products: their values are those of plain loops, and their bounds those of a
// small convolution of the same elements, which is summed a product at a time.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

Tensor wave(Dims sizes, double step) {
  Tensor data(DType::F32, std::move(sizes));
  for (int64_t i = 0; i < data.numel(); ++i) data.set_double(i, std::sin(step * static_cast<double>(i + 1)));
  return data;
}

struct Shape {
  int64_t inputs, outputs, groups, size, kernel, stride, padding, dilation;
  bool transposed = false;
};

// The convolution of 0.1 x, so that one operand is not exact.
BallTensor convolved(const Tensor& x, const Tensor& weight, const Shape& shape) {
  GraphBuilder builder;
  const ValueId input = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout(x.sizes));
  const ValueId kernel =
      *builder.add_source(SourceKind::Constant, "w", DType::F32, contiguous_layout(weight.sizes), weight);
  const ValueId scaled = *builder.call("aten.mul.Scalar", {input, 0.1});
  const IntList stride{shape.stride, shape.stride}, padding{shape.padding, shape.padding},
      dilation{shape.dilation, shape.dilation};
  builder.add_output(*builder.call("aten.convolution.default", {scaled, kernel, Argument(), stride, padding, dilation,
                                                                shape.transposed, IntList{0, 0}, shape.groups}));
  const Graph graph = builder.take();
  const std::vector<Tensor> feed = {x};
  return Interpreter(graph, *find_profile("eager")).run(feed)->outputs[0];
}

double at(const Tensor& tensor, int64_t a, int64_t b, int64_t c, int64_t d) {
  return tensor.get_double(((a * tensor.sizes[1] + b) * tensor.sizes[2] + c) * tensor.sizes[3] + d);
}

// In double, by the definition: each input element is added to all results that it has a part in.
std::vector<double> by_definition(const Tensor& x, const Tensor& weight, const Shape& shape, const Dims& sizes) {
  std::vector<double> sums(static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2] * sizes[3]), 0.0);
  const int64_t group_in = shape.inputs / shape.groups, group_out = shape.outputs / shape.groups;
  for (int64_t n = 0; n < sizes[0]; ++n)
    for (int64_t o = 0; o < shape.outputs; ++o)
      for (int64_t c = 0; c < group_in; ++c)
        for (int64_t ky = 0; ky < shape.kernel; ++ky)
          for (int64_t kx = 0; kx < shape.kernel; ++kx)
            for (int64_t i = 0; i < sizes[2]; ++i)
              for (int64_t j = 0; j < sizes[3]; ++j) {
                const int64_t channel = o / group_out * group_in + c;
                int64_t y = 0, z = 0;
                double w = 0;
                if (shape.transposed) {
                  const int64_t up = i + shape.padding - ky * shape.dilation;
                  const int64_t left = j + shape.padding - kx * shape.dilation;
                  if (up < 0 || left < 0 || up % shape.stride != 0 || left % shape.stride != 0) continue;
                  y = up / shape.stride, z = left / shape.stride;
                  w = at(weight, channel, o % group_out, ky, kx);
                } else {
                  y = i * shape.stride - shape.padding + ky * shape.dilation;
                  z = j * shape.stride - shape.padding + kx * shape.dilation;
                  w = at(weight, o, c, ky, kx);
                }
                if (y < 0 || z < 0 || y >= shape.size || z >= shape.size) continue;
                sums[static_cast<std::size_t>(((n * sizes[1] + o) * sizes[2] + i) * sizes[3] + j)] +=
                    0.1 * at(x, n, channel, y, z) * w;
              }
  return sums;
}

class DenseConvolution : public testing::TestWithParam<Shape> {};

TEST_P(DenseConvolution, HasTheValuesOfTheDefinition) {
  const Shape& shape = GetParam();
  const Tensor x = wave({2, shape.inputs, shape.size, shape.size}, 0.37);
  const Dims kernel = shape.transposed ? Dims{shape.inputs, shape.outputs / shape.groups, shape.kernel, shape.kernel}
                                       : Dims{shape.outputs, shape.inputs / shape.groups, shape.kernel, shape.kernel};
  const Tensor weight = wave(kernel, 0.91);
  const BallTensor got = convolved(x, weight, shape);
  const std::vector<double> wanted = by_definition(x, weight, shape, got.sizes);
  ASSERT_EQ(got.balls.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(got.balls[i].mid, wanted[i], 1e-6 * 0.1) << i;
    ASSERT_GT(got.balls[i].radius, 0) << i;
    ASSERT_LT(got.balls[i].radius, 1e-3) << i;
    ASSERT_LE(std::fabs(got.balls[i].mid - wanted[i]), got.balls[i].radius) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DenseConvolution,
                         testing::Values(Shape{4, 8, 1, 12, 3, 1, 1, 1}, Shape{8, 16, 1, 11, 3, 2, 1, 1},
                                         Shape{8, 8, 8, 24, 3, 1, 1, 1}, Shape{6, 12, 3, 12, 3, 1, 2, 2},
                                         Shape{16, 32, 1, 8, 1, 1, 0, 1}, Shape{6, 8, 2, 10, 3, 2, 1, 1, true}));

TEST(DenseConvolution, HasTheBoundsOfSumsOfOneProductAtATime) {
  const Shape large{4, 8, 1, 12, 3, 1, 0, 1};
  const Tensor x = wave({1, 4, 12, 12}, 0.37), weight = wave({8, 4, 3, 3}, 0.91);
  const BallTensor whole = convolved(x, weight, large);
  // One position of all channels: 8 * 36 products.
  Tensor corner(DType::F32, {1, 4, 3, 3});
  for (int64_t c = 0; c < 4; ++c)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 3; ++j) corner.set_double((c * 3 + i) * 3 + j, at(x, 0, c, i + 5, j + 4));
  const BallTensor small = convolved(corner, weight, {4, 8, 1, 3, 3, 1, 0, 1});
  for (int64_t o = 0; o < 8; ++o) {
    const Ball& dense = whole.balls[static_cast<std::size_t>((o * 10 + 5) * 10 + 4)];
    const Ball& one_by_one = small.balls[static_cast<std::size_t>(o)];
    EXPECT_NEAR(dense.mid, one_by_one.mid, 1e-14);
    EXPECT_NEAR(dense.radius / one_by_one.radius, 1, 1e-9);
    EXPECT_NEAR(dense.deviation / one_by_one.deviation, 1, 1e-5);
  }
}

}  // namespace
}  // namespace parallax
