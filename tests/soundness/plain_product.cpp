// Products of matrices and vectors.
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

// Element k of a row-major matrix's row, or of its column.
PlainTensor stretch(const PlainTensor& from, std::size_t start, std::size_t step, std::size_t count) {
  PlainTensor list(count);
  for (std::size_t k = 0; k < count; ++k) list[k] = from[start + k * step];
  return list;
}

// beta addend + alpha sum, in any of the forms; the addend is not looked at where beta is 0.
double scaled(const Perturbed& p, double sum, double alpha, double addend, double beta) {
  const Arithmetic& a = p.accumulator();
  const double product = alpha == 1 ? p.kept(sum) : p.kept(a.mul(p.kept(sum), p.number(alpha)));
  if (beta == 0) return product;
  return beta == 1 ? a.add(product, addend) : a.fma(p.number(beta), addend, product);
}

// The sum of products; or that of the sixfold operands, by 1 / 36: a sixth may be left to the product.
double dot_of(const Perturbed& p, const PlainTensor& left, const PlainTensor& right) {
  if (!p.takes(Form::FoldedFactors)) return p.dot(left, right);
  const Arithmetic& a = p.accumulator();
  PlainTensor sixfold_left = left;
  PlainTensor sixfold_right = right;
  for (double& x : sixfold_left) x = a.mul(x, 6);
  for (double& x : sixfold_right) x = a.mul(x, 6);
  const double sixth = a.div(1, 6);
  return a.mul(p.dot(sixfold_left, sixfold_right), a.mul(sixth, sixth));
}

// `batches` products of [rows, inner] and [inner, columns]; `finish(place, sum)` makes the result.
template <class Finish>
void multiply(Perturbed& p, const PlainTensor& left, const PlainTensor& right, std::size_t batches, std::size_t rows,
              std::size_t inner, std::size_t columns, PlainTensor& result, Finish finish) {
  for (std::size_t b = 0; b < batches; ++b) {
    for (std::size_t i = 0; i < rows; ++i) {
      const PlainTensor row = stretch(left, (b * rows + i) * inner, 1, inner);
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t place = (b * rows + i) * columns + j;
        result[place] = finish(place, dot_of(p, row, stretch(right, b * inner * columns + j, columns, inner)));
      }
    }
  }
}

std::size_t size(const PlainCall& call, arg name, int dim) { return static_cast<std::size_t>(call.sizes(name)[dim]); }
double as_it_is(std::size_t, double sum) { return sum; }

void mm(Perturbed& p, const PlainCall& call, Results& results) {
  multiply(p, call.elements(arg::self), call.elements(arg::mat2), 1, size(call, arg::self, 0), size(call, arg::self, 1),
           size(call, arg::mat2, 1), results[0], as_it_is);
}
void bmm(Perturbed& p, const PlainCall& call, Results& results) {
  multiply(p, call.elements(arg::self), call.elements(arg::mat2), size(call, arg::self, 0), size(call, arg::self, 1),
           size(call, arg::self, 2), size(call, arg::mat2, 2), results[0], as_it_is);
}
void mv(Perturbed& p, const PlainCall& call, Results& results) {
  multiply(p, call.elements(arg::self), call.elements(arg::vec), 1, size(call, arg::self, 0), size(call, arg::self, 1),
           1, results[0], as_it_is);
}
template <arg right>  // another name in vdot
void dot(Perturbed& p, const PlainCall& call, Results& results) {
  results[0][0] = p.dot(call.elements(arg::self), call.elements(right));
}

void addmm(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor addend = call.broadcast(arg::self);
  multiply(p, call.elements(arg::mat1), call.elements(arg::mat2), 1, size(call, arg::mat1, 0), size(call, arg::mat1, 1),
           size(call, arg::mat2, 1), results[0], [&](std::size_t place, double sum) {
             return scaled(p, sum, call.real(arg::alpha), addend[place], call.real(arg::beta));
           });
}
void baddbmm(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor addend = call.broadcast(arg::self);
  multiply(p, call.elements(arg::batch1), call.elements(arg::batch2), size(call, arg::batch1, 0),
           size(call, arg::batch1, 1), size(call, arg::batch1, 2), size(call, arg::batch2, 2), results[0],
           [&](std::size_t place, double sum) {
             return scaled(p, sum, call.real(arg::alpha), addend[place], call.real(arg::beta));
           });
}

void addmv(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor addend = call.broadcast(arg::self);
  multiply(p, call.elements(arg::mat), call.elements(arg::vec), 1, size(call, arg::mat, 0), size(call, arg::mat, 1), 1,
           results[0], [&](std::size_t place, double sum) {
             return scaled(p, sum, call.real(arg::alpha), addend[place], call.real(arg::beta));
           });
}
// The products of a batch, summed: as one product of matrices side by side.
void addbmm(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor addend = call.broadcast(arg::self);
  const std::size_t batches = size(call, arg::batch1, 0);
  const std::size_t rows = size(call, arg::batch1, 1);
  const std::size_t inner = size(call, arg::batch1, 2);
  PlainTensor left(rows * batches * inner);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::size_t batch = i / inner % batches;
    left[i] = call.elements(arg::batch1)[(batch * rows + i / (batches * inner)) * inner + i % inner];
  }
  multiply(p, left, call.elements(arg::batch2), 1, rows, batches * inner, size(call, arg::batch2, 2), results[0],
           [&](std::size_t place, double sum) {
             return scaled(p, sum, call.real(arg::alpha), addend[place], call.real(arg::beta));
           });
}

// Of vectors, matrices and batches of them that broadcast together: a vector is a row on the left, a column on the
// right.
void matmul(Perturbed& p, const PlainCall& call, Results& results) {
  Dims left = call.sizes(arg::self);
  Dims right = call.sizes(arg::other);
  if (left.size() == 1) left = {1, left[0]};
  if (right.size() == 1) right = {right[0], 1};
  const auto rest = [](const Dims& sizes) { return Dims(std::span(sizes.begin(), sizes.end() - 2)); };
  Dims batch = *broadcast_sizes(rest(left), rest(right));
  std::size_t batches = 1;
  for (const int64_t count : batch) batches *= static_cast<std::size_t>(count);
  const auto whole = [&](const Dims& sizes) {
    Dims all = batch;
    all.push_back(sizes[sizes.size() - 2]);
    all.push_back(sizes[sizes.size() - 1]);
    return all;
  };
  const auto last = [](const Dims& sizes, int back) { return static_cast<std::size_t>(sizes[sizes.size() - back]); };
  multiply(p, broadcast(call.elements(arg::self), left, whole(left)),
           broadcast(call.elements(arg::other), right, whole(right)), batches, last(left, 2), last(left, 1),
           last(right, 1), results[0], as_it_is);
}

// input [..., inner] times the rows of weight [columns, inner] or [inner], and a bias.
void linear(Perturbed& p, const PlainCall& call, Results& results) {
  const std::size_t inner = size(call, arg::weight, call.rank(arg::weight) - 1);
  const std::size_t columns = call.rank(arg::weight) == 2 ? size(call, arg::weight, 0) : 1;
  const Arithmetic& a = p.accumulator();
  for (std::size_t place = 0; place < results[0].size(); ++place) {
    const PlainTensor row = stretch(call.elements(arg::input), place / columns * inner, 1, inner);
    const PlainTensor weights = stretch(call.elements(arg::weight), place % columns * inner, 1, inner);
    const bool biased = call.has(arg::bias);
    const double bias =
        biased ? call.elements(arg::bias)[call.elements(arg::bias).size() == 1 ? 0 : place % columns] : 0;
    const double sum = p.dot(row, weights);
    results[0][place] = biased ? a.add(p.kept(sum), bias) : sum;
  }
}

}  // namespace

std::vector<PlainOp> plain_product_ops() {
  return {
      {"matmul", "aten.mm.default", mm},         {"matmul", "aten.bmm.default", bmm},
      {"matmul", "aten.mv.default", mv},         {"matmul", "aten.dot.default", dot<arg::tensor>},
      {"matmul", "aten.addmm.default", addmm},   {"matmul", "aten.baddbmm.default", baddbmm},
      {"matmul", "aten.linear.default", linear}, {"matmul", "aten.vdot.default", dot<arg::other>},
      {"matmul", "aten.matmul.default", matmul}, {"matmul", "aten.addmv.default", addmv},
      {"matmul", "aten.addbmm.default", addbmm},
  };
}

}  // namespace parallax
