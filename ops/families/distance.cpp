// Distances between the rows of matrices: _cdist_forward of two, _pdist_forward of one.
#include <cmath>
#include <limits>

#include "ops/ball_dot.h"
#include "ops/ball_functions.h"
#include "ops/ball_moments.h"
#include "ops/ball_pairs.h"
#include "ops/ball_sum.h"
#include "ops/contraction.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/pair_sample.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// A row as balls with the storage elements they lie in: an element less itself is 0.
struct Row {
  const BallView* view;
  const int64_t* elements;
  int64_t size;

  const Ball& operator[](int64_t k) const { return view->ball(elements[k]); }
  bool same(const Row& other, int64_t k) const {
    return view->storage == other.view->storage && elements[k] == other.elements[k];
  }
};

Ball difference(const BallMath& math, const Row& a, const Row& b, int64_t k) {
  return math.abs(a.same(b, k) ? math.sub_same(a[k]) : math.sub(a[k], b[k]));
}

// The number of places where the rows differ. Eager's is NaN where one of them is.
Ball count_of_differences(const BallMath& math, const Row& a, const Row& b) {
  BallSum sum(math);
  for (int64_t k = 0; k < a.size; ++k) {
    const Ball distance = difference(math, a, b, k);
    if (is_definite_nan(distance)) {
      sum.add(distance);
      continue;
    }
    if (distance.decided() && contains_zero(distance) && (distance.radius > 0 || distance.may_inf)) {
      return Ball::unknown(Undecided::InexactCompare);
    }
    Ball one = Ball::exact(contains_zero(distance) ? 0 : 1);
    one.may_nan = distance.may_nan;
    one.undecided = distance.undecided;
    sum.add(one);
  }
  return sum.result();
}

// The largest difference. What becomes of a NaN depends on its place in eager.
Ball largest_difference(const BallMath& math, const Row& a, const Row& b) {
  Ball largest = Ball::exact(0);
  for (int64_t k = 0; k < a.size; ++k) {
    const Ball distance = difference(math, a, b, k);
    if (can_be_nan(distance)) return Ball::unknown(Undecided::Unbounded);
    largest = math.maximum(largest, distance);
  }
  return largest;
}

Ball distance_of(const BallMath& math, const Row& a, const Row& b, double p) {
  if (p == 0) return count_of_differences(math, a, b);
  if (std::isinf(p)) return largest_difference(math, a, b);
  BallSum sum(math);
  for (int64_t k = 0; k < a.size; ++k) {
    const Ball distance = difference(math, a, b, k);
    sum.add(p == 1 ? distance : p == 2 ? math.mul_same(distance) : ball_pow(math, distance, math.scalar(p), true));
  }
  if (p == 1) return sum.result();
  const Ball total = not_negative(sum.result());
  return p == 2 ? math.sqrt(total) : ball_pow(math, total, math.div(Ball::exact(1), math.scalar(p)), true);
}

// sqrt(|a|^2 + |b|^2 - 2 a b), by one product of matrices; what is negative there counts as 0.
Ball distance_by_product(const BallMath& math, const Row& a, const Row& b) {
  BallDot dot(math);
  for (int64_t k = 0; k < a.size; ++k) {
    const Factor x(a[k]);
    const Factor y(b[k]);
    Ball doubled = a[k];
    doubled.mid *= -2;
    doubled.radius *= 2;
    dot.add(x, x);
    dot.add(y, y);
    dot.add(Factor(doubled), y);
  }
  return math.sqrt(math.relu(dot.result()));
}

// Eager's kernels take f32 and f64, and look only where there is something to do.
Result<void> check_dtype(const Call& call, DType dtype, bool empty) {
  if (dtype == DType::F32 || dtype == DType::F64 || empty) return {};
  return refuse("{} does not take {}", call.op().name, name(dtype));
}

// The rows as the contraction of x1 with x2's transpose.
Result<Contraction> cdist_rows(const Call& call) {
  const Layout& left = call.tensor(arg::x1).layout;
  Layout right = call.tensor(arg::x2).layout;
  if (left.rank() < 2 || right.rank() < 2) {
    return refuse("{}: matrices are wanted, not tensors of {} and {} dims", call.op().name, left.rank(), right.rank());
  }
  right = *transpose_layout(right, -1, -2);
  const std::optional<Contraction> rows = broadcast_product(left, right);
  if (!rows) return refuse_product(call, left, right);
  return *rows;
}

Metas infer_cdist(const Call& call) {
  const TensorMeta& left = call.tensor(arg::x1);
  const TensorMeta& right = call.tensor(arg::x2);
  TRY(const Contraction rows, cdist_rows(call));
  if (!is_floating(left.dtype) || left.dtype != right.dtype) {
    return refuse("{} does not take {} and {}", call.op().name, name(left.dtype), name(right.dtype));
  }
  const std::optional<int64_t> elements = checked_numel(std::span(rows.sizes.begin(), rows.sizes.end()));
  if (!elements) return refuse("{}: the result is too large", call.op().name);
  TRY_VOID(check_dtype(call, left.dtype, *elements == 0 || rows.inner == 0));
  if (!(call.real(arg::p) >= 0)) return refuse("{}: a p of {}", call.op().name, call.real(arg::p));
  if (call.has(arg::compute_mode) && (call.integer(arg::compute_mode) < 0 || call.integer(arg::compute_mode) > 2)) {
    return refuse("{}: compute_mode {}", call.op().name, call.integer(arg::compute_mode));
  }
  return fresh_result(left.dtype, contiguous_layout(rows.sizes));
}

// Mode 0 multiplies matrices where one has more rows than this, mode 1 always, mode 2 never.
constexpr int64_t rows_for_product = 25;

Result<void> reference_cdist(const ReferenceCall& call) {
  TRY(const Contraction rows, cdist_rows(call));
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const double p = call.real(arg::p);
  const int64_t mode = call.has(arg::compute_mode) ? call.integer(arg::compute_mode) : 0;
  const bool many = rows.rows > rows_for_product || rows.columns > rows_for_product;
  const bool by_product = p == 2 && (mode == 1 || (mode == 0 && many));
  const std::vector<int64_t> left = elements_of(rows.left);
  const std::vector<int64_t> right = elements_of(rows.right);
  int64_t to = 0;
  for (int64_t batch = 0; batch < rows.batches; ++batch) {
    for (int64_t i = 0; i < rows.rows; ++i) {
      const Row a{&call.input(arg::x1), left.data() + (batch * rows.rows + i) * rows.inner, rows.inner};
      for (int64_t j = 0; j < rows.columns; ++j) {
        const Row b{&call.input(arg::x2), right.data() + (batch * rows.columns + j) * rows.inner, rows.inner};
        // The output is fresh and contiguous.
        const Ball distance = distance_of(math, a, b, p);
        // To multiply matrices is a way to be fast, which nobody has to go: what infinities make on it is open.
        output.ball(to++) = by_product ? hull(distance, distance_by_product(math, a, b)) : distance;
      }
    }
  }
  return {};
}

// The distances of each row to the rows after it.
Metas infer_pdist(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (self.layout.rank() != 2) return refuse("{}: a tensor of {} dims", call.op().name, self.layout.rank());
  if (!is_contiguous(self.layout)) return refuse("{} takes contiguous tensors only", call.op().name);
  if (!(call.real(arg::p) >= 0)) return refuse("{}: a p of {}", call.op().name, call.real(arg::p));
  const int64_t rows = self.layout.sizes[0];
  if (rows > (int64_t{1} << 31)) return refuse("{}: the result is too large", call.op().name);
  TRY_VOID(check_dtype(call, self.dtype, rows < 2 || self.layout.numel() == 0));
  return fresh_result(self.dtype, contiguous_layout({rows < 2 ? 0 : rows * (rows - 1) / 2}));
}

Result<void> reference_pdist(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  // Rows without elements are all the same, in any dtype.
  if (!output.floating()) return {};
  const BallMath math(output.dtype, call.profile());
  const std::vector<int64_t> elements = elements_of(self.layout);
  const int64_t size = self.layout.sizes[1];
  const int64_t rows = self.layout.sizes[0];
  int64_t to = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const Row a{&self, elements.data() + i * size, size};
    for (int64_t j = i + 1; j < rows; ++j) {
      output.ball(to++) = distance_of(math, a, {&self, elements.data() + j * size, size}, call.real(arg::p));
    }
  }
  return {};
}

constexpr int64_t most_distances = 256;

Scalar draw_norm(Choices& choices) {
  static constexpr std::array norms = {2.0, 1.0, std::numeric_limits<double>::infinity(), 0.0, 3.0, 1.5};
  return choices.pick(norms);
}

bool has_kernel(DType dtype) { return dtype == DType::F32 || dtype == DType::F64; }

std::optional<std::vector<Argument>> sample_cdist(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const TensorMeta& left, const TensorMeta& right) {
    if (!has_kernel(left.dtype) || left.dtype != right.dtype) return false;
    if (left.layout.rank() < 2 || right.layout.rank() < 2) return false;
    const auto rows = broadcast_product(left.layout, *transpose_layout(right.layout, -1, -2));
    return rows && rows->batches * rows->rows * rows->columns <= most_distances;
  });
  if (!pair) return std::nullopt;
  Choices& choices = context.choices();
  std::vector<Argument> arguments = {pair->first, pair->second, draw_norm(choices), {}};
  if (choices.chance(50)) arguments[3] = Scalar(choices.between(0, 2));
  return arguments;
}

std::optional<std::vector<Argument>> sample_pdist(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return has_kernel(meta.dtype) && meta.layout.rank() == 2 && is_contiguous(meta.layout);
  });
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, draw_norm(context.choices())};
}

}  // namespace

std::vector<OpDef> distance_family() {
  return {
      {.schema = "_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
       .infer = infer_cdist,
       .reference = reference_cdist,
       .sample = sample_cdist},
      {.schema = "_pdist_forward(Tensor self, float p=2.) -> Tensor",
       .infer = infer_pdist,
       .reference = reference_pdist,
       .sample = sample_pdist},
  };
}

}  // namespace parallax
