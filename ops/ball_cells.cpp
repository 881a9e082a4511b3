#include "ops/ball_cells.h"

#include <algorithm>

namespace parallax {
namespace {

std::vector<Factor> factors(std::span<const Ball> balls) { return std::vector<Factor>(balls.begin(), balls.end()); }

// The sums behind the gates of one step.
class Gates {
 public:
  Gates(const BallMath& math, const CellWeights& weights, std::span<const Ball> input, std::span<const Ball> hidden)
      : math_(&math), weights_(&weights), input_(factors(input)), hidden_(factors(hidden)) {}

  // Of the input and the state, with both biases, in any order.
  Ball of_both(std::size_t row) const {
    BallDot dot(*math_);
    add_input(dot, row);
    add_hidden(dot, row);
    return dot.result(1, Ball::exact(0), parts);
  }
  Ball of_hidden(std::size_t row) const {
    BallDot dot(*math_);
    add_hidden(dot, row);
    return dot.result(1, Ball::exact(0), parts);
  }
  // Of the input, with something added.
  Ball of_input(std::size_t row, const Ball& addend) const {
    BallDot dot(*math_);
    add_input(dot, row);
    add_alone(dot, addend);
    return dot.result(1, Ball::exact(0), parts);
  }

 private:
  // Products and biases of halves are stored before they are added.
  static constexpr int64_t parts = 4;

  static void add_products(BallDot& dot, const std::vector<Factor>& matrix, const std::vector<Factor>& vector,
                           std::size_t row) {
    for (std::size_t i = 0; i < vector.size(); ++i) dot.add(matrix[row * vector.size() + i], vector[i]);
  }
  // A term like the others: biases that cancel are not known to be added to one another first.
  static void add_alone(BallDot& dot, const Ball& term) { dot.add(Factor(term), Factor(Ball::exact(1))); }
  void add_input(BallDot& dot, std::size_t row) const {
    add_products(dot, weights_->input, input_, row);
    if (!weights_->input_bias.empty()) add_alone(dot, weights_->input_bias[row]);
  }
  void add_hidden(BallDot& dot, std::size_t row) const {
    add_products(dot, weights_->hidden, hidden_, row);
    if (!weights_->hidden_bias.empty()) add_alone(dot, weights_->hidden_bias[row]);
  }

  const BallMath* math_;
  const CellWeights* weights_;
  std::vector<Factor> input_;
  std::vector<Factor> hidden_;
};

CellState lstm(const BallMath& math, const Gates& gates, const CellState& before) {
  const std::size_t size = before.hidden.size();
  CellState after;
  for (std::size_t k = 0; k < size; ++k) {
    const Ball in = math.sigmoid(gates.of_both(k));
    const Ball forget = math.sigmoid(gates.of_both(size + k));
    const Ball candidate = math.tanh(gates.of_both(2 * size + k));
    const Ball out = math.sigmoid(gates.of_both(3 * size + k));
    const Ball cell = math.add(math.mul(forget, before.cell[k]), math.mul(in, candidate));
    after.cell.push_back(cell);
    after.hidden.push_back(math.mul(out, math.tanh(cell)));
  }
  return after;
}

// (1 - z) n + z h, or n + z (h - n). Both lie between n and h: what an operand is off by counts once, by its weight.
Ball mixed(const BallMath& math, const Ball& z, const Ball& n, const Ball& h) {
  if (!is_plain(z) || !is_plain(n) || !is_plain(h)) {
    const Ball by_weights = math.add(math.mul(math.sub(Ball::exact(1), z), n), math.mul(z, h));
    return hull(by_weights, math.add(n, math.mul(z, math.sub(h, n))));
  }
  const double mid = n.mid + z.mid * (h.mid - n.mid);
  const double of_z = z.radius * (std::fabs(h.mid - n.mid) + h.radius + n.radius);
  const double inherited = std::fabs(1 - z.mid) * n.radius + std::fabs(z.mid) * h.radius + of_z;
  const double most = (reach(n) + reach(h)) * std::max(1.0, reach(z));
  return math.with_error(mid, inherited * (1 + 0x1p-48) + most * 0x1p-50, 5 * math.rounding(most));
}

CellState gru(const BallMath& math, const Gates& gates, const CellState& before) {
  const std::size_t size = before.hidden.size();
  CellState after;
  for (std::size_t k = 0; k < size; ++k) {
    const Ball reset = math.sigmoid(gates.of_both(k));
    const Ball update = math.sigmoid(gates.of_both(size + k));
    const Ball of_state = math.mul(reset, gates.of_hidden(2 * size + k));
    const Ball candidate = math.tanh(gates.of_input(2 * size + k, of_state));
    after.hidden.push_back(mixed(math, update, candidate, before.hidden[k]));
  }
  return after;
}

template <Ball (BallMath::*function)(const Ball&) const>
CellState simple(const BallMath& math, const Gates& gates, const CellState& before) {
  CellState after;
  for (std::size_t k = 0; k < before.hidden.size(); ++k) after.hidden.push_back((math.*function)(gates.of_both(k)));
  return after;
}

}  // namespace

CellState step(const BallMath& math, CellKind kind, const CellWeights& weights, std::span<const Ball> input,
               const CellState& before) {
  const Gates gates(math, weights, input, before.hidden);
  switch (kind) {
    case CellKind::Lstm:
      return lstm(math, gates, before);
    case CellKind::Gru:
      return gru(math, gates, before);
    case CellKind::Tanh:
      return simple<&BallMath::tanh>(math, gates, before);
    case CellKind::Relu:
      return simple<&BallMath::relu>(math, gates, before);
  }
  PARALLAX_CHECK(false);
}

}  // namespace parallax
