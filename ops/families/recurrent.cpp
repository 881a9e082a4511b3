// Recurrent layers over a whole sequence, in several layers and both directions: LSTM, GRU and the two plain ones.
#include <algorithm>

#include "ops/ball_cells.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// Beside the sequence: the last states, and the last cells of an LSTM.
constexpr int hidden_result = 1;
constexpr int cell_result = 2;

// The sizes of a call. An input is [steps, batch, inputs], or [batch, steps, inputs] where the batch comes first.
struct Plan {
  bool batch_first = false;
  bool biases = false;
  int64_t layers = 0;
  int64_t directions = 1;
  int64_t steps = 0;
  int64_t batch = 0;
  int64_t inputs = 0;
  int64_t hidden = 0;

  std::size_t tensors_of_cell() const { return biases ? 4 : 2; }
  std::size_t cells() const { return static_cast<std::size_t>(layers * directions); }
  int64_t outputs() const { return hidden * directions; }
};

// The state before the first step: one tensor, and the cells' for an LSTM.
ValueList states_of(const Call& call, CellKind kind) {
  return kind == CellKind::Lstm ? call.values(arg::hx) : ValueList{call.value(arg::hx)};
}

Result<void> check_params(const Call& call, CellKind kind, const Plan& plan) {
  const ValueList& params = call.values(arg::params);
  if (params.size() != plan.cells() * plan.tensors_of_cell()) {
    return refuse("{}: {} parameters for {} layers of {} in {} directions", call.op().name, params.size(), plan.layers,
                  plan.tensors_of_cell(), plan.directions);
  }
  const int64_t rows = gates_of(kind) * plan.hidden;
  const DType dtype = call.tensor(arg::input).dtype;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const TensorMeta& meta = call.meta(params[i]);
    const std::size_t place = i % plan.tensors_of_cell();
    const bool first = i < plan.tensors_of_cell() * static_cast<std::size_t>(plan.directions);
    const Dims wanted = place == 0   ? Dims{rows, first ? plan.inputs : plan.outputs()}
                          : place == 1 ? Dims{rows, plan.hidden}
                                     : Dims{rows};
    if (meta.layout.sizes != wanted || meta.dtype != dtype) {
      return refuse("{}: parameter {} is {}[{}], not {}[{}]", call.op().name, i, name(meta.dtype),
                    to_string(meta.layout.sizes), name(dtype), to_string(wanted));
    }
  }
  return {};
}

Result<Plan> plan_layers(const Call& call, CellKind kind) {
  const std::string& op = call.op().name;
  const TensorMeta& input = call.tensor(arg::input);
  if (!is_floating(input.dtype)) return refuse("{} does not take {}", op, name(input.dtype));
  if (input.layout.rank() != 3) return refuse("{} takes three dims, not {}", op, input.layout.rank());
  const ValueList states = states_of(call, kind);
  if (states.size() != (kind == CellKind::Lstm ? 2U : 1U)) return refuse("{}: {} states", op, states.size());
  Plan plan;
  plan.batch_first = call.boolean(arg::batch_first);
  plan.biases = call.boolean(arg::has_biases);
  plan.layers = call.integer(arg::num_layers);
  plan.directions = call.boolean(arg::bidirectional) ? 2 : 1;
  plan.steps = input.layout.sizes[plan.batch_first ? 1 : 0];
  plan.batch = input.layout.sizes[plan.batch_first ? 0 : 1];
  plan.inputs = input.layout.sizes[2];
  if (plan.layers < 1 || plan.layers > 1024) return refuse("{}: {} layers", op, plan.layers);
  if (plan.steps == 0) return refuse("{}: a sequence of no steps", op);
  if (call.boolean(arg::train) && call.real(arg::dropout) != 0 && plan.layers > 1) {
    return refuse("{}: dropout is random", op);
  }
  const Layout& first = call.meta(states[0]).layout;
  if (first.rank() != 3) return refuse("{}: a state of {} dims", op, first.rank());
  plan.hidden = first.sizes[2];
  for (const ValueId state : states) {
    const TensorMeta& meta = call.meta(state);
    const Dims wanted{plan.layers * plan.directions, plan.batch, plan.hidden};
    if (meta.layout.sizes == wanted && meta.dtype == input.dtype) continue;
    return refuse("{}: a state of {}[{}], not {}[{}]", op, name(meta.dtype), to_string(meta.layout.sizes),
                  name(input.dtype), to_string(wanted));
  }
  TRY_VOID(check_params(call, kind, plan));
  return plan;
}

template <CellKind kind>
Metas infer_layers(const Call& call) {
  TRY(const Plan plan, plan_layers(call, kind));
  Layout output = contiguous_layout({plan.steps, plan.batch, plan.outputs()});
  if (plan.batch_first) {
    std::swap(output.sizes[0], output.sizes[1]);
    std::swap(output.strides[0], output.strides[1]);
  }
  const DType dtype = call.tensor(arg::input).dtype;
  const Layout state = contiguous_layout({plan.layers * plan.directions, plan.batch, plan.hidden});
  std::vector<ResultMeta> results = {{dtype, output, ValueId()}, {dtype, state, ValueId()}};
  if (kind == CellKind::Lstm) results.push_back({dtype, state, ValueId()});
  return results;
}

std::vector<Ball> balls_of(const BallView& view) {
  std::vector<Ball> balls;
  for_each_element(view.layout, [&](int64_t element) { balls.push_back(view.ball(element)); });
  return balls;
}

CellWeights weights_of(const ReferenceCall& call, const Plan& plan, std::size_t cell) {
  const auto param = [&](std::size_t place) -> const BallView& {
    return call.view(call.values(arg::params)[cell * plan.tensors_of_cell() + place]);
  };
  CellWeights weights{factors_of(param(0), param(0).layout), factors_of(param(1), param(1).layout), {}, {}};
  if (plan.biases) {
    weights.input_bias = balls_of(param(2));
    weights.hidden_bias = balls_of(param(3));
  }
  return weights;
}

// A sequence by step and row of the batch.
using Sequence = std::vector<std::vector<std::vector<Ball>>>;

Sequence input_sequence(const ReferenceCall& call, const Plan& plan) {
  const BallView& input = call.input(arg::input);
  const auto& strides = input.layout.strides;
  Sequence sequence(static_cast<std::size_t>(plan.steps));
  for (int64_t t = 0; t < plan.steps; ++t) {
    for (int64_t b = 0; b < plan.batch; ++b) {
      std::vector<Ball> row;
      for (int64_t i = 0; i < plan.inputs; ++i) {
        const int64_t first = plan.batch_first ? b * strides[0] + t * strides[1] : t * strides[0] + b * strides[1];
        row.push_back(input.ball(input.layout.offset + first + i * strides[2]));
      }
      sequence[static_cast<std::size_t>(t)].push_back(std::move(row));
    }
  }
  return sequence;
}

// Where cell `cell` has its state in a tensor of states.
int64_t state_element(const BallView& states, std::size_t cell, int64_t row, int64_t k) {
  const auto& strides = states.layout.strides;
  return states.layout.offset + static_cast<int64_t>(cell) * strides[0] + row * strides[1] + k * strides[2];
}

// One layer in one direction: appends what it makes of each step to the rows of `to`, and saves its last state.
void run_cell(const ReferenceCall& call, CellKind kind, const Plan& plan, std::size_t cell, const Sequence& from,
              Sequence& to) {
  const BallMath math(call.output().dtype, call.profile());
  const CellWeights weights = weights_of(call, plan, cell);
  const ValueList states = states_of(call, kind);
  const bool backwards = cell % static_cast<std::size_t>(plan.directions) == 1;
  for (int64_t row = 0; row < plan.batch; ++row) {
    const auto r = static_cast<std::size_t>(row);
    CellState state;
    for (int64_t k = 0; k < plan.hidden; ++k) {
      state.hidden.push_back(call.view(states[0]).ball(state_element(call.view(states[0]), cell, row, k)));
      if (kind != CellKind::Lstm) continue;
      state.cell.push_back(call.view(states[1]).ball(state_element(call.view(states[1]), cell, row, k)));
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t t = backwards ? from.size() - 1 - i : i;
      state = step(math, kind, weights, from[t][r], state);
      to[t][r].insert(to[t][r].end(), state.hidden.begin(), state.hidden.end());
    }
    for (int64_t k = 0; k < plan.hidden; ++k) {
      const auto at = static_cast<std::size_t>(k);
      call.output(hidden_result).ball(state_element(call.output(hidden_result), cell, row, k)) = state.hidden[at];
      if (kind == CellKind::Lstm)
        call.output(cell_result).ball(state_element(call.output(cell_result), cell, row, k)) = state.cell[at];
    }
  }
}

template <CellKind kind>
Result<void> reference_layers(const ReferenceCall& call) {
  TRY(const Plan plan, plan_layers(call, kind));
  Sequence sequence = input_sequence(call, plan);
  for (int64_t layer = 0; layer < plan.layers; ++layer) {
    Sequence next(sequence.size(), std::vector<std::vector<Ball>>(static_cast<std::size_t>(plan.batch)));
    for (int64_t direction = 0; direction < plan.directions; ++direction) {
      run_cell(call, kind, plan, static_cast<std::size_t>(layer * plan.directions + direction), sequence, next);
    }
    sequence = std::move(next);
  }
  const BallView& output = call.output();
  const auto& strides = output.layout.strides;
  for (std::size_t t = 0; t < sequence.size(); ++t) {
    for (std::size_t b = 0; b < sequence[t].size(); ++b) {
      const auto step_at = static_cast<int64_t>(t);
      const auto row_at = static_cast<int64_t>(b);
      const int64_t first =
          plan.batch_first ? row_at * strides[0] + step_at * strides[1] : step_at * strides[0] + row_at * strides[1];
      for (std::size_t k = 0; k < sequence[t][b].size(); ++k) {
        output.ball(output.layout.offset + first + static_cast<int64_t>(k) * strides[2]) = sequence[t][b][k];
      }
    }
  }
  return {};
}

// One layer in one direction, or in both by the same weights.
template <CellKind kind>
std::optional<std::vector<Argument>> sample_layers(const Op& op, SampleContext& context) {
  constexpr int64_t gates = gates_of(kind);
  const auto pick_like = [&](DType dtype, auto&& accepts) {
    return context.pick([&](const Candidate&, const TensorMeta& meta) {
      return meta.dtype == dtype && meta.layout.numel() > 0 && accepts(meta.layout.sizes);
    });
  };
  const auto is_recurrent = [&](const TensorMeta& meta) {
    const Dims& sizes = meta.layout.sizes;
    return is_floating(meta.dtype) && sizes.size() == 2 && sizes[0] > 0 && sizes[0] == gates * sizes[1];
  };
  const auto recurrent = context.pick([&](const Candidate&, const TensorMeta& meta) { return is_recurrent(meta); });
  if (!recurrent) return std::nullopt;
  const TensorMeta& weight = context.meta(*recurrent);
  const int64_t rows = weight.layout.sizes[0];
  const int64_t hidden = weight.layout.sizes[1];
  const auto input = pick_like(weight.dtype, [&](const Dims& sizes) {
    return sizes.size() == 3 && std::ranges::any_of(context.pool(), [&](const Candidate& candidate) {
             const TensorMeta& meta = context.meta(candidate.value);
             return meta.dtype == weight.dtype && meta.layout.sizes == Dims{rows, sizes[2]};
           });
  });
  if (!input) return std::nullopt;
  const Dims& in = context.meta(*input).layout.sizes;
  const auto of_input = pick_like(weight.dtype, [&](const Dims& sizes) { return sizes == Dims{rows, in[2]}; });
  Choices& choices = context.choices();
  bool batch_first = choices.chance(40);
  bool both = choices.chance(30);
  const auto pick_state = [&] {
    return pick_like(weight.dtype,
                     [&](const Dims& sizes) { return sizes == Dims{both ? 2 : 1, in[batch_first ? 0 : 1], hidden}; });
  };
  auto state = pick_state();
  for (int other = 1; !state && other < 4; ++other) {
    if (other % 2 == 1) batch_first = !batch_first;
    if (other == 2) both = !both;
    state = pick_state();
  }
  if (!state) return std::nullopt;
  const auto bias = pick_like(weight.dtype, [&](const Dims& sizes) { return sizes == Dims{rows}; });
  const bool biases = bias && choices.chance(60);
  ValueList params;
  for (int direction = 0; direction < (both ? 2 : 1); ++direction) {
    params.push_back(*of_input);
    params.push_back(*recurrent);
    if (biases) params.insert(params.end(), {*bias, *bias});
  }
  const Argument states = kind == CellKind::Lstm ? Argument(ValueList{*state, *pick_state()}) : Argument(*state);
  return with_defaults(op, {*input, states, std::move(params), Scalar(biases), Scalar(int64_t{1}), Scalar(0.0),
                            Scalar(false), Scalar(both), Scalar(batch_first)});
}

template <CellKind kind>
OpDef layers(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_layers<kind>,
          .reference = reference_layers<kind>,
          .sample = sample_layers<kind>};
}

}  // namespace

std::vector<OpDef> recurrent_family() {
  return {
      layers<CellKind::Lstm>(
          "lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
          "train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)"),
      layers<CellKind::Gru>(
          "gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
          "train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)"),
      layers<CellKind::Tanh>(
          "rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, "
          "bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)"),
      layers<CellKind::Relu>(
          "rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, "
          "bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)"),
  };
}

}  // namespace parallax
