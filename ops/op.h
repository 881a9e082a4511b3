// Op: what one ATen overload means. The record that a family file writes and everybody else reads.
//
// A record holds the schema, the shape rule (infer), how to draw arguments (sample) and the reference kernel with its
// error bound. It knows no graph: values are opaque ids whose metadata a Call gives.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/call_profile.h"
#include "core/choices.h"
#include "core/ids.h"
#include "core/layout.h"
#include "core/result.h"
#include "core/tensor.h"
#include "ops/argument.h"
#include "ops/ball.h"
#include "ops/op_group.h"
#include "ops/schema.h"

namespace parallax {

// A value's type and place: a layout over a storage. Known before anything runs.
struct TensorMeta {
  DType dtype = DType::F32;
  Layout layout;
  StorageId storage;
};

struct Op;

// One node seen from inside the op: its arguments, one for each schema parameter, and the metadata of values.
//
// Arguments are read by their parameter's name, which an overload resolves to a position when it is registered.
class Call {
 public:
  Call(const Op& op, std::span<const Argument> arguments, std::span<const TensorMeta> metas);

  const Op& op() const { return *op_; }
  std::span<const Argument> arguments() const { return arguments_; }
  std::span<const TensorMeta> metas() const { return metas_; }
  const TensorMeta& meta(ValueId value) const { return metas_[value.index]; }

  // The position of a parameter, or -1 where the overload does not have it.
  int position(ParameterRef parameter) const {
    return parameter.by_name() ? positions_[static_cast<std::size_t>(parameter.name())] : parameter.position();
  }
  bool takes(ParameterRef parameter) const { return position(parameter) >= 0; }
  // Whether the overload has the parameter and the argument is not None.
  bool has(ParameterRef parameter) const { return takes(parameter) && !is_none(argument(parameter)); }
  // The argument of a parameter that the overload has; that it lacks one is our bug.
  const Argument& argument(ParameterRef parameter) const {
    const int at = position(parameter);
    PARALLAX_CHECK(at >= 0);
    return arguments_[static_cast<std::size_t>(at)];
  }
  // Whether the argument is a tensor, not a number that stands for one.
  bool is_tensor(ParameterRef parameter) const {
    return takes(parameter) && std::holds_alternative<ValueId>(argument(parameter));
  }

  // The argument as its kind. It was conformed to the schema, so a wrong kind is our bug.
  ValueId value(ParameterRef p) const { return get<ValueId>(p); }
  const ValueList& values(ParameterRef p) const { return get<ValueList>(p); }
  const TensorMeta& tensor(ParameterRef p) const { return meta(value(p)); }
  Scalar scalar(ParameterRef p) const { return get<Scalar>(p); }
  int64_t integer(ParameterRef p) const { return std::get<int64_t>(get<Scalar>(p)); }
  double real(ParameterRef p) const { return as_double(get<Scalar>(p)); }
  bool boolean(ParameterRef p) const { return std::get<bool>(get<Scalar>(p)); }
  const IntList& integers(ParameterRef p) const { return get<IntList>(p); }
  const std::string& text(ParameterRef p) const { return get<std::string>(p); }
  // Nothing for None, and where the overload does not have the parameter.
  std::optional<DType> dtype(ParameterRef p) const { return has(p) ? std::optional(get<DType>(p)) : std::nullopt; }
  std::optional<MemoryFormat> memory_format(ParameterRef p) const {
    return has(p) ? std::optional(get<MemoryFormat>(p)) : std::nullopt;
  }

 private:
  template <class T>
  const T& get(ParameterRef parameter) const {
    const T* found = std::get_if<T>(&argument(parameter));
    PARALLAX_CHECK(found != nullptr);
    return *found;
  }

  const Op* op_;
  const int8_t* positions_;
  std::span<const Argument> arguments_;
  std::span<const TensorMeta> metas_;
};

// What infer says of one result.
struct ResultMeta {
  DType dtype = DType::F32;
  Layout layout;
  // The argument value whose storage this result lies in; invalid for a storage of its own. A storage of its own
  // reaches from element 0 to the layout's extent; copy and the scatter ops keep the gaps and the offset of what they
  // clone.
  ValueId alias;
  // Eager hands that argument's tensor object itself on (contiguous of what is contiguous), not a view of it: a later
  // change of the one's sizes is seen on the other.
  bool same_object = false;
};

// The results of a call, or why eager (or the schema) refuses it. Depends on metadata only, never on data.
using Metas = Result<std::vector<ResultMeta>>;
using InferFn = Metas (*)(const Call& call);

// The profile as a call with these results sees it. The dtype that its forms go by is that of the first result; where
// that is no float but an operand is, as in a comparison, that of the first such operand.
CallProfile profile_of(const Call& call, std::span<const BallView> outputs, const Profile& profile);

// A Call that can be computed: the operands' and results' elements.
class ReferenceCall : public Call {
 public:
  // `may_raise` is set where eager raises or not by data that is undecided; null where nobody asks.
  ReferenceCall(const Call& call, std::span<const BallView> inputs, std::span<const BallView> outputs,
                const CallProfile& profile, bool* may_raise = nullptr)
      : Call(call), views_(inputs), outputs_(outputs), profile_(profile), may_raise_(may_raise) {}
  ReferenceCall(const Call& call, std::span<const BallView> inputs, std::span<const BallView> outputs,
                const Profile& profile, bool* may_raise = nullptr)
      : ReferenceCall(call, inputs, outputs, profile_of(call, outputs, profile), may_raise) {}

  // The elements of a tensor parameter, or of one element of a list parameter. Views are indexed by value id.
  const BallView& input(ParameterRef parameter) const { return views_[value(parameter).index]; }
  const BallView& view(ValueId value) const { return views_[value.index]; }
  const BallView& output(int k = 0) const { return outputs_[static_cast<std::size_t>(k)]; }
  std::span<const BallView> views() const { return views_; }
  std::span<const BallView> outputs() const { return outputs_; }
  const CallProfile& profile() const { return profile_; }
  // Whether the profile allows the form for this op in the dtype that the call computes in (profile_of below).
  bool allows(Form form) const { return profile_.allows(form); }

  // Says that eager may raise on this data: an index, say, that is undecided may be out of range.
  void note_may_raise() const {
    if (may_raise_) *may_raise_ = true;
  }
  // The same call over other arguments or outputs, for an op that is made of another.
  ReferenceCall with(const Call& call, std::span<const BallView> outputs) const {
    return ReferenceCall(call, views_, outputs, profile_, may_raise_);
  }

 private:
  std::span<const BallView> views_;
  std::span<const BallView> outputs_;
  CallProfile profile_;
  bool* may_raise_;
};

// Fills the outputs from the inputs, or says what eager raises on this data (an index out of range, a division by
// zero). An in-place op's output is its own written operand, so a kernel reads an element before it writes it.
using ReferenceFn = Result<void> (*)(const ReferenceCall& call);

// The same in double and without a bound, of operands that are exact numbers (ops/plain/elements_in_double.h). False,
// with nothing written, where one of them is not, or the call is one that the kernel does not compute. It reads all
// operands before it writes, and gives numbers of real arithmetic: rounding them is left to who calls it.
using PlainFn = bool (*)(const ReferenceCall& call);

// What an op may draw its operands from.
struct Candidate {
  ValueId value;
  bool writable = false;  // an in-place op may write it: not a constant, memory not overlapping
  bool source = false;    // its elements are drawn once the graph is known, and so can be kept to what indexes it
};

class SampleContext {
 public:
  SampleContext(Choices& choices, std::span<const Candidate> pool, std::span<const TensorMeta> metas)
      : choices_(&choices), pool_(pool), metas_(metas) {}

  Choices& choices() const { return *choices_; }
  std::span<const Candidate> pool() const { return pool_; }
  const TensorMeta& meta(ValueId value) const { return metas_[value.index]; }
  std::span<const TensorMeta> metas() const { return metas_; }

  // A value of the pool for which `accept(candidate, meta)` holds, drawn evenly; nothing if there is none.
  template <class Accept>
  std::optional<ValueId> pick(Accept&& accept) const {
    // Counted, then looked up: a list of them for each operand that is drawn would cost the generator more.
    const auto fits = [&](const Candidate& candidate) { return accept(candidate, meta(candidate.value)); };
    const auto count = static_cast<uint64_t>(std::ranges::count_if(pool_, fits));
    if (count == 0) return std::nullopt;
    auto chosen = std::ranges::find_if(pool_, fits);
    for (uint64_t left = choices_->below(count); left > 0; --left) chosen = std::find_if(chosen + 1, pool_.end(), fits);
    return chosen->value;
  }

 private:
  Choices* choices_;
  std::span<const Candidate> pool_;
  std::span<const TensorMeta> metas_;
};

// Arguments for a call over values of the pool, one for each schema parameter, or nothing where the pool has no
// fitting value. They must infer without an error; the generator checks, and counts what does not.
using Drawn = std::optional<std::vector<Argument>>;
using SampleFn = Drawn (*)(const Op& op, SampleContext& context);

// An operand whose elements index `places` places, so that what is drawn for it can be kept inside.
struct IndexRange {
  ValueId value;
  int64_t places = 0;
};

// The operands of a call that are indices.
using IndexRangesFn = std::vector<IndexRange> (*)(const Call& call);

// What a family file writes down, one brace list an overload.
// The elements of a value, row-major, where they are known before the graph runs; else null.
using KnownElements = std::function<const Tensor*(ValueId value)>;
// Fills in an argument that states what else only the data would tell, such as the size of a result, so that the call
// has a shape of its own. Leaves the arguments alone where the data is not known.
using CompleteFn = void (*)(std::vector<Argument>& arguments, const KnownElements& known);

struct OpDef {
  std::string_view schema;  // as PyTorch prints it (tests/data/README.md names the source)
  InferFn infer = nullptr;
  ReferenceFn reference = nullptr;       // null: every result is a view, the layout is the meaning
  PlainFn plain = nullptr;               // null: members of an ensemble run the reference kernel
  SampleFn sample = nullptr;             // null: the generator does not make it
  std::string_view functional = "";      // an in-place op: the op whose result it writes ("aten.add.Tensor")
  std::string_view view_twin = "";       // a copying twin of a view op: that op ("aten.view.default" of view_copy)
  bool takes_numbers = false;            // a Python number may stand for a tensor that is not written
  IndexRangesFn index_ranges = nullptr;  // null: no operand is an index
  CompleteFn complete = nullptr;         // null: no shape depends on data
};

struct Op {
  std::string name;  // "aten.add.Tensor"
  std::string schema_text;
  Schema schema;
  InferFn infer = nullptr;
  ReferenceFn reference = nullptr;
  PlainFn plain = nullptr;
  SampleFn sample = nullptr;
  const Op* functional = nullptr;
  const Op* view_twin = nullptr;
  IndexRangesFn index_ranges = nullptr;
  CompleteFn complete = nullptr;
  OpGroup group = OpGroup::Pointwise;
  std::string_view family;  // "unary", "matmul" …: what reports count by
  int index = 0;            // its place in all_ops()

  // Whether every result aliases an argument and nothing is written: a view costs no kernel.
  bool is_view() const { return reference == nullptr; }
  // Whether an argument is written (add_, copy_, and t_, which writes only the tensor's own metadata).
  bool writes() const { return schema.writes; }
  // Whether the written argument only changes its sizes and strides, as t_ and squeeze_ do.
  bool writes_metadata_only() const { return writes() && is_view(); }
};

inline Call::Call(const Op& op, std::span<const Argument> arguments, std::span<const TensorMeta> metas)
    : op_(&op), positions_(op.schema.positions.data()), arguments_(arguments), metas_(metas) {}

// Whether a profile allows a form for an op in a dtype.
inline bool allows(const Profile& profile, Form form, const Op& op, DType dtype) {
  return profile.allowed.of(op.index, dtype).has(form);
}

// Fills the arguments that a call leaves out with the schema's defaults and conforms the rest.
// `positional` may be shorter than the parameters; `named` pairs go by parameter name.
Result<std::vector<Argument>> bind_arguments(const Op& op, std::vector<Argument> positional,
                                             std::vector<std::pair<std::string, Argument>> named = {});

}  // namespace parallax
