#include "fuzz/findings/value_errors.h"

#include <fmt/format.h>

#include "core/index_text.h"
#include "fuzz/findings/exposed_values.h"
#include "graph/print.h"
#include "graph/runs.h"
#include "oracle/record.h"

namespace parallax {
namespace {

constexpr int64_t most_held_elements = 12;

double as_number(const Tensor& tensor, int64_t i) {
  return is_floating(tensor.dtype) ? tensor.get_double(i) : static_cast<double>(tensor.get_integer(i));
}

// The element in double; nothing where that is not decided, as after a comparison of what is not.
std::optional<double> value_in_double(const BallTensor& value, int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  if (!is_floating(value.dtype)) {
    const IntegerBall& integer = value.integers[at];
    return integer.decided() ? std::optional(static_cast<double>(integer.value)) : std::nullopt;
  }
  const Ball& ball = value.balls[at];
  return ball.decided() && !ball.may_nan && !ball.may_inf ? std::optional(ball.mid) : std::nullopt;
}

struct WorstElement {
  int64_t element = 0;
  NumericError error;
  double reference = 0;
};

// Nothing where the tensor has another type or no element is decided.
std::optional<WorstElement> worst_of(const BallTensor& value, const Tensor& got) {
  if (got.dtype != value.dtype || !(got.sizes == value.sizes)) return std::nullopt;
  std::optional<WorstElement> worst;
  for (int64_t i = 0; i < got.numel(); ++i) {
    const std::optional<double> right = value_in_double(value, i);
    if (!right) continue;
    const NumericError error = error_of(as_number(got, i), *right, got.dtype);
    if (!worst || error.ulps > worst->error.ulps) worst = WorstElement{i, error, *right};
  }
  return worst;
}

ExposedValues rounded_values(const Case& test) {
  ExposedValues eager;
  if (auto values = record_values(test)) {
    eager.known.assign(values->size(), true);
    eager.values = *std::move(values);
  } else {
    eager.known.assign(test.graph.metas.size(), false);
  }
  return eager;
}

}  // namespace

std::optional<ValueErrors> value_errors(Target& target, Target* eager, const Case& test) {
  if (has_several_runs(test) || test.gradient) return std::nullopt;
  const std::optional<std::vector<BallTensor>> doubles = record_doubles(test);
  if (!doubles) return std::nullopt;
  const ExposedValues held = expose_values(target, test);
  if (held.runs == 0) return std::nullopt;
  const ExposedValues eagerly = eager ? expose_values(*eager, test) : rounded_values(test);
  ValueErrors errors;
  errors.eager_from = eager ? eager->name() : "each operation in double, rounded once";
  errors.vanished = !held.still_wrong;
  for (std::size_t n = 0; n < test.graph.nodes.size(); ++n) {
    for (const ValueId result : test.graph.nodes[n].results) {
      const BallTensor& value = (*doubles)[result.index];
      ValueError row;
      row.node = NodeId(n);
      row.name = test.graph.name(result);
      row.type = type_text(value.dtype, value.sizes);
      if (held.known[result.index]) {
        if (const auto worst = worst_of(value, held.values[result.index])) {
          row.target = worst->error.ulps;
          row.place = index_text(value.sizes, worst->element);
          row.wanted = fmt::format("{:.9g}", worst->reference);
          row.got = element_text(held.values[result.index], worst->element);
        }
        row.held = elements_text(held.values[result.index], most_held_elements);
      }
      if (eagerly.known[result.index]) {
        if (const auto worst = worst_of(value, eagerly.values[result.index])) row.eager = worst->error.ulps;
      }
      errors.rows.push_back(std::move(row));
    }
  }
  return errors;
}

}  // namespace parallax
