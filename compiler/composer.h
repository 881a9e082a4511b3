// Composer: how a decomposition says what an op is made of.
//
// A decomposition is written as a formula over Terms, the values of the new graph:
//     Terms silu(Composer& c) { Term x = c.operand(arg::self); return {x * sigmoid(x)}; }
// Eager computes f16 and bf16 in f32 and rounds once, at the end; so operands come in the dtype that is computed in,
// and results are converted to what the op would have made when the formula is done. The first call that does not
// infer is remembered, and what follows it does nothing, so that formulas need no error handling of their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/rewriter.h"

namespace parallax {

class Composer;
class DecompositionTable;

// A value while a formula is composed.
struct Term {
  Composer* composer = nullptr;
  ValueId value;
};
using Terms = std::vector<Term>;

class Composer {
 public:
  // `arguments` are the call's, as values of the new graph, and `results` what eager makes of it; new values are called
  // `stem` and more. Calls of ops that the table has are taken apart in turn.
  Composer(Rewriter& rewriter, const DecompositionTable& table, const Op& op, std::vector<Argument> arguments,
           std::vector<ResultMeta> results, std::string stem);

  // The call that is decomposed, read as a Call is.
  bool takes(ParameterRef p) const { return op_.schema.index_of(p) >= 0; }
  bool has(ParameterRef p) const { return takes(p) && !is_none(argument(p)); }
  const Argument& argument(ParameterRef p) const;
  Scalar scalar(ParameterRef p) const { return std::get<Scalar>(argument(p)); }
  double real(ParameterRef p) const { return as_double(scalar(p)); }
  int64_t integer(ParameterRef p) const { return as_integer(scalar(p)); }
  bool boolean(ParameterRef p) const { return std::get<bool>(scalar(p)); }
  const IntList& integers(ParameterRef p) const { return std::get<IntList>(argument(p)); }
  const std::string& text(ParameterRef p) const { return std::get<std::string>(argument(p)); }
  // What eager would have made.
  const ResultMeta& result(std::size_t k = 0) const { return results_[k]; }
  std::size_t result_count() const { return results_.size(); }
  // The dtype that the first result is computed in.
  DType computed_in() const;

  // An operand as it is; converted to the first result's dtype; and converted from there to what is computed in.
  // A Python number that stands for a tensor becomes a tensor of that dtype, or of its own kind.
  Term raw(ParameterRef p);
  Term converted(ParameterRef p);
  Term operand(ParameterRef p);

  // After a failed call nothing is known of a term: it counts as a number.
  const TensorMeta& meta(Term term) const;
  const Dims& sizes(Term term) const { return meta(term).layout.sizes; }
  // The dtype that eager converts two tensors to before it looks at them.
  DType common_dtype(Term a, Term b) const;

  // A call's first result.
  Term call(std::string_view op, std::vector<Argument> positional, NamedArguments named = {});
  // Converted to the dtype; the term itself where it has it.
  Term cast(Term term, DType dtype);
  // A 0-d tensor of one number.
  Term number(Scalar number, DType dtype);
  // A tensor of one number.
  Term full(const Dims& sizes, Scalar number, DType dtype);

  bool failed() const { return error_.has_value(); }
  // The results as eager would have made them: of that dtype and layout, each in memory of its own.
  Result<std::vector<ValueId>> finish(const Terms& terms);

 private:
  Term fitted(Term term, const ResultMeta& wanted);
  Term laid_out(Term term, const Layout& layout);

  Rewriter& rewriter_;
  const DecompositionTable& table_;
  const Op& op_;
  std::vector<Argument> arguments_;
  std::vector<ResultMeta> results_;
  std::string stem_;
  std::size_t first_storage_;  // from it on they are made by this formula
  std::vector<bool> taken_;    // of those: a result lies in it
  std::optional<Error> error_;
};

// Formulas. Two terms broadcast as in eager; a number is a Python number.
Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
Term operator-(Term a);
Term operator+(Term a, Scalar b);
Term operator-(Term a, Scalar b);
Term operator*(Term a, Scalar b);
Term operator/(Term a, Scalar b);
// Comparisons give bool terms.
Term less(Term a, Scalar b);
Term at_most(Term a, Scalar b);
Term greater(Term a, Scalar b);
Term equal(Term a, Scalar b);
Term differs(Term a, Scalar b);
Term choose(Term condition, Term yes, Term no);
// A function of one operand by its name ("exp").
Term apply(std::string_view function, Term x);
// Reductions that keep their dims. No dims means all of them.
Term total(Term x, const IntList& dims, bool keep = true);
Term largest(Term x, const IntList& dims, bool keep = true);
// Other shapes.
Term viewed(Term x, const Dims& sizes);  // as a view where it is one, else copied
Term unsqueezed(Term x, int64_t dim);
Term swapped(Term x, int64_t a, int64_t b);
// The product of matrices (aten.matmul).
Term multiplied(Term a, Term b);

}  // namespace parallax
