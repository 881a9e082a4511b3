#include "ops/plain/elementwise_in_double.h"

#include "ops/elementwise.h"
#include "ops/plain/elements_in_double.h"

namespace parallax {
namespace {

// An operand for each element of the result, of which a number has one. Nothing where it is not of the result's dtype:
// what converting it makes is left to the reference kernel.
std::optional<std::vector<double>> operand(const ReferenceCall& call, ParameterRef parameter) {
  const BallView& output = call.output();
  if (!call.is_tensor(parameter)) return std::vector{call.real(parameter)};
  const BallView& view = call.input(parameter);
  if (view.dtype != output.dtype) return std::nullopt;
  return plain_elements(view, *broadcast_to(view.layout, output.layout.sizes));
}

}  // namespace

bool compute_plainly(const ReferenceCall& call, double (*function)(double x, const ReferenceCall& call)) {
  if (!call.output().floating()) return false;
  std::optional<std::vector<double>> elements = operand(call, first_operand);
  if (!elements) return false;
  for (double& x : *elements) x = function(x, call);
  store_plain(*elements, call.output());
  return true;
}

bool compute_plainly(const ReferenceCall& call, const PlainPair& pair, double (*function)(double a, double b)) {
  if (!call.output().floating()) return false;
  const auto a = operand(call, pair.a);
  const auto b = operand(call, pair.b);
  if (!a || !b) return false;
  const std::size_t step_a = call.is_tensor(pair.a) ? 1 : 0;
  const std::size_t step_b = call.is_tensor(pair.b) ? 1 : 0;
  std::vector<double> result(static_cast<std::size_t>(call.output().layout.numel()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function((*a)[i * step_a], pair.scale * (*b)[i * step_b]);
  store_plain(result, call.output());
  return true;
}

}  // namespace parallax
