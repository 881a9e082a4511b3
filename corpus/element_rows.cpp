#include "corpus/element_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/index_text.h"
#include "graph/runs.h"
#include "oracle/acceptance.h"
#include "oracle/judgement_text.h"
#include "oracle/run_comparison.h"

namespace parallax {
namespace {

// Digits enough to tell two neighbours of the dtype apart.
std::string number_text(DType dtype, double x) {
  switch (dtype) {
    case DType::F16:
    case DType::BF16:
      return fmt::format("{:.5g}", x);
    case DType::F64:
      return fmt::format("{:.17g}", x);
    default:
      return fmt::format("{:.9g}", x);
  }
}

// How far `got` is from what is expected, in units of the dtype's last place there; empty for what is no number.
std::string distance_text(DType dtype, double expected, double got) {
  if (!std::isfinite(expected) || !std::isfinite(got)) return "";
  const double near = round_to(dtype, std::abs(expected));
  const double ulp = next_up(dtype, near) - near;
  if (!std::isfinite(ulp) || ulp <= 0) return "";
  const double units = std::abs(got - expected) / ulp;
  return tells_digits(units, dtype) ? fmt::format("{:.2g}", units) : "no digit right";
}

ElementRow float_row(DType dtype, const Ball& ball, double got) {
  ElementRow row;
  if (!ball.decided() || !std::isfinite(ball.radius)) {
    row.state = ElementState::Undecided;
    row.expected = fmt::format("undecided: {}", name(ball.decided() ? Undecided::Unbounded : ball.undecided));
    return row;
  }
  row.expected = number_text(dtype, ball.mid);
  if (ball.radius > 0) {
    row.bound = fmt::format("[{}, {}]", number_text(dtype, ball.low()), number_text(dtype, ball.high()));
  }
  if (ball.may_nan) row.bound += " or nan";
  if (ball.may_inf) row.bound += " or ±inf";
  if (!accepts(dtype, ball, got)) row.state = ElementState::Outside;
  row.ulp = distance_text(dtype, ball.mid, got);
  return row;
}

ElementRow integer_row(const IntegerBall& wanted, int64_t got) {
  ElementRow row;
  if (wanted.is_interval()) {
    row.expected = fmt::format("{}", wanted.value);
    row.bound = fmt::format("[{}, {}]", wanted.low, wanted.high);
    if (got < wanted.low || got > wanted.high) row.state = ElementState::Outside;
    return row;
  }
  if (wanted.undecided != Undecided::No) {
    row.state = ElementState::Undecided;
    row.expected = fmt::format("undecided: {}", name(wanted.undecided));
    return row;
  }
  row.expected = fmt::format("{}", wanted.value);
  if (got != wanted.value) row.state = ElementState::Outside;
  return row;
}

// One of a few numbers, whichever the target took.
ElementRow one_of_row(DType dtype, const std::vector<Ball>& alternatives) {
  ElementRow row;
  row.expected = number_text(dtype, alternatives.front().mid);
  row.bound = alternatives_text(dtype, alternatives);
  return row;
}

ElementRow row_of(const BallTensor& expected, const Tensor& got, int64_t element) {
  const auto at = static_cast<std::size_t>(element);
  if (const auto found = expected.alternatives.find(element); found != expected.alternatives.end()) {
    ElementRow row = one_of_row(expected.dtype, found->second);
    if (!accepts(expected, got, element)) row.state = ElementState::Outside;
    return row;
  }
  return is_floating(expected.dtype) ? float_row(expected.dtype, expected.balls[at], got.get_double(element))
                                     : integer_row(expected.integers[at], got.get_integer(element));
}

TensorElements compare(const BallTensor& expected, const Tensor& got, const RunId& run, const Place& place,
                       std::size_t most_rows) {
  TensorElements tensor;
  tensor.run = run;
  tensor.place = place;
  tensor.type = type_text(expected.dtype, expected.sizes);
  tensor.total = expected.numel();
  if (got.dtype != expected.dtype || !(got.sizes == expected.sizes)) {
    tensor.other = "came as " + type_text(got.dtype, got.sizes);
    return tensor;
  }
  std::vector<ElementRow> rows;
  for (int64_t i = 0; i < tensor.total; ++i) {
    ElementRow row = row_of(expected, got, i);
    tensor.outside += row.state == ElementState::Outside;
    tensor.undecided += row.state == ElementState::Undecided;
    row.index = index_text(expected.sizes, i);
    row.got = element_text(got, i);
    rows.push_back(std::move(row));
  }
  if (rows.size() > most_rows) {
    std::ranges::stable_partition(rows, [](const ElementRow& row) { return row.state == ElementState::Outside; });
    rows.resize(most_rows);
  }
  tensor.rows = std::move(rows);
  return tensor;
}

class Runs {
 public:
  Runs(const Case& test, std::size_t most_rows) : test_(test), most_rows_(most_rows), places_(test.graph) {}

  void add(const Expected& expected, const Observation& got, const RunId& run) { add(expected, got, run, places_); }

  void add_later(std::span<const Expected> expected, std::span<const Observation> got, RunKind kind) {
    for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
      const RunId run{kind, static_cast<int>(i) + 2};
      add(expected[i], got[i], run, places_of(i));
    }
  }

  // A's outputs, read where they lie after another run.
  void add_kept(const Expected& expected, const std::vector<Tensor>& kept, const RunId& run) {
    add_kept(expected, kept, run, places_);
  }
  void add_later_kept(std::span<const Expected> expected, std::span<const std::vector<Tensor>> kept) {
    for (std::size_t i = 0; i < std::min(kept.size(), expected.size()); ++i) {
      add_kept(expected[i], kept[i], {RunKind::LaterKept, static_cast<int>(i) + 2}, places_of(i));
    }
  }

  std::vector<TensorElements> take() { return std::move(tensors_); }

 private:
  // Of a run after the first.
  GraphPlaces places_of(std::size_t later) const {
    const bool calls_method = later < test_.later.size() && test_.later[later].method != 0;
    return calls_method ? GraphPlaces(called_graph(test_, later + 1)) : places_;
  }

  void add_kept(const Expected& expected, const std::vector<Tensor>& kept, const RunId& run,
                const GraphPlaces& places) {
    for (std::size_t i = 0; i < kept.size() && i < expected.outputs.size(); ++i) {
      if (lies_in_buffer(expected, i)) continue;
      tensors_.push_back(compare(expected.outputs[i], kept[i], run, places.outputs[i], most_rows_));
    }
  }

  void add(const Expected& expected, const Observation& got, const RunId& run, const GraphPlaces& places) {
    add_outputs(expected, got.outputs, run, places.outputs);
    add_state(expected.inputs, got.inputs, places.inputs, run);
    add_state(expected.buffers, got.buffers, places.buffers, run);
  }

  void add_outputs(const Expected& expected, const std::vector<Tensor>& got, const RunId& run,
                   const std::vector<Place>& places) {
    for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
      if (i < got.size()) {
        tensors_.push_back(compare(expected.outputs[i], got[i], run, places[i], most_rows_));
      } else {
        TensorElements& missing = tensors_.emplace_back();
        missing.run = run;
        missing.place = places[i];
        missing.type = type_text(expected.outputs[i].dtype, expected.outputs[i].sizes);
        missing.other = "was not handed back";
      }
    }
  }

  void add_state(const std::vector<BallTensor>& expected, const std::vector<std::optional<Tensor>>& got,
                 const std::vector<Place>& places, const RunId& run) {
    for (std::size_t i = 0; i < expected.size() && i < got.size(); ++i) {
      if (got[i]) tensors_.push_back(compare(expected[i], *got[i], run, places[i], most_rows_));
    }
  }

  const Case& test_;
  std::size_t most_rows_;
  GraphPlaces places_;
  std::vector<TensorElements> tensors_;
};

}  // namespace

std::vector<TensorElements> elements_of_runs(const Case& test, const ExpectedRuns& expected, const Outcome& outcome,
                                             std::size_t most_rows) {
  Runs runs(test, most_rows);
  if (!outcome.a) return {};
  runs.add(expected.a, *outcome.a, {RunKind::A});
  if (outcome.b && expected.b) runs.add(*expected.b, *outcome.b, {RunKind::B});
  runs.add_later(expected.later, outcome.later, RunKind::Later);
  if (outcome.b) runs.add_kept(expected.a, outcome.a_kept, {RunKind::AKeptAfterB});
  if (!outcome.later.empty()) runs.add_kept(expected.a, outcome.a_kept, {RunKind::AKeptAfterTheLast});
  runs.add_later_kept(expected.later, outcome.later_kept);
  if (outcome.a_again) runs.add(expected.a, *outcome.a_again, {RunKind::AOnFreshInstance});
  runs.add_later(expected.later, outcome.later_again, RunKind::LaterOnFreshInstance);
  return runs.take();
}

}  // namespace parallax
