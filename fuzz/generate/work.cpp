#include "fuzz/generate/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace parallax {
namespace {

// Elements of a window that goes over the operand, where the op has one.
double window_of(const Call& call) {
  const std::vector<Parameter>& parameters = call.op().schema.parameters;
  const auto found = std::ranges::find(parameters, "kernel_size", &Parameter::name);
  if (found == parameters.end()) return 1;
  const auto* sizes = std::get_if<IntList>(&call.arguments()[static_cast<std::size_t>(found - parameters.begin())]);
  double elements = 1;
  for (int64_t size : sizes ? *sizes : IntList{}) elements *= static_cast<double>(size);
  return elements;
}

// Families whose ops sum products of two operands.
constexpr std::array<std::string_view, 3> products = {"matmul", "convolution", "distance"};

}  // namespace

double work_of(const Call& call, const Layout& result) {
  const auto made = static_cast<double>(result.numel());
  double read = 0;
  std::vector<double> operands;
  for (const Argument& argument : call.arguments()) {
    for_each_value(argument, [&](ValueId value) {
      operands.push_back(static_cast<double>(call.meta(value).layout.numel()));
      read += operands.back();
    });
  }
  const double moved = made * window_of(call) + read;
  if (std::ranges::find(products, call.op().family) == products.end() || operands.size() < 2) return moved;
  // In a product of matrices each index is one of two of the three tensors: the root is exact there. A convolution
  // comes out too small by the root of its window, a batch of products too large by the root of the batch.
  std::ranges::sort(operands, std::greater());
  return std::max(moved, std::sqrt(made * operands[0] * operands[1]));
}

double work_of(const Graph& graph, const Node& node) {
  const Layout& made = node.results.empty() ? Layout{} : graph.meta(node.results.front()).layout;
  return work_of(Call(*node.op, node.arguments, graph.metas), made);
}

}  // namespace parallax
