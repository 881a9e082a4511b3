// Recurrent layers as the products, gates and sums of each step.
#include <array>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

Term selected(Term x, int64_t index) {
  return x.composer->call("aten.select.int", {x.value, Scalar(int64_t{0}), Scalar(index)});
}

Term joined(Composer& c, std::string_view op, const Terms& parts, int64_t dim) {
  ValueList values;
  for (const Term& part : parts) values.push_back(part.value);
  return c.call(op, {values, Scalar(dim)});
}

Term member(Composer& c, arg list, std::size_t place) {
  return c.cast({&c, std::get<ValueList>(c.argument(list))[place]}, c.computed_in());
}

// The transposed weights and the biases of one layer in one direction.
struct Weights {
  Term input;
  Term hidden;
  bool biased = false;
  Term input_bias;
  Term hidden_bias;
};

Weights weights_of(Composer& c, std::size_t cell) {
  const bool biased = c.boolean(arg::has_biases);
  const std::size_t first = cell * (biased ? 4 : 2);
  Weights weights{
      swapped(member(c, arg::params, first), 0, 1), swapped(member(c, arg::params, first + 1), 0, 1), biased, {}, {}};
  if (biased) {
    weights.input_bias = member(c, arg::params, first + 2);
    weights.hidden_bias = member(c, arg::params, first + 3);
  }
  return weights;
}

struct State {
  Term hidden;
  Term cell;
};

Term gate(Term gates, int64_t number, int64_t size) {
  return gates.composer->call("aten.slice.Tensor",
                              {gates.value, Scalar(int64_t{1}), Scalar(number * size), Scalar((number + 1) * size)});
}

// The state after a step, from the gates' parts that come from the input and from the state before.
using Step = State (*)(Term of_input, Term of_hidden, const State& before, int64_t size);

State lstm_step(Term of_input, Term of_hidden, const State& before, int64_t size) {
  const Term gates = of_input + of_hidden;
  const auto open = [&](int64_t number) { return apply("sigmoid", gate(gates, number, size)); };
  const Term cell = open(1) * before.cell + open(0) * apply("tanh", gate(gates, 2, size));
  return {open(3) * apply("tanh", cell), cell};
}

State gru_step(Term of_input, Term of_hidden, const State& before, int64_t size) {
  const auto open = [&](int64_t number) {
    return apply("sigmoid", gate(of_input, number, size) + gate(of_hidden, number, size));
  };
  const Term candidate = apply("tanh", gate(of_input, 2, size) + open(0) * gate(of_hidden, 2, size));
  return {candidate + open(1) * (before.hidden - candidate), {}};
}

State tanh_step(Term of_input, Term of_hidden, const State&, int64_t) {
  return {apply("tanh", of_input + of_hidden), {}};
}
State relu_step(Term of_input, Term of_hidden, const State&, int64_t) {
  return {apply("relu", of_input + of_hidden), {}};
}

// One layer in one direction: its result at each step, and the last state.
std::pair<Terms, State> run_cell(Composer& c, Step step, const Terms& inputs, std::size_t cell, bool backwards,
                                 State state) {
  const Weights weights = weights_of(c, cell);
  const int64_t size = c.sizes(state.hidden).back();
  Terms outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t t = backwards ? inputs.size() - 1 - i : i;
    Term of_input = multiplied(inputs[t], weights.input);
    Term of_hidden = multiplied(state.hidden, weights.hidden);
    if (weights.biased) {
      of_input = of_input + weights.input_bias;
      of_hidden = of_hidden + weights.hidden_bias;
    }
    state = step(of_input, of_hidden, state, size);
    outputs[t] = state.hidden;
  }
  return {std::move(outputs), state};
}

// Sequences are taken apart: a program holds each step.
constexpr int64_t most_steps = 4096;

template <Step step, bool has_cell>
Terms layers(Composer& c) {
  Term input = c.operand(arg::input);
  if (c.boolean(arg::batch_first)) input = swapped(input, 0, 1);
  const int64_t steps = c.sizes(input).size() == 3 ? c.sizes(input)[0] : 0;
  const int64_t count = c.integer(arg::num_layers);
  const int64_t directions = c.boolean(arg::bidirectional) ? 2 : 1;
  if (steps * count * directions > most_steps) return {};
  const auto state_of = [&](std::size_t place, std::size_t cell) {
    const Term states = has_cell ? member(c, arg::hx, place) : c.operand(arg::hx);
    return selected(states, static_cast<int64_t>(cell));
  };
  Terms sequence;
  for (int64_t t = 0; t < steps; ++t) sequence.push_back(selected(input, t));
  Terms hidden;
  Terms cells;
  for (int64_t layer = 0; layer < count; ++layer) {
    std::vector<Terms> parts;
    for (int64_t direction = 0; direction < directions; ++direction) {
      const auto cell = static_cast<std::size_t>(layer * directions + direction);
      const State before{state_of(0, cell), has_cell ? state_of(1, cell) : Term()};
      auto [outputs, last] = run_cell(c, step, sequence, cell, direction == 1, before);
      parts.push_back(std::move(outputs));
      hidden.push_back(last.hidden);
      cells.push_back(last.cell);
    }
    for (std::size_t t = 0; t < sequence.size(); ++t) {
      sequence[t] = directions == 1 ? parts[0][t] : joined(c, "aten.cat.default", {parts[0][t], parts[1][t]}, 1);
    }
  }
  Term output = joined(c, "aten.stack.default", sequence, 0);
  if (c.boolean(arg::batch_first)) output = swapped(output, 0, 1);
  Terms results = {output, joined(c, "aten.stack.default", hidden, 0)};
  if (has_cell) results.push_back(joined(c, "aten.stack.default", cells, 0));
  return results;
}

constexpr std::array recurrence_rows = {
    Decomposition{"aten.lstm.input", layers<lstm_step, true>},
    Decomposition{"aten.gru.input", layers<gru_step, false>},
    Decomposition{"aten.rnn_tanh.input", layers<tanh_step, false>},
    Decomposition{"aten.rnn_relu.input", layers<relu_step, false>},
};

}  // namespace

DecompositionTable::Rows recurrence_decompositions() { return recurrence_rows; }

}  // namespace parallax
