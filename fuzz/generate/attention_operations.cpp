#include "fuzz/generate/attention_operations.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace parallax {
namespace {

enum class AttentionKind { UpdateCache, CustomSdpa, SdpaWithKvCache };

// As ExecuTorch calls them.
constexpr std::array<std::string_view, 3> operation_names = {"update_cache", "custom_sdpa", "sdpa_with_kv_cache"};

constexpr int64_t most_cached = 512;  // elements of a cache that is there already

class AttentionDrawer {
 public:
  explicit AttentionDrawer(ControlSite& site) : site_(site), choices_(site.choices) {}

  std::optional<AttentionOperation> draw() {
    static constexpr std::array<uint32_t, 3> weights = {3, 3, 4};
    const auto kind = static_cast<AttentionKind>(choices_.weighted(weights));
    const ValueId keys = cache();
    if (!keys.valid()) return std::nullopt;
    held_ = site_.builder.graph().meta(keys).layout.sizes;
    steps_ = choices_.between(1, std::min<int64_t>(3, held_[1]));
    start_ = choices_.between(0, held_[1] - steps_);
    const Dims fresh = {held_[0], steps_, held_[2], held_[3]};
    if (kind == AttentionKind::UpdateCache) {
      const ValueId value = operand(fresh);
      const ValueId cached = operand(keys);
      write(value, cached);
      return finish(kind, {});
    }
    const ValueId query = operand({held_[0], steps_, held_[2] * choices_.between(1, 2), held_[3]});
    const bool writes = kind == AttentionKind::SdpaWithKvCache;
    const ValueId key = writes ? operand(fresh) : ValueId();
    const ValueId value = writes ? operand(fresh) : ValueId();
    const ValueId key_cache = operand(keys);
    const ValueId value_cache = operand(choices_.chance(5) ? keys : cache_like(keys));
    if (writes) {
      write(key, key_cache);
      write(value, value_cache);
    }
    return finish(kind, attend(query, key_cache, value_cache));
  }

 private:
  // The whole tensors of f32 that are there and that `fits` says.
  template <class Fits>
  std::vector<ValueId> whole_tensors(Fits&& fits) const {
    std::vector<ValueId> fitting;
    for (const Pool::Entry& entry : site_.pool.entries()) {
      const ValueId value = site_.builder.current(entry.value);
      const TensorMeta& meta = site_.builder.graph().meta(value);
      if (meta.dtype == DType::F32 && is_contiguous(meta.layout) && fits(entry, meta)) fitting.push_back(value);
    }
    return fitting;
  }

  // A cache that is there and may be written, batch x length x heads x depth.
  template <class Fits>
  ValueId cache_there(Fits&& fits) {
    const std::vector<ValueId> fitting = whole_tensors([&](const Pool::Entry& entry, const TensorMeta& meta) {
      const int64_t elements = meta.layout.numel();
      return entry.writable && meta.layout.rank() == 4 && elements > 0 && elements <= most_cached && fits(meta);
    });
    return fitting.empty() ? ValueId() : choices_.pick(fitting);
  }

  ValueId cache() {
    if (choices_.chance(60)) {
      const ValueId there = cache_there([](const TensorMeta&) { return true; });
      if (there.valid()) return there;
    }
    static constexpr std::array<int64_t, 4> depths = {2, 4, 8, 12};
    const Dims sizes = {choices_.between(1, 2), choices_.between(2, 6), choices_.between(1, 2), choices_.pick(depths)};
    return site_.source(SourceKind::Buffer, DType::F32, sizes);
  }

  // Another one of those sizes.
  ValueId cache_like(ValueId keys) {
    if (choices_.chance(60)) {
      const StorageId held_in = site_.builder.graph().meta(keys).storage;
      const ValueId there =
          cache_there([&](const TensorMeta& meta) { return meta.layout.sizes == held_ && meta.storage != held_in; });
      if (there.valid()) return there;
    }
    return site_.source(SourceKind::Buffer, DType::F32, held_);
  }

  // A further operand of the operation, as its reference sees it.
  ValueId operand(ValueId outside) {
    complete_ = complete_ && outside.valid();
    if (!complete_) return {};
    operands_.push_back(outside);
    const TensorMeta& meta = site_.builder.graph().meta(outside);
    const Layout layout{meta.layout.sizes, meta.layout.strides, 0};
    return *reference_.add_source(SourceKind::Input, "", meta.dtype, layout);
  }

  // A tensor of those sizes that is there, or an input.
  ValueId operand(const Dims& sizes) {
    const std::vector<ValueId> fitting =
        whole_tensors([&](const Pool::Entry&, const TensorMeta& meta) { return meta.layout.sizes == sizes; });
    if (!fitting.empty() && choices_.chance(60)) return operand(choices_.pick(fitting));
    return operand(site_.source(SourceKind::Input, DType::F32, sizes));
  }

  // A call of the reference; none where an operand could not be had.
  ValueId call(std::string_view op, std::vector<Argument> positional,
               std::vector<std::pair<std::string, Argument>> named = {}) {
    if (!complete_) return {};
    const Result<ValueId> made = reference_.call(op, std::move(positional), "", std::move(named));
    complete_ = made.has_value();
    return complete_ ? *made : ValueId();
  }

  // The places [begin, end) of a cache, as a view.
  ValueId places(ValueId cached, int64_t begin, int64_t end) {
    return call("aten.slice.Tensor", {cached, Scalar(int64_t{1}), Scalar(begin), Scalar(end), Scalar(int64_t{1})});
  }

  void write(ValueId fresh, ValueId cached) {
    call("aten.copy_.default", {places(cached, start_, start_ + steps_), fresh});
  }

  ValueId heads_first(ValueId x) { return call("aten.transpose.int", {x, Scalar(int64_t{1}), Scalar(int64_t{2})}); }

  // Keys or values up to the newest, for every head of the queries.
  ValueId read(ValueId cached, int64_t heads) {
    const ValueId read = heads_first(places(cached, 0, start_ + steps_));
    if (heads == held_[2]) return read;
    return call("aten.repeat_interleave.self_int", {read, Scalar(heads / held_[2]), Scalar(int64_t{1})});
  }

  // Attention of the queries, batch x steps x heads x depth, which see all of the cache up to the newest, or no later
  // place than their own. The result is laid out as the queries are.
  ValueId attend(ValueId query, ValueId keys, ValueId values) {
    if (!complete_) return {};
    const int64_t heads = reference_.graph().meta(query).layout.sizes[2];
    Argument mask;
    if (choices_.chance(60)) {
      const ValueId all = call("aten.ones.default", {IntList{steps_, start_ + steps_}}, {{"dtype", DType::Bool}});
      mask = call("aten.tril.default", {all, Scalar(start_)});
    }
    std::vector<std::pair<std::string, Argument>> scale;
    if (choices_.chance(30)) scale.emplace_back("scale", Scalar(0.25));
    const ValueId seen =
        call("aten.scaled_dot_product_attention.default",
             {heads_first(query), read(keys, heads), read(values, heads), mask, Scalar(0.0), Scalar(false)},
             std::move(scale));
    return call("aten.clone.default", {heads_first(seen)}, {{"memory_format", MemoryFormat::Contiguous}});
  }

  std::optional<AttentionOperation> finish(AttentionKind kind, ValueId result) {
    if (!complete_) return std::nullopt;
    if (result.valid()) reference_.add_output(result);
    std::string name =
        fmt::format("{}_{}", operation_names[static_cast<std::size_t>(kind)], site_.builder.graph().nodes.size());
    return AttentionOperation{{std::move(name), std::make_shared<const Graph>(reference_.take())},
                              std::move(operands_)};
  }

  ControlSite& site_;
  Choices& choices_;
  GraphBuilder reference_;
  std::vector<ValueId> operands_;
  Dims held_;             // the sizes of a cache
  int64_t steps_ = 1;     // how many places the call writes, or asks for
  int64_t start_ = 0;     // the first of them
  bool complete_ = true;  // every operand and call so far is there
};

}  // namespace

std::optional<AttentionOperation> draw_attention_operation(ControlSite& site) { return AttentionDrawer(site).draw(); }

}  // namespace parallax
