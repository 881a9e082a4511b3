// Triangles and diagonals of matrices: tril, triu, their indices, eye, diag_embed.
#include <algorithm>

#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// The dtype of a tensor made from numbers alone: f32 where none is given.
DType wanted_dtype(const Call& call) { return call.dtype(arg::dtype).value_or(DType::F32); }

void set_number(const BallView& view, int64_t element, int64_t number) {
  if (view.floating()) {
    view.ball(element) = Ball::exact(static_cast<double>(number));
  } else {
    view.integer(element) = {number, Undecided::No};
  }
}

// Whether column - row, at most `diagonal` (tril) or at least (triu), is kept. Differences of sizes do not overflow.
enum class Side { Lower, Upper };
bool keeps(Side side, int64_t row, int64_t column, int64_t diagonal) {
  return side == Side::Lower ? column - row <= diagonal : column - row >= diagonal;
}

Metas infer_triangle(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (self.layout.rank() < 2) return refuse("{}: {} dims are no matrix", call.op().name, self.layout.rank());
  return std::vector{ResultMeta{self.dtype, contiguous_layout(self.layout.sizes), ValueId()}};
}

// An expanded self is written all the same; what meets in one element then depends on eager's order.
Metas infer_triangle_inplace(const Call& call) {
  TRY_VOID(infer_triangle(call));
  const TensorMeta& self = call.tensor(arg::self);
  return std::vector{ResultMeta{self.dtype, self.layout, call.value(arg::self)}};
}

template <Side side>
Result<void> reference_triangle(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  const int rank = self.layout.rank();
  for_each_index(output.layout.sizes, [&](const Dims& at) {
    const int64_t to = element_at(output.layout, at);
    if (keeps(side, at[rank - 2], at[rank - 1], call.integer(arg::diagonal))) {
      convert_element(self, element_at(self.layout, at), output, to, call.profile());
    } else {
      set_number(output, to, 0);
    }
  });
  return {};
}

// In place, what is kept stays where it is; elements that share a place with a cleared one are cleared or not.
template <Side side>
Result<void> reference_triangle_inplace(const ReferenceCall& call) {
  const BallView& output = call.output();
  const int rank = output.layout.rank();
  const bool overlaps = overlaps_itself(output.layout);
  std::vector<int64_t> kept;
  for_each_index(output.layout.sizes, [&](const Dims& at) {
    const int64_t element = element_at(output.layout, at);
    if (!keeps(side, at[rank - 2], at[rank - 1], call.integer(arg::diagonal))) {
      set_number(output, element, 0);
    } else if (overlaps) {
      kept.push_back(element);
    }
  });
  if (!overlaps) return {};
  std::vector<bool> cleared(std::max(output.storage->balls.size(), output.storage->integers.size()), false);
  for_each_index(output.layout.sizes, [&](const Dims& at) {
    if (keeps(side, at[rank - 2], at[rank - 1], call.integer(arg::diagonal))) return;
    cleared[static_cast<std::size_t>(element_at(output.layout, at))] = true;
  });
  for (int64_t element : kept) {
    if (cleared[static_cast<std::size_t>(element)]) set_undecided(output, element, Undecided::DuplicateIndex);
  }
  return {};
}

// tril_indices and triu_indices

// Tables of more elements are a mistake in the input.
constexpr int64_t most_rows = int64_t{1} << 22;

// How many columns of a row belong to the side.
int64_t columns_kept(Side side, int64_t row, int64_t columns, int64_t offset) {
  const int64_t border = side == Side::Lower ? row + offset + 1 : row + offset;
  const int64_t before = std::clamp<int64_t>(border, 0, columns);
  return side == Side::Lower ? before : columns - before;
}

template <Side side>
Metas infer_indices(const Call& call) {
  const int64_t rows = call.integer(arg::row);
  const int64_t columns = call.integer(arg::col);
  const int64_t offset = call.integer(arg::offset);
  const DType dtype = call.dtype(arg::dtype).value_or(DType::I64);
  if (rows < 0 || columns < 0) return refuse("{}: a size of {} x {}", call.op().name, rows, columns);
  if (dtype != DType::I64 && dtype != DType::I32) return refuse("{}: {} holds no indices", call.op().name, name(dtype));
  if (rows > most_rows || columns > most_rows || offset > most_rows || offset < -most_rows) {
    return fail("{}: {} x {} from {} is too large", call.op().name, rows, columns, offset);
  }
  int64_t count = 0;
  for (int64_t row = 0; row < rows; ++row) count += columns_kept(side, row, columns, offset);
  return std::vector{ResultMeta{dtype, contiguous_layout({2, count}), ValueId()}};
}

template <Side side>
Result<void> reference_indices(const ReferenceCall& call) {
  const BallView& output = call.output();
  const int64_t columns = call.integer(arg::col);
  const int64_t count = output.layout.sizes[1];
  int64_t at = 0;
  for (int64_t row = 0; row < call.integer(arg::row); ++row) {
    const int64_t kept = columns_kept(side, row, columns, call.integer(arg::offset));
    const int64_t first = side == Side::Lower ? 0 : columns - kept;
    for (int64_t column = first; column < first + kept; ++column, ++at) {
      output.integer(at) = {row, Undecided::No};
      output.integer(count + at) = {column, Undecided::No};
    }
  }
  return {};
}

// eye: n rows, and m columns or as many

Metas infer_eye(const Call& call) {
  const int64_t rows = call.integer(arg::n);
  const int64_t columns = call.takes(arg::m) ? call.integer(arg::m) : rows;
  if (rows < 0 || columns < 0) return refuse("{}: a size of {} x {}", call.op().name, rows, columns);
  const Dims sizes{rows, columns};
  if (!checked_numel(std::span(sizes.begin(), sizes.end())))
    return fail("{}: [{}] is too large", call.op().name, to_string(sizes));
  return std::vector{ResultMeta{wanted_dtype(call), contiguous_layout(sizes), ValueId()}};
}

Result<void> reference_eye(const ReferenceCall& call) {
  const BallView& output = call.output();
  for_each_index(output.layout.sizes,
                 [&](const Dims& at) { set_number(output, element_at(output.layout, at), at[0] == at[1]); });
  return {};
}

// diag_embed: self's last dim on a diagonal of two new ones

struct Embedding {
  Layout layout;
  Layout diagonal;  // of it
};

Result<Embedding> embedding(const Call& call) {
  const Dims& self = call.tensor(arg::self).layout.sizes;
  const int64_t offset = call.integer(arg::offset);
  if (self.size() + 1 > max_rank) return fail("the result has more than {} dims", max_rank);
  TRY(int first, wrap_dim(call.integer(arg::dim1), self.size() + 1));
  TRY(int second, wrap_dim(call.integer(arg::dim2), self.size() + 1));
  if (first == second) return refuse("the diagonal's dims are both {}", first);
  if (self.empty()) return refuse("a 0-d tensor has no diagonal");
  if (offset > most_rows || offset < -most_rows) return fail("offset {} is too large", offset);
  const int64_t size = self.back() + (offset < 0 ? -offset : offset);
  Dims sizes = self;
  sizes.erase(self.size() - 1);
  sizes.insert(std::min(first, second), size);
  sizes.insert(std::max(first, second), size);
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) return fail("[{}] is too large", to_string(sizes));
  const Layout layout = contiguous_layout(sizes);
  TRY(const Layout diagonal, diagonal_layout(layout, offset, first, second));
  return Embedding{layout, diagonal};
}

Metas infer_diag_embed(const Call& call) {
  const Result<Embedding> result = embedding(call);
  if (!result) return in_op(call, result.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, result->layout, ValueId()}};
}

Result<void> reference_diag_embed(const ReferenceCall& call) {
  const BallView& output = call.output();
  TRY(const Embedding result, embedding(call));
  for_each_element(output.layout, [&](int64_t element) { set_number(output, element, 0); });
  copy_elements(call.input(arg::self), with_layout(output, result.diagonal), call.profile());
  return {};
}

Drawn sample_triangle(const Op& op, SampleContext& context) {
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return meta.layout.rank() >= 2 && (!op.writes() || candidate.writable);
  });
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, integer_argument(context.choices().between(-2, 2))};
}

Drawn sample_indices(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  std::vector<Argument> arguments =
      with_defaults(op, {integer_argument(choices.between(0, 4)), integer_argument(choices.between(0, 4)),
                         integer_argument(choices.between(-1, 1))});
  if (!choices.chance(20)) return arguments;
  return with_argument(op, std::move(arguments), arg::dtype, DType::I32);
}

Drawn sample_eye(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  std::vector<Argument> given{integer_argument(choices.between(0, 4))};
  if (op.schema.index_of(arg::m) >= 0) given.push_back(integer_argument(choices.between(0, 4)));
  given.emplace_back(draw_dtype(choices));
  return with_defaults(op, std::move(given));
}

Drawn sample_diag_embed(const Op& op, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return meta.layout.rank() >= 1 && meta.layout.rank() < max_sample_rank &&
           meta.layout.numel() * (meta.layout.sizes.back() + 1) <= 128;
  });
  if (!self) return std::nullopt;
  const auto [first, second] = draw_dim_pair(context.choices(), context.meta(*self).layout.rank() + 1);
  return with_defaults(op, {*self, integer_argument(context.choices().between(-1, 1)), integer_argument(first),
                            integer_argument(second)});
}

template <Side side>
OpDef triangle(std::string_view schema) {
  return {.schema = schema, .infer = infer_triangle, .reference = reference_triangle<side>, .sample = sample_triangle};
}

template <Side side>
OpDef triangle_twin(std::string_view schema, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_triangle_inplace,
          .reference = reference_triangle_inplace<side>,
          .sample = sample_triangle,
          .functional = functional};
}

template <Side side>
OpDef indices(std::string_view schema) {
  return {
      .schema = schema, .infer = infer_indices<side>, .reference = reference_indices<side>, .sample = sample_indices};
}

OpDef eye(std::string_view schema) {
  return {.schema = schema, .infer = infer_eye, .reference = reference_eye, .sample = sample_eye};
}

}  // namespace

std::vector<OpDef> triangle_family() {
  return {
      triangle<Side::Lower>("tril(Tensor self, SymInt diagonal=0) -> Tensor"),
      triangle<Side::Upper>("triu(Tensor self, SymInt diagonal=0) -> Tensor"),
      triangle_twin<Side::Lower>("tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)", "aten.tril.default"),
      triangle_twin<Side::Upper>("triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)", "aten.triu.default"),
      indices<Side::Lower>("tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
                           "Device? device=None, bool? pin_memory=None) -> Tensor"),
      indices<Side::Upper>("triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
                           "Device? device=None, bool? pin_memory=None) -> Tensor"),
      eye("eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
          "pin_memory=None) -> Tensor"),
      eye("eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
          "pin_memory=None) -> Tensor"),
      {.schema = "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
       .infer = infer_diag_embed,
       .reference = reference_diag_embed,
       .sample = sample_diag_embed},
  };
}

}  // namespace parallax
