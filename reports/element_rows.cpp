#include "reports/element_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

std::string index_text(const Dims& sizes, int64_t element) {
  std::vector<int64_t> index(static_cast<std::size_t>(sizes.size()));
  for (int dim = sizes.size() - 1; dim >= 0; --dim) {
    index[static_cast<std::size_t>(dim)] = element % sizes[dim];
    element /= sizes[dim];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

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
  return row;
}

ElementRow integer_row(const IntegerBall& wanted, int64_t got) {
  ElementRow row;
  if (wanted.undecided != Undecided::No) {
    row.state = ElementState::Undecided;
    row.expected = fmt::format("undecided: {}", name(wanted.undecided));
    return row;
  }
  row.expected = fmt::format("{}", wanted.value);
  if (got != wanted.value) row.state = ElementState::Outside;
  return row;
}

TensorElements compare(const BallTensor& expected, const Tensor& got, std::string run, std::string place,
                       std::size_t most_rows) {
  TensorElements tensor;
  tensor.run = std::move(run);
  tensor.place = std::move(place);
  tensor.type = type_text(expected.dtype, expected.sizes);
  tensor.total = expected.numel();
  if (got.dtype != expected.dtype || !(got.sizes == expected.sizes)) {
    tensor.other = "came as " + type_text(got.dtype, got.sizes);
    return tensor;
  }
  std::vector<ElementRow> rows;
  for (int64_t i = 0; i < tensor.total; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ElementRow row = is_floating(expected.dtype) ? float_row(expected.dtype, expected.balls[at], got.get_double(i))
                                                 : integer_row(expected.integers[at], got.get_integer(i));
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
  Runs(const Graph& graph, std::size_t most_rows) : most_rows_(most_rows) {
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      outputs_.push_back(fmt::format("out[{}] {}", i, graph.name(graph.outputs[i])));
    }
    for (const Source& source : graph.sources) {
      const std::string& name = graph.name(source.value);
      if (source.kind == SourceKind::Input) inputs_.push_back(fmt::format("input {} after the run", name));
      if (source.kind == SourceKind::Buffer) buffers_.push_back(fmt::format("buffer {} after the run", name));
    }
  }

  void add(const Expected& expected, const Observation& got, const std::string& run) {
    add_outputs(expected, got.outputs, run);
    add_state(expected.inputs, got.inputs, inputs_, run);
    add_state(expected.buffers, got.buffers, buffers_, run);
  }

  // A's outputs, read where they lie after another run.
  void add_kept(const Expected& expected, const std::vector<Tensor>& kept, const std::string& run) {
    const std::size_t first_buffer = expected.inputs.size();
    const std::size_t sources = first_buffer + expected.buffers.size();
    for (std::size_t i = 0; i < kept.size() && i < expected.outputs.size(); ++i) {
      const auto buffers = std::span(expected.identity).subspan(first_buffer, expected.buffers.size());
      if (std::ranges::find(buffers, expected.identity[sources + i]) != buffers.end()) continue;
      tensors_.push_back(compare(expected.outputs[i], kept[i], run, outputs_[i], most_rows_));
    }
  }

  std::vector<TensorElements> take() { return std::move(tensors_); }

 private:
  void add_outputs(const Expected& expected, const std::vector<Tensor>& got, const std::string& run) {
    for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
      if (i < got.size()) {
        tensors_.push_back(compare(expected.outputs[i], got[i], run, outputs_[i], most_rows_));
      } else {
        TensorElements& missing = tensors_.emplace_back();
        missing.run = run;
        missing.place = outputs_[i];
        missing.type = type_text(expected.outputs[i].dtype, expected.outputs[i].sizes);
        missing.other = "was not handed back";
      }
    }
  }

  void add_state(const std::vector<BallTensor>& expected, const std::vector<std::optional<Tensor>>& got,
                 const std::vector<std::string>& places, const std::string& run) {
    for (std::size_t i = 0; i < expected.size() && i < got.size(); ++i) {
      if (got[i]) tensors_.push_back(compare(expected[i], *got[i], run, places[i], most_rows_));
    }
  }

  std::size_t most_rows_;
  std::vector<std::string> outputs_, inputs_, buffers_;
  std::vector<TensorElements> tensors_;
};

}  // namespace

std::vector<TensorElements> elements_of_runs(const Graph& graph, const ExpectedRuns& expected, const Outcome& outcome,
                                             std::size_t most_rows) {
  Runs runs(graph, most_rows);
  if (!outcome.a) return {};
  runs.add(expected.a, *outcome.a, "A");
  if (outcome.b && expected.b) runs.add(*expected.b, *outcome.b, "B");
  const auto add_later = [&](const std::vector<Observation>& got, std::string_view where) {
    for (std::size_t i = 0; i < std::min(got.size(), expected.later.size()); ++i) {
      runs.add(expected.later[i], got[i], fmt::format("run {}{}", i + 2, where));
    }
  };
  add_later(outcome.later, "");
  if (outcome.b) runs.add_kept(expected.a, outcome.a_kept, "A, read again after B");
  if (!outcome.later.empty()) runs.add_kept(expected.a, outcome.a_kept, "A, read again after the last run");
  if (outcome.a_again) runs.add(expected.a, *outcome.a_again, "A on a fresh instance");
  add_later(outcome.later_again, " on a fresh instance");
  return runs.take();
}

}  // namespace parallax
