#include "ops/plain/convolution_in_double.h"

#include <Eigen/Core>

#include "ops/convolution_plan.h"
#include "ops/plain/elements_in_double.h"
#include "ops/products/wide_product.h"

namespace parallax {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// How the channels of a convolution fall into groups, and how large the planes are that they are made of.
struct Groups {
  int64_t channels;   // of the input in one group
  int64_t rows;       // channels of the result in one group
  int64_t kernel;     // positions of the kernel
  int64_t positions;  // of the input

  explicit Groups(const ConvolutionPlan& plan)
      : channels(plan.input.sizes[1] / plan.groups),
        rows(plan.out_channels() / plan.groups),
        kernel(plan.kernel_positions()),
        positions(plan.input.numel() / (plan.input.sizes[0] * plan.input.sizes[1])) {}
  int64_t inner() const { return channels * kernel; }
};

// Each group's weights: a row for each channel of the result, its columns by channel of the input and kernel position.
Matrix weights_of(const ConvolutionPlan& plan, const Groups& groups, const std::vector<double>& weight) {
  if (!plan.transposed) return Eigen::Map<const Matrix>(weight.data(), plan.groups * groups.rows, groups.inner());
  Matrix rows(plan.groups * groups.rows, groups.inner());
  for (int64_t channel = 0; channel < plan.input.sizes[1]; ++channel) {
    const int64_t group = channel / groups.channels;
    for (int64_t row = 0; row < groups.rows; ++row) {
      for (int64_t k = 0; k < groups.kernel; ++k) {
        rows(group * groups.rows + row, channel % groups.channels * groups.kernel + k) =
            weight[static_cast<std::size_t>((channel * groups.rows + row) * groups.kernel + k)];
      }
    }
  }
  return rows;
}

// Which position of the input meets which position of the result, for each position of the kernel.
std::vector<std::vector<std::pair<int64_t, int64_t>>> meetings(const std::vector<Taps>& taps, int64_t kernel) {
  std::vector<std::vector<std::pair<int64_t, int64_t>>> by_kernel(static_cast<std::size_t>(kernel));
  for (std::size_t position = 0; position < taps.size(); ++position) {
    for (const auto& [at, k] : taps[position].met) {
      by_kernel[static_cast<std::size_t>(k)].emplace_back(at, static_cast<int64_t>(position));
    }
  }
  return by_kernel;
}

}  // namespace

bool convolve_plainly(const ReferenceCall& call) {
  const Result<ConvolutionPlan> planned = plan_convolution(call);
  if (!planned || !call.output().floating() || call.output().layout.numel() == 0) return false;
  if (planned->weight.numel() == 0 || planned->input.numel() == 0) return false;
  const ConvolutionPlan& plan = *planned;
  const auto input = plain_elements(call.input(arg::input), plan.input);
  const auto weight = plain_elements(call.input(arg::weight), plan.weight);
  if (!input || !weight) return false;
  std::optional<std::vector<double>> bias;
  if (call.has(arg::bias)) {
    bias = plain_elements(call.input(arg::bias));
    if (!bias) return false;
  }
  const Groups groups(plan);
  const Matrix weights = weights_of(plan, groups, *weight);
  const auto by_kernel = meetings(taps_of(plan), groups.kernel);
  const int64_t elements = call.output().layout.numel();
  const int64_t columns = elements / (plan.sizes[0] * plan.sizes[1]);
  std::vector<double> result(static_cast<std::size_t>(elements));
  // What meets padding stays 0.
  Matrix met = Matrix::Zero(groups.inner(), columns);
  for (int64_t batch = 0; batch < plan.sizes[0] * plan.groups; ++batch) {
    const double* plane = input->data() + batch * groups.channels * groups.positions;
    for (int64_t c = 0; c < groups.channels; ++c, plane += groups.positions) {
      for (int64_t k = 0; k < groups.kernel; ++k) {
        double* row = met.data() + (c * groups.kernel + k) * columns;
        for (const auto& [from, to] : by_kernel[static_cast<std::size_t>(k)]) row[to] = plane[from];
      }
    }
    Eigen::Map<Matrix> to(result.data() + batch * groups.rows * columns, groups.rows, columns);
    const int64_t first = batch % plan.groups * groups.rows;
    multiply({groups.rows, columns, groups.inner(), false}, weights.row(first).data(), met.data(), to.data());
    if (bias) to.colwise() += Eigen::Map<const Eigen::VectorXd>(bias->data() + first, groups.rows);
  }
  store_plain(result, call.output());
  return true;
}

}  // namespace parallax
