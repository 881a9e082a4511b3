#include "compiler/composer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/decomposition.h"
#include "compiler/functional_form.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// "aten.sum.dim_IntList" → "sum".
std::string short_name(std::string_view op) {
  const std::size_t start = op.find('.') + 1;
  return std::string(op.substr(start, op.find('.', start) - start));
}

bool is_half(DType dtype) { return is_floating(dtype) && size_of(dtype) == 2; }

Term binary(std::string_view op, Term a, Argument b) { return a.composer->call(op, {a.value, std::move(b)}); }

}  // namespace

Composer::Composer(Rewriter& rewriter, const DecompositionTable& table, const Op& op, std::vector<Argument> arguments,
                   std::vector<ResultMeta> results, std::string stem)
    : rewriter_(rewriter),
      table_(table),
      op_(op),
      arguments_(std::move(arguments)),
      results_(std::move(results)),
      stem_(std::move(stem)),
      first_storage_(rewriter.builder().graph().storages.size()) {}

const Argument& Composer::argument(ParameterRef p) const {
  const int at = op_.schema.index_of(p);
  PARALLAX_CHECK(at >= 0);
  return arguments_[static_cast<std::size_t>(at)];
}

const TensorMeta& Composer::meta(Term term) const {
  static const TensorMeta unknown;
  return term.value.valid() ? rewriter_.meta(term.value) : unknown;
}

DType Composer::computed_in() const { return is_half(result().dtype) ? DType::F32 : result().dtype; }

Term Composer::raw(ParameterRef p) {
  if (const auto* value = std::get_if<ValueId>(&argument(p))) return {this, *value};
  constexpr std::array kinds = {DType::Bool, DType::I64, DType::F64};
  return number(scalar(p), kinds[scalar(p).index()]);
}

Term Composer::converted(ParameterRef p) {
  const auto* stands_in = std::get_if<Scalar>(&argument(p));
  return stands_in ? number(*stands_in, result().dtype) : cast(raw(p), result().dtype);
}

Term Composer::operand(ParameterRef p) {
  const auto* stands_in = std::get_if<Scalar>(&argument(p));
  return stands_in ? number(*stands_in, computed_in()) : cast(converted(p), computed_in());
}

Term Composer::call(std::string_view op, std::vector<Argument> positional, NamedArguments named) {
  if (error_) return {this, ValueId()};
  const auto made = [&]() -> Result<ValueId> {
    const Op& record = op_named(op);
    TRY(std::vector<Argument> arguments, bind_arguments(record, std::move(positional), std::move(named)));
    const std::string name = rewriter_.fresh_name(stem_ + "_" + short_name(op));
    TRY(const std::optional<std::vector<ValueId>> parts, composed(rewriter_, table_, record, arguments, name));
    if (parts) return parts->front();
    TRY(const std::vector<ValueId> results, rewriter_.builder().add_node(record, std::move(arguments), name));
    return results.front();
  }();
  if (made) return {this, *made};
  error_ = made.error();
  return {this, ValueId()};
}

DType Composer::common_dtype(Term a, Term b) const {
  if (error_) return result().dtype;
  const Op& sum = op_named("aten.add.Tensor");
  const std::vector<Argument> operands = {a.value, b.value, Scalar(int64_t{1})};
  const Metas made = sum.infer(Call(sum, operands, rewriter_.builder().graph().metas));
  return made ? made->front().dtype : result().dtype;
}

Term Composer::cast(Term term, DType dtype) {
  if (error_ || meta(term).dtype == dtype) return term;
  return call("aten._to_copy.default", {term.value}, {{"dtype", dtype}});
}

Term Composer::number(Scalar number, DType dtype) { return full({}, number, dtype); }

Term Composer::full(const Dims& sizes, Scalar number, DType dtype) {
  return call("aten.full.default", {to_list(sizes), number}, {{"dtype", dtype}});
}

// The elements in the order in which they are to lie, copied so, and seen as eager sees them.
Term Composer::laid_out(Term term, const Layout& layout) {
  if (error_ || meta(term).layout == layout) return term;
  IntList order(static_cast<std::size_t>(layout.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return layout.strides[static_cast<int>(a)] > layout.strides[static_cast<int>(b)];
  });
  const Term turned = call("aten.permute.default", {term.value, order});
  const Term copy = call("aten.clone.default", {turned.value}, {{"memory_format", MemoryFormat::Contiguous}});
  return call("aten.as_strided.default",
              {copy.value, to_list(layout.sizes), to_list(layout.strides), Scalar(layout.offset)});
}

// Eager makes a new tensor: an operand that came through is none, and neither is another result.
Term Composer::fitted(Term term, const ResultMeta& wanted) {
  term = cast(term, wanted.dtype);
  if (!error_ && sizes(term) != wanted.layout.sizes) {
    error_ = Error{ErrorKind::Invalid, "", "", fmt::format("the parts of {} ({}) make another shape", stem_, op_.name)};
  }
  term = laid_out(term, wanted.layout);
  const auto is_own = [&] {
    const std::size_t storage = meta(term).storage.index;
    taken_.resize(rewriter_.builder().graph().storages.size());
    return storage >= first_storage_ && !taken_[storage];
  };
  if (!error_ && !is_own()) term = laid_out(call("aten.clone.default", {term.value}), wanted.layout);
  if (!error_ && is_own()) taken_[meta(term).storage.index] = true;
  return term;
}

Result<std::vector<ValueId>> Composer::finish(const Terms& terms) {
  PARALLAX_CHECK(error_ || terms.size() == results_.size());
  std::vector<ValueId> values;
  for (std::size_t k = 0; !error_ && k < terms.size(); ++k) values.push_back(fitted(terms[k], results_[k]).value);
  if (error_) return std::unexpected(*error_);
  return values;
}

Term operator+(Term a, Term b) { return binary("aten.add.Tensor", a, b.value); }
Term operator-(Term a, Term b) { return binary("aten.sub.Tensor", a, b.value); }
Term operator*(Term a, Term b) { return binary("aten.mul.Tensor", a, b.value); }
Term operator/(Term a, Term b) { return binary("aten.div.Tensor", a, b.value); }
Term operator-(Term a) { return apply("neg", a); }
Term operator+(Term a, Scalar b) { return binary("aten.add.Scalar", a, b); }
Term operator-(Term a, Scalar b) { return binary("aten.sub.Scalar", a, b); }
Term operator*(Term a, Scalar b) { return binary("aten.mul.Scalar", a, b); }
Term operator/(Term a, Scalar b) { return binary("aten.div.Scalar", a, b); }
Term less(Term a, Scalar b) { return binary("aten.lt.Scalar", a, b); }
Term at_most(Term a, Scalar b) { return binary("aten.le.Scalar", a, b); }
Term greater(Term a, Scalar b) { return binary("aten.gt.Scalar", a, b); }
Term equal(Term a, Scalar b) { return binary("aten.eq.Scalar", a, b); }
Term differs(Term a, Scalar b) { return binary("aten.ne.Scalar", a, b); }

Term choose(Term condition, Term yes, Term no) {
  return condition.composer->call("aten.where.self", {condition.value, yes.value, no.value});
}

Term apply(std::string_view function, Term x) {
  return x.composer->call(fmt::format("aten.{}.default", function), {x.value});
}

Term total(Term x, const IntList& dims, bool keep) {
  if (x.composer->failed()) return x;
  // Integers and bools would be summed as i64.
  const DType dtype = x.composer->meta(x).dtype;
  return x.composer->call("aten.sum.dim_IntList", {x.value, dims, Scalar(keep)},
                          {{"dtype", dtype == DType::Bool ? DType::I64 : dtype}});
}

Term largest(Term x, const IntList& dims, bool keep) {
  return x.composer->call("aten.amax.default", {x.value, dims, Scalar(keep)});
}

Term viewed(Term x, const Dims& sizes) { return x.composer->call("aten.reshape.default", {x.value, to_list(sizes)}); }

Term unsqueezed(Term x, int64_t dim) { return x.composer->call("aten.unsqueeze.default", {x.value, Scalar(dim)}); }

Term multiplied(Term a, Term b) { return a.composer->call("aten.matmul.default", {a.value, b.value}); }

Term swapped(Term x, int64_t a, int64_t b) {
  return x.composer->call("aten.transpose.int", {x.value, Scalar(a), Scalar(b)});
}

}  // namespace parallax
