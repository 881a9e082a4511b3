// The copying twins of the views: what the view shows, in fresh contiguous memory.
#include "ops/copying.h"
#include "ops/families.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

Result<Layout> twin_layout(const Call& call) {
  const Op& twin = *call.op().view_twin;
  TRY(const std::vector<ResultMeta> views, twin.infer(Call(twin, call.arguments(), call.metas())));
  return views[0].layout;
}

Result<std::vector<ResultMeta>> infer_view_copy(const Call& call) {
  const Result<Layout> layout = twin_layout(call);
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, contiguous_layout(layout->sizes), ValueId()}};
}

Result<void> reference_view_copy(const ReferenceCall& call) {
  TRY(const Layout layout, twin_layout(call));
  copy_elements(with_layout(call.input(arg::self), layout), call.output(), call.profile());
  return {};
}

// The same for the ops that give a list.
Result<std::vector<ResultMeta>> infer_list_copy(const Call& call) {
  const Op& twin = *call.op().view_twin;
  Result<std::vector<ResultMeta>> parts = twin.infer(Call(twin, call.arguments(), call.metas()));
  if (!parts) return in_op(call, parts.error());
  for (ResultMeta& part : *parts) part = {part.dtype, contiguous_layout(part.layout.sizes), ValueId()};
  return parts;
}

Result<void> reference_list_copy(const ReferenceCall& call) {
  const Op& twin = *call.op().view_twin;
  TRY(const std::vector<ResultMeta> parts, twin.infer(Call(twin, call.arguments(), call.metas())));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    copy_elements(with_layout(call.input(arg::self), parts[i].layout), call.outputs()[i], call.profile());
  }
  return {};
}

// view_copy takes sizes that no view of these strides has, too.
Result<std::vector<ResultMeta>> infer_reshaped_copy(const Call& call) {
  const Result<Dims> sizes = infer_sizes(call.integers(arg::size), call.tensor(arg::self).layout.numel());
  if (!sizes) return in_op(call, sizes.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, contiguous_layout(*sizes), ValueId()}};
}

Result<void> reference_reshaped_copy(const ReferenceCall& call) {
  copy_elements(call.input(arg::self), call.output(), call.profile());
  return {};
}

OpDef view_copy_twin(std::string_view schema, std::string_view view) {
  return {.schema = schema,
          .infer = infer_view_copy,
          .reference = reference_view_copy,
          .sample = sample_view_twin,
          .view_twin = view};
}

OpDef list_twin(std::string_view schema, std::string_view view) {
  OpDef definition = view_copy_twin(schema, view);
  definition.infer = infer_list_copy;
  definition.reference = reference_list_copy;
  return definition;
}

}  // namespace

std::vector<OpDef> view_copy_family() {
  return {
      {.schema = "view_copy(Tensor self, SymInt[] size) -> Tensor",
       .infer = infer_reshaped_copy,
       .reference = reference_reshaped_copy,
       .sample = sample_view_twin,
       .view_twin = "aten.view.default"},
      view_copy_twin("alias_copy(Tensor self) -> Tensor", "aten.alias.default"),
      view_copy_twin("detach_copy(Tensor self) -> Tensor", "aten.detach.default"),
      view_copy_twin("expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
                     "aten.expand.default"),
      view_copy_twin("permute_copy(Tensor self, int[] dims) -> Tensor", "aten.permute.default"),
      view_copy_twin("transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor", "aten.transpose.int"),
      view_copy_twin("t_copy(Tensor self) -> Tensor", "aten.t.default"),
      view_copy_twin("squeeze_copy(Tensor self) -> Tensor", "aten.squeeze.default"),
      view_copy_twin("squeeze_copy.dim(Tensor self, int dim) -> Tensor", "aten.squeeze.dim"),
      view_copy_twin("squeeze_copy.dims(Tensor self, int[] dim) -> Tensor", "aten.squeeze.dims"),
      view_copy_twin("unsqueeze_copy(Tensor self, int dim) -> Tensor", "aten.unsqueeze.default"),
      view_copy_twin("select_copy.int(Tensor self, int dim, SymInt index) -> Tensor", "aten.select.int"),
      view_copy_twin(
          "slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
          "aten.slice.Tensor"),
      view_copy_twin("narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", "aten.narrow.default"),
      view_copy_twin("diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
                     "aten.diagonal.default"),
      view_copy_twin("unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", "aten.unfold.default"),
      view_copy_twin(
          "as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
          "aten.as_strided.default"),
      list_twin("split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", "aten.split.Tensor"),
      list_twin("split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
                "aten.split_with_sizes.default"),
      list_twin("unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", "aten.unbind.int"),
  };
}

}  // namespace parallax
