// Helpers that the families' sample functions share: how operands, dims and numbers are drawn from the tape.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/op.h"

namespace parallax {

// The given leading arguments, and the schema's defaults for the rest.
std::vector<Argument> with_defaults(const Op& op, std::vector<Argument> given);
// The same with one argument set by name.
std::vector<Argument> with_argument(const Op& op, std::vector<Argument> arguments, ParameterRef parameter,
                                    Argument argument);

// Whether the overload takes a Python number there, and not a tensor.
bool takes_scalar(const Op& op, ParameterRef parameter);

// A tensor of the pool: any, of a floating dtype, of any dtype but bool, or one that an in-place op may write.
std::optional<ValueId> pick_tensor(SampleContext& context);
std::optional<ValueId> pick_floating(SampleContext& context);
std::optional<ValueId> pick_number(SampleContext& context);
std::optional<ValueId> pick_writable(SampleContext& context, bool (*accepts)(DType dtype) = nullptr);

// A second operand of an element-wise op next to `first`: often the same value, mostly one of its shape, else one that
// broadcasts with it. There is always one: `first` itself.
ValueId pick_second(SampleContext& context, ValueId first);
// The same among the tensors whose dtype is accepted and, for a written `first`, whose shape does not widen it.
std::optional<ValueId> pick_second(SampleContext& context, ValueId first, bool (*accepts)(DType dtype),
                                   bool keeps_shape);

// A dim number of a tensor of that rank, sometimes counted from the end; rank 0 gives 0.
int64_t draw_dim(Choices& choices, int rank);
// A permutation of 0 … rank-1; zeros on the tape give the identity.
IntList draw_permutation(Choices& choices, int rank);
// Distinct dims in ascending order, at least one where the rank has one.
IntList draw_dims(Choices& choices, int rank);
// One of a few numbers that a tensor of the dtype takes as it is.
Scalar draw_scalar(Choices& choices, DType dtype);
DType draw_dtype(Choices& choices);

}  // namespace parallax
