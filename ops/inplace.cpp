#include "ops/inplace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ops/cast.h"

namespace parallax {
namespace {

// The bytes [begin, end) that a tensor's elements lie in.
std::pair<int64_t, int64_t> byte_range(const TensorMeta& meta) {
  const int64_t size = size_of(meta.dtype);
  return {meta.layout.offset * size, meta.layout.extent() * size};
}

// Whether the two reach a common byte, by enumeration: strided tensors may interleave without meeting.
bool share_bytes(const TensorMeta& a, const TensorMeta& b) {
  const auto bytes = [](const TensorMeta& meta) {
    std::vector<int64_t> all;
    const int64_t size = size_of(meta.dtype);
    for_each_element(meta.layout, [&](int64_t element) {
      for (int64_t i = 0; i < size; ++i) all.push_back(element * size + i);
    });
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<int64_t> first = bytes(a);
  const std::vector<int64_t> second = bytes(b);
  std::vector<int64_t> common;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(common));
  return !common.empty();
}

// Whether each logical index of both is the same element: then an element is read before it is written.
bool same_elements(const TensorMeta& a, const TensorMeta& b) {
  if (a.dtype != b.dtype || a.layout.sizes != b.layout.sizes || a.layout.offset != b.layout.offset) return false;
  for (int i = 0; i < a.layout.rank(); ++i) {
    if (a.layout.sizes[i] > 1 && a.layout.strides[i] != b.layout.strides[i]) return false;
  }
  return true;
}

}  // namespace

Result<void> check_writable(const Call& call, ValueId self) {
  if (is_expanded(call.meta(self).layout)) {
    return refuse("{}: the written tensor is expanded, several of its elements are one memory location",
                  call.op().name);
  }
  return {};
}

Result<void> check_no_partial_overlap(const Call& call, ValueId self, ValueId other) {
  const TensorMeta& written = call.meta(self);
  const TensorMeta& read = call.meta(other);
  if (written.storage != read.storage || written.layout.numel() == 0 || read.layout.numel() == 0) return {};
  // Eager tells only dense tensors apart, and takes those for the same whose strides agree, those of size-1 dims too.
  const bool dense = is_dense(written.layout) && is_dense(read.layout);
  if (same_elements(written, read) && (!dense || written.layout == read.layout)) return {};
  const auto [begin, end] = byte_range(written);
  const auto [other_begin, other_end] = byte_range(read);
  if (begin >= other_end || other_begin >= end) return {};
  // Where tensors that are not dense do overlap, eager's result depends on the order of the loop.
  if (dense || share_bytes(written, read)) {
    return refuse("{}: an operand shares part of the written tensor's memory", call.op().name);
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_inplace(const Call& call) {
  PARALLAX_CHECK(call.op().functional != nullptr);
  const ValueId self = call.value(arg::self);
  const TensorMeta& written = call.meta(self);
  TRY(std::vector<ResultMeta> results,
      call.op().functional->infer(Call(*call.op().functional, call.arguments(), call.metas())));
  ResultMeta& result = results[0];
  if (result.layout.sizes != written.layout.sizes) {
    return refuse("{}: the result's shape [{}] is not the written tensor's [{}]", call.op().name,
                  to_string(result.layout.sizes), to_string(written.layout.sizes));
  }
  if (!can_cast(result.dtype, written.dtype)) {
    return refuse("{}: a result of {} cannot be written into {}", call.op().name, name(result.dtype),
                  name(written.dtype));
  }
  TRY_VOID(check_writable(call, self));
  // Eager takes it, and what it reads may be what it has just written: that depends on the order of its loop.
  if (overlaps_itself(written.layout)) {
    return refuse("{}: elements of the written tensor share memory in part", call.op().name);
  }
  for (const Argument& argument : call.arguments()) {
    if (&argument == &call.argument(arg::self)) continue;
    Result<void> checked;
    for_each_value(argument, [&](ValueId other) {
      if (checked) checked = check_no_partial_overlap(call, self, other);
    });
    TRY_VOID(std::move(checked));
  }
  PARALLAX_CHECK(results.size() == 1);
  result = {written.dtype, written.layout, self};
  return results;
}

Result<void> reference_inplace(const ReferenceCall& call) {
  const Op& functional = *call.op().functional;
  const Call twin(functional, call.arguments(), call.metas());
  TRY(const std::vector<ResultMeta> results, functional.infer(twin));
  const ResultMeta& result = results[0];
  BallStorage storage(result.dtype, result.layout.extent());
  const std::array outputs = {BallView{&storage, result.dtype, result.layout}};
  TRY_VOID(functional.reference(call.with(twin, outputs)));
  const BallView& self = call.output();
  const std::vector<int64_t> from = elements_of(result.layout);
  const std::vector<int64_t> to = elements_of(self.layout);
  for (std::size_t i = 0; i < to.size(); ++i) convert_element(outputs[0], from[i], self, to[i], call.profile());
  return {};
}

OpDef inplace_twin(std::string_view schema, std::string_view functional, SampleFn sample) {
  return {.schema = schema,
          .infer = infer_inplace,
          .reference = reference_inplace,
          .sample = sample,
          .functional = functional};
}

}  // namespace parallax
