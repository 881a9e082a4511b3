#include "fuzz/generate/draw_method.h"

namespace parallax {
namespace {

class MethodSources {
 public:
  MethodSources(const Vocabulary& words, const Graph& graph, GraphBuilder& builder, Pool& pool)
      : words_(words), graph_(graph), builder_(builder), pool_(pool), storages_(graph.storages.size()) {}

  void add_buffer(const Source& source) {
    const TensorMeta& meta = graph_.meta(source.value);
    const std::string& name = graph_.name(source.value);
    if (source.window) {
      take(builder_.add_window(SourceKind::Buffer, name, meta.dtype, meta.layout, storage_of(meta)), source.kind);
    } else {
      take(builder_.add_source(SourceKind::Buffer, name, meta.dtype, meta.layout, source.data), source.kind);
    }
  }

  void add_input(const TensorMeta& type) {
    const Layout layout = contiguous_layout(type.layout.sizes);
    take(builder_.add_source(SourceKind::Input, builder_.fresh_name("y"), type.dtype, layout), SourceKind::Input);
  }

 private:
  void take(const Result<ValueId>& value, SourceKind kind) {
    PARALLAX_CHECK(value.has_value());
    pool_.add_source(*value, builder_.graph().meta(*value), words_.is_read_only(kind));
  }

  // The declared storage that a window lies in, which several may.
  StorageId storage_of(const TensorMeta& meta) {
    std::optional<StorageId>& storage = storages_[meta.storage.index];
    if (storage) return *storage;
    const Storage& declared = graph_.storage(meta.storage);
    const auto added = builder_.add_storage(declared.name, declared.dtype, declared.sizes, declared.data);
    PARALLAX_CHECK(added.has_value());
    storage = *added;
    return *storage;
  }

  const Vocabulary& words_;
  const Graph& graph_;
  GraphBuilder& builder_;
  Pool& pool_;
  std::vector<std::optional<StorageId>> storages_;  // the method's, by the graph's
};

}  // namespace

void draw_method_sources(Choices& choices, const Vocabulary& words, const Graph& graph, GraphBuilder& builder,
                         Pool& pool) {
  MethodSources sources(words, graph, builder, pool);
  std::vector<const TensorMeta*> types;
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Buffer) sources.add_buffer(source);
    if (source.kind != SourceKind::Constant) types.push_back(&graph.meta(source.value));
  }
  for (int64_t left = choices.between(1, 3); left > 0; --left) sources.add_input(*choices.pick(types));
}

std::optional<ValueId> draw_shared_buffer(Choices& choices, const Graph& method, DType dtype, const Dims& sizes) {
  std::vector<ValueId> alike;
  for (const Source& source : method.sources) {
    const TensorMeta& meta = method.meta(source.value);
    if (source.kind == SourceKind::Buffer && meta.dtype == dtype && meta.layout.sizes == sizes)
      alike.push_back(source.value);
  }
  if (alike.empty()) return std::nullopt;
  return choices.pick(alike);
}

}  // namespace parallax
