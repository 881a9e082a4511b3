#include "compiler/functional_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "compiler/op_names.h"
#include "core/check.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// The value in the target's dtype: eager computes in the common one and converts when it writes.
Result<ValueId> in_dtype(Rewriter& rewriter, ValueId value, DType dtype, const std::string& name) {
  if (rewriter.meta(value).dtype == dtype) return value;
  return rewriter.builder().call("aten._to_copy.default", {value}, rewriter.fresh_name(name + "_cast"),
                                 {{"dtype", dtype}});
}

// What writes every element without reading it: writing an element twice is writing it once.
constexpr std::array<std::string_view, 3> plain_fills = {"aten.fill_.Scalar", "aten.fill_.Tensor",
                                                         "aten.zero_.default"};
constexpr std::array<std::string_view, 2> masked_fills = {"aten.masked_fill_.Scalar", "aten.masked_fill_.Tensor"};

// What has no twin of the same parameters. Fills leave a tensor like the target; polygamma takes its order first.
struct OtherTwin {
  std::string_view write, twin;
  bool swapped = false;  // the first two parameters
};
constexpr std::array other_twins = {OtherTwin{"aten.fill_.Scalar", "aten.full_like.default"},
                                    OtherTwin{"aten.zero_.default", "aten.zeros_like.default"},
                                    OtherTwin{"aten.polygamma_.default", "aten.polygamma.default", true}};

const OtherTwin* other_twin(const Op& op) {
  const auto* found = std::ranges::find(other_twins, op.name, &OtherTwin::write);
  return found == other_twins.end() ? nullptr : found;
}

bool is_repeated(const Layout& layout, int dim) { return layout.sizes[dim] > 1 && layout.strides[dim] == 0; }

// The layout with its repeated dims cut to one element.
Layout without_repeats(const Layout& layout) {
  Layout distinct = layout;
  for (int dim = 0; dim < layout.rank(); ++dim) {
    if (is_repeated(layout, dim)) distinct.sizes[dim] = 1;
  }
  return distinct;
}

// A mask for the distinct elements: an element is filled if any of the places that name it is masked.
Result<ValueId> mask_of_distinct(Rewriter& rewriter, ValueId mask, const Layout& target, const std::string& name) {
  GraphBuilder& builder = rewriter.builder();
  IntList repeated;
  for (int dim = 0; dim < target.rank(); ++dim) {
    if (is_repeated(target, dim)) repeated.push_back(dim);
  }
  TRY(const ValueId whole,
      builder.call("aten.expand.default", {mask, to_list(target.sizes)}, rewriter.fresh_name(name + "_masks")));
  return builder.call("aten.amax.default", {whole, repeated, Scalar(true)}, rewriter.fresh_name(name + "_mask"));
}

Argument& argument(std::vector<Argument>& arguments, const Op& op, arg name) {
  return arguments[static_cast<std::size_t>(op.schema.index_of(name))];
}

// Makes the call write each element once.
Result<void> narrow_to_distinct(Rewriter& rewriter, const Op& op, std::vector<Argument>& arguments, std::size_t written,
                                ValueId base, Layout& region, const std::string& name) {
  const Layout whole = region;
  region = without_repeats(whole);
  if (one_of(masked_fills, op.name) && !overlaps_itself(region)) {
    Argument& mask = argument(arguments, op, arg::mask);
    TRY(mask, mask_of_distinct(rewriter, std::get<ValueId>(mask), whole, name));
  } else if (!one_of(plain_fills, op.name)) {
    return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                 fmt::format("{} ({}) writes memory that overlaps itself", op.name, name)});
  }
  TRY(arguments[written], strided_view(rewriter.builder(), base, region, rewriter.fresh_name(name + "_once")));
  return {};
}

// copy_ into a part of a storage: the source itself, as the target takes it. What puts it into the base copies it.
Result<ValueId> copied_source(Rewriter& rewriter, ValueId source, const TensorMeta& target, const std::string& name) {
  GraphBuilder& builder = rewriter.builder();
  if (builder.graph().meta(source).layout.sizes != target.layout.sizes) {
    TRY(source, builder.call("aten.expand.default", {source, to_list(target.layout.sizes)},
                             rewriter.fresh_name(name + "_source")));
  }
  return in_dtype(rewriter, source, target.dtype, name);
}

}  // namespace

const Op* functional_twin(const Op& op) {
  if (std::ranges::count_if(op.schema.parameters, &Parameter::written) != 1) return nullptr;
  if (op.functional) return op.functional->schema.has_list_result() ? nullptr : op.functional;
  const OtherTwin* other = other_twin(op);
  return other ? &op_named(other->twin) : nullptr;
}

IntList to_list(const Dims& dims) { return IntList(dims.begin(), dims.end()); }

Result<ValueId> strided_view(GraphBuilder& builder, ValueId of, const Layout& layout, const std::string& name) {
  return builder.call("aten.as_strided.default",
                      {of, to_list(layout.sizes), to_list(layout.strides), Scalar(layout.offset)}, name);
}

Result<FunctionalForm> functional_form(Rewriter& rewriter, const Op& op, std::vector<Argument> arguments,
                                       std::size_t written, ValueId base, const std::string& name) {
  const Op* functional = functional_twin(op);
  PARALLAX_CHECK(functional != nullptr);
  GraphBuilder& builder = rewriter.builder();
  const TensorMeta target = builder.graph().meta(std::get<ValueId>(arguments[written]));
  FunctionalForm form{ValueId(), target.layout};
  if (overlaps_itself(target.layout)) {
    TRY_VOID(narrow_to_distinct(rewriter, op, arguments, written, base, form.region, name));
  }
  static const Op& copy = op_named("aten.copy_.default");
  if (&op == &copy && target.layout != rewriter.meta(base).layout) {
    TRY(form.value, copied_source(rewriter, std::get<ValueId>(argument(arguments, op, arg::src)), target, name));
    return form;
  }
  if (!op.functional) {
    if (other_twin(op)->swapped) std::swap(arguments[0], arguments[1]);
    TRY(arguments, bind_arguments(*functional, std::move(arguments)));  // its further parameters have defaults
  }
  TRY(const std::vector<ValueId> results, builder.add_node(*functional, arguments, name));
  form.value = results.front();
  TRY(form.value, in_dtype(rewriter, form.value, target.dtype, name));
  return form;
}

}  // namespace parallax
