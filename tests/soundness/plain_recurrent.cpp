// Recurrent layers step by step: gates as one product over input and state or as two, stored between or not.
#include <algorithm>
#include <cmath>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

double sigmoid(const Perturbed& p, double x) {
  return p.fn([](auto y) { return 1 / (1 + std::exp(-y)); }, x);
}
double hyperbolic(const Perturbed& p, double x) {
  return p.fn([](auto y) { return std::tanh(y); }, x);
}

// One layer in one direction.
struct Cell {
  const PlainTensor* input;
  const PlainTensor* hidden;
  const PlainTensor* input_bias = nullptr;
  const PlainTensor* hidden_bias = nullptr;
};

std::vector<double> row_of(const PlainTensor& matrix, std::size_t row, std::size_t length) {
  const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(row * length);
  return {first, first + static_cast<std::ptrdiff_t>(length)};
}

// The sums of one step.
class Sums {
 public:
  Sums(const Perturbed& p, const Cell& cell, const PlainTensor& x, const PlainTensor& h)
      : p_(&p), cell_(&cell), x_(&x), h_(&h) {}

  double of_input(std::size_t row) const { return biased(*cell_->input, *x_, cell_->input_bias, row); }
  double of_hidden(std::size_t row) const { return biased(*cell_->hidden, *h_, cell_->hidden_bias, row); }
  double of_both(std::size_t row) const {
    if (!p_->other_form()) return p_->kept(p_->add(of_input(row), of_hidden(row)));
    PlainTensor weights = row_of(*cell_->input, row, x_->size());
    const PlainTensor more = row_of(*cell_->hidden, row, h_->size());
    weights.insert(weights.end(), more.begin(), more.end());
    PlainTensor factors = *x_;
    factors.insert(factors.end(), h_->begin(), h_->end());
    const Arithmetic& a = p_->accumulator();
    const double product = a.dot(weights, factors);
    if (cell_->input_bias == nullptr) return p_->kept(product);
    return p_->kept(a.add(product, a.add((*cell_->input_bias)[row], (*cell_->hidden_bias)[row])));
  }

 private:
  double biased(const PlainTensor& matrix, const PlainTensor& vector, const PlainTensor* bias, std::size_t row) const {
    const double product = p_->kept(p_->dot(row_of(matrix, row, vector.size()), vector));
    return bias == nullptr ? product : p_->kept(p_->add(product, (*bias)[row]));
  }

  const Perturbed* p_;
  const Cell* cell_;
  const PlainTensor* x_;
  const PlainTensor* h_;
};

// What the steps of one row change: the state, and the cell of an LSTM.
struct State {
  PlainTensor hidden;
  PlainTensor cell;
};

void lstm_step(const Perturbed& p, const Sums& sums, State& state) {
  const std::size_t size = state.hidden.size();
  State next = state;
  for (std::size_t k = 0; k < size; ++k) {
    const double in = p.kept(sigmoid(p, sums.of_both(k)));
    const double forget = p.kept(sigmoid(p, sums.of_both(size + k)));
    const double candidate = p.kept(hyperbolic(p, sums.of_both(2 * size + k)));
    const double out = p.kept(sigmoid(p, sums.of_both(3 * size + k)));
    const double cell = p.kept(p.fma(forget, state.cell[k], p.kept(p.mul(in, candidate))));
    next.cell[k] = cell;
    next.hidden[k] = p.kept(p.mul(out, p.kept(hyperbolic(p, cell))));
  }
  state = next;
}

void gru_step(const Perturbed& p, const Sums& sums, State& state) {
  const std::size_t size = state.hidden.size();
  State next = state;
  for (std::size_t k = 0; k < size; ++k) {
    const double reset = p.kept(sigmoid(p, sums.of_both(k)));
    const double update = p.kept(sigmoid(p, sums.of_both(size + k)));
    const double of_state = p.kept(p.mul(reset, sums.of_hidden(2 * size + k)));
    const double n = p.kept(hyperbolic(p, p.kept(p.add(sums.of_input(2 * size + k), of_state))));
    const double h = state.hidden[k];
    next.hidden[k] = p.other_form() ? p.add(p.kept(p.mul(p.kept(p.sub(1, update)), n)), p.kept(p.mul(update, h)))
                                    : p.fma(update, p.kept(p.sub(h, n)), n);
    next.hidden[k] = p.kept(next.hidden[k]);
  }
  state = next;
}

void tanh_step(const Perturbed& p, const Sums& sums, State& state) {
  State next = state;
  for (std::size_t k = 0; k < state.hidden.size(); ++k) next.hidden[k] = p.kept(hyperbolic(p, sums.of_both(k)));
  state = next;
}

void relu_step(const Perturbed& p, const Sums& sums, State& state) {
  State next = state;
  for (std::size_t k = 0; k < state.hidden.size(); ++k) next.hidden[k] = p.kept(p.maximum(sums.of_both(k), 0));
  state = next;
}

using Step = void (*)(const Perturbed& p, const Sums& sums, State& state);

template <Step step, bool has_cell>
void layers(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  const ValueList states = has_cell ? call.values(arg::hx) : ValueList{call.value(arg::hx)};
  const Dims& sizes = call.sizes(arg::input);
  const bool batch_first = call.boolean(arg::batch_first);
  const auto steps = static_cast<std::size_t>(sizes[batch_first ? 1 : 0]);
  const auto batch = static_cast<std::size_t>(sizes[batch_first ? 0 : 1]);
  const auto hidden = static_cast<std::size_t>(call.meta(states[0]).layout.sizes[2]);
  const std::size_t directions = call.boolean(arg::bidirectional) ? 2 : 1;
  const std::size_t tensors = call.boolean(arg::has_biases) ? 4 : 2;
  const auto place = [&](std::size_t t, std::size_t b) { return batch_first ? b * steps + t : t * batch + b; };
  const ValueList& params = call.values(arg::params);
  std::size_t width = static_cast<std::size_t>(sizes[2]);
  PlainTensor sequence = call.elements(arg::input);
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(call.integer(arg::num_layers)); ++layer) {
    PlainTensor next(steps * batch * hidden * directions);
    for (std::size_t direction = 0; direction < directions; ++direction) {
      const std::size_t number = layer * directions + direction;
      const auto param = [&](std::size_t k) { return &call.elements_of_value(params[number * tensors + k]); };
      const Cell cell{param(0), param(1), tensors == 4 ? param(2) : nullptr, tensors == 4 ? param(3) : nullptr};
      for (std::size_t b = 0; b < batch; ++b) {
        State state{row_of(call.elements_of_value(states[0]), number * batch + b, hidden), {}};
        if (has_cell) state.cell = row_of(call.elements_of_value(states[1]), number * batch + b, hidden);
        for (std::size_t i = 0; i < steps; ++i) {
          const std::size_t t = direction == 1 ? steps - 1 - i : i;
          const PlainTensor x = row_of(sequence, place(t, b), width);
          step(p, Sums(p, cell, x, state.hidden), state);
          std::ranges::copy(state.hidden, next.begin() + static_cast<std::ptrdiff_t>(
                                                             (place(t, b) * directions + direction) * hidden));
        }
        const auto to = static_cast<std::ptrdiff_t>((number * batch + b) * hidden);
        std::ranges::copy(state.hidden, results[1].begin() + to);
        if (has_cell) std::ranges::copy(state.cell, results[2].begin() + to);
      }
    }
    sequence = std::move(next);
    width = hidden * directions;
  }
  results[0] = sequence;
}

}  // namespace

std::vector<PlainOp> plain_recurrent_ops() {
  return {
      {"recurrent", "aten.lstm.input", layers<lstm_step, true>},
      {"recurrent", "aten.gru.input", layers<gru_step, false>},
      {"recurrent", "aten.rnn_tanh.input", layers<tanh_step, false>},
      {"recurrent", "aten.rnn_relu.input", layers<relu_step, false>},
  };
}

}  // namespace parallax
