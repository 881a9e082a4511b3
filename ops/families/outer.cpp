// Outer products of two vectors: outer, ger, and addr, which scales one and adds it to a matrix.
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/pair_sample.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// The parameters that an overload multiplies.
struct Factors {
  arg left;
  arg right;
};
constexpr Factors of_outer = {arg::self, arg::vec2};
constexpr Factors of_addr = {arg::vec1, arg::vec2};

Result<void> check_vectors(const Call& call, const Factors& factors) {
  for (const arg factor : {factors.left, factors.right}) {
    const int rank = call.tensor(factor).layout.rank();
    if (rank != 1) return refuse("{}: a tensor of {} dims is not a vector", call.op().name, rank);
  }
  return {};
}

// A vector as a column of a matrix.
Layout as_column(const Layout& vector) { return {{vector.sizes[0], 1}, {vector.strides[0], 0}, vector.offset}; }
// The layout that eager multiplies: the column with the strides that reshape gives it.
Layout eager_column(const TensorMeta& vector, DType dtype) {
  const Layout layout = converted_layout(vector, dtype);
  return {{layout.sizes[0], 1}, {layout.strides[0], layout.strides[0]}, layout.offset};
}

Result<Dims> outer_sizes(const Call& call, const Factors& factors) {
  const Dims sizes{call.tensor(factors.left).layout.sizes[0], call.tensor(factors.right).layout.sizes[0]};
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) {
    return refuse("{}: the result is too large", call.op().name);
  }
  return sizes;
}

Metas infer_outer(const Call& call) {
  TRY_VOID(check_vectors(call, of_outer));
  TRY_VOID(outer_sizes(call, of_outer));
  const DType dtype = result_type(call, {arg::self, arg::vec2});
  const std::array operands = {eager_column(call.tensor(arg::self), dtype),
                               converted_layout(call.tensor(arg::vec2), dtype)};
  TRY(const Layout layout, pointwise_layout(call, operands));
  return fresh_result(dtype, layout);
}

// The elements of the two vectors that meet in each element of the result, row-major.
struct Met {
  std::vector<int64_t> left;
  std::vector<int64_t> right;

  Met(const ReferenceCall& call, const Factors& factors, const Dims& sizes)
      : left(elements_of(*broadcast_to(as_column(call.input(factors.left).layout), sizes))),
        right(elements_of(*broadcast_to(call.input(factors.right).layout, sizes))) {}
};

int64_t wrapping_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

bool one_element(const BallView& a, int64_t i, const BallView& b, int64_t j) {
  return a.storage == b.storage && a.dtype == b.dtype && i == j;
}

Ball product(const BallMath& math, const Ball& a, const Ball& b, bool same) {
  return same ? math.mul_same(a) : math.mul(a, b);
}

Result<void> reference_outer(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& left = call.input(arg::self);
  const BallView& right = call.input(arg::vec2);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const Met met(call, of_outer, output.layout.sizes);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      const Ball a = element_as_ball(left, met.left[i], output.dtype, call.profile());
      const Ball b = element_as_ball(right, met.right[i], output.dtype, call.profile());
      output.ball(elements[i]) = product(math, a, b, one_element(left, met.left[i], right, met.right[i]));
    } else {
      const IntegerBall a = element_as_integer(left, met.left[i], output.dtype);
      const IntegerBall b = element_as_integer(right, met.right[i], output.dtype);
      output.integer(elements[i]) = {wrap_to(output.dtype, wrapping_product(a.value, b.value)),
                                     first_undecided({a, b})};
    }
  }
  return {};
}

// How eager checks beta and alpha against the dtype that addr is computed in.
Result<void> check_scale(const Call& call, const Scalar& scale, DType dtype) {
  if (is_floating(scale) && is_integral(dtype)) {
    return refuse("{}: a real factor needs a floating result", call.op().name);
  }
  if (std::holds_alternative<bool>(scale) && dtype != DType::Bool) {
    return refuse("{}: a bool factor needs a bool result", call.op().name);
  }
  return check_fits(call, scale, dtype);
}

// self is expanded before dtypes are promoted: without dims it counts as much as the vectors do.
DType addr_dtype(const Call& call) {
  const auto type = [&](arg operand) { return OperandType{call.tensor(operand).dtype, OperandType::Rank::Tensor}; };
  const std::array operands = {type(arg::self), type(arg::vec1), type(arg::vec2)};
  return result_type(operands);
}

// beta * self + alpha * outer(vec1, vec2).
Metas infer_addr(const Call& call) {
  TRY_VOID(check_vectors(call, of_addr));
  TRY(const Dims sizes, outer_sizes(call, of_addr));
  const DType dtype = addr_dtype(call);
  for (const arg scale : {arg::beta, arg::alpha}) TRY_VOID(check_scale(call, call.scalar(scale), dtype));
  const std::optional<Layout> self = broadcast_to(converted_layout(call.tensor(arg::self), dtype), sizes);
  if (!self) {
    return refuse("{}: [{}] does not broadcast to [{}]", call.op().name, to_string(call.tensor(arg::self).layout.sizes),
                  to_string(sizes));
  }
  const std::array operands = {*self, eager_column(call.tensor(arg::vec1), dtype),
                               converted_layout(call.tensor(arg::vec2), dtype)};
  TRY(const Layout layout, pointwise_layout(call, operands));
  return fresh_result(dtype, layout);
}

Ball scaled(const BallMath& math, double scale, const Ball& x) {
  if (scale == 1) return x;
  return scale == -1 ? math.neg(x) : math.mul(math.scalar(scale), x);
}

// The products may be associated either way, and what is scaled by a beta of 0 is not read.
Ball added_product(const BallMath& math, double beta, const Ball& self, double alpha, const Ball& a, const Ball& b,
                   bool same) {
  Ball term = scaled(math, alpha, product(math, a, b, same));
  if (alpha != 1 && alpha != -1) term = hull(term, math.mul(scaled(math, alpha, a), b));
  return beta == 0 ? term : math.add(scaled(math, beta, self), term);
}

IntegerBall added_product(DType dtype, int64_t beta, const IntegerBall& self, int64_t alpha, const IntegerBall& a,
                          const IntegerBall& b) {
  const uint64_t term = static_cast<uint64_t>(wrapping_product(wrapping_product(alpha, a.value), b.value));
  if (beta == 0) return {wrap_to(dtype, static_cast<int64_t>(term)), first_undecided({a, b})};
  const uint64_t sum = static_cast<uint64_t>(wrapping_product(beta, self.value)) + term;
  return {wrap_to(dtype, static_cast<int64_t>(sum)), first_undecided({self, a, b})};
}

// Bool counts as logic: (beta and self) or (alpha and a and b).
IntegerBall added_truth(bool beta, const IntegerBall& self, bool alpha, const IntegerBall& a, const IntegerBall& b) {
  const bool term = alpha && a.value != 0 && b.value != 0;
  if (!beta) return {term, first_undecided({a, b})};
  return {term || self.value != 0, first_undecided({self, a, b})};
}

Result<void> reference_addr(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& left = call.input(arg::vec1);
  const BallView& right = call.input(arg::vec2);
  const Dims& sizes = output.layout.sizes;
  const DType dtype = output.dtype;
  const Operand self(call, arg::self, sizes, dtype);
  const Met met(call, of_addr, sizes);
  const BallMath math(output.floating() ? dtype : DType::F32, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      const Ball a = element_as_ball(left, met.left[i], dtype, call.profile());
      const Ball b = element_as_ball(right, met.right[i], dtype, call.profile());
      const bool same = one_element(left, met.left[i], right, met.right[i]);
      output.ball(elements[i]) =
          added_product(math, call.real(arg::beta), self.ball(i), call.real(arg::alpha), a, b, same);
    } else {
      const IntegerBall a = element_as_integer(left, met.left[i], dtype);
      const IntegerBall b = element_as_integer(right, met.right[i], dtype);
      const int64_t beta = number_as(dtype, call.scalar(arg::beta));
      const int64_t alpha = number_as(dtype, call.scalar(arg::alpha));
      output.integer(elements[i]) = dtype == DType::Bool ? added_truth(beta != 0, self.integer(i), alpha != 0, a, b)
                                                         : added_product(dtype, beta, self.integer(i), alpha, a, b);
    }
  }
  return {};
}

// The result of a generated outer product stays this small.
constexpr int64_t most_elements = 256;

bool are_vectors(const TensorMeta& left, const TensorMeta& right) {
  return left.layout.rank() == 1 && right.layout.rank() == 1 &&
         left.layout.numel() * right.layout.numel() <= most_elements;
}

std::optional<std::vector<Argument>> sample_outer(const Op& op, SampleContext& context) {
  const auto pair = pick_pair(context, are_vectors);
  if (!pair) return std::nullopt;
  return with_defaults(op, {pair->first, pair->second});
}

std::optional<std::vector<Argument>> sample_addr(const Op& op, SampleContext& context) {
  const auto takes = [&](const Candidate& candidate, const TensorMeta& left, const TensorMeta& right) {
    const TensorMeta& self = context.meta(candidate.value);
    const Dims sizes{left.layout.sizes[0], right.layout.sizes[0]};
    if (!broadcast_to(self.layout, sizes)) return false;
    const std::array operands = {type_of(self), type_of(left), type_of(right)};
    return !op.writes() || (candidate.writable && self.layout.sizes == sizes && self.storage != left.storage &&
                            self.storage != right.storage && can_cast(result_type(operands), self.dtype));
  };
  const auto pair = pick_pair(context, [&](const TensorMeta& left, const TensorMeta& right) {
    return are_vectors(left, right) && std::ranges::any_of(context.pool(), [&](const Candidate& candidate) {
             return takes(candidate, left, right);
           });
  });
  if (!pair) return std::nullopt;
  const TensorMeta& left = context.meta(pair->first);
  const TensorMeta& right = context.meta(pair->second);
  const auto self =
      context.pick([&](const Candidate& candidate, const TensorMeta&) { return takes(candidate, left, right); });
  std::vector<Argument> arguments = with_defaults(op, {*self, pair->first, pair->second});
  const std::array operands = {type_of(context.meta(*self)), type_of(left), type_of(right)};
  const DType dtype = result_type(operands);
  if (!context.choices().chance(25)) return arguments;
  return with_argument(op, std::move(arguments), arg::alpha, draw_scalar(context.choices(), dtype));
}

}  // namespace

std::vector<OpDef> outer_family() {
  return {
      {.schema = "outer(Tensor self, Tensor vec2) -> Tensor",
       .infer = infer_outer,
       .reference = reference_outer,
       .sample = sample_outer},
      {.schema = "ger(Tensor self, Tensor vec2) -> Tensor",
       .infer = infer_outer,
       .reference = reference_outer,
       .sample = sample_outer},
      {.schema = "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
       .infer = infer_addr,
       .reference = reference_addr,
       .sample = sample_addr},
      inplace_twin("addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
                   "aten.addr.default", sample_addr),
  };
}

}  // namespace parallax
