// Functionalize: removes in-place writes; the IR stays ATen.
//
// Each storage has a base: the value that holds the whole of it at its newest version. A write through a view becomes a
// functional op and an as_strided_scatter of its result into the base, which is the storage's next version; where the
// view covers the whole storage, the functional op's result itself is. A value read after a write is re-made from the
// newest base with as_strided; until something writes its storage, views stay as they are. What the caller sees changed
// is put at the end: a copy_ of the newest base into each written input or buffer, then the changes of a caller's
// tensor's own sizes and strides (t_, squeeze_ …). An output that lies in the caller's memory is a view of that memory.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/functional_form.h"
#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// Row-major from the storage's first element, so that it can stand for the whole storage of that many elements.
bool covers(const Layout& layout, int64_t elements) {
  return layout.offset == 0 && layout.numel() == elements && is_contiguous(layout);
}

class Functionalizer {
 public:
  explicit Functionalizer(const Graph& graph)
      : old_(graph),
        rewriter_(graph),
        storages_(graph.storages.size()),
        values_(graph.metas.size()),
        sources_(graph.metas.size(), false) {
    for (const TensorMeta& meta : graph.metas) {
      int64_t& elements = storages_[meta.storage.index].elements;
      if (meta.layout.numel() > 0) elements = std::max(elements, meta.layout.extent());
    }
    for (const Source& source : graph.sources) {
      sources_[source.value.index] = true;
      const StorageId storage = graph.meta(source.value).storage;
      if (!storages_[storage.index].caller) callers_.push_back(storage);
      storages_[storage.index].caller = true;
      define(source.value, rewriter_[source.value]);
    }
  }

  Result<Graph> run() {
    for (const Node& node : old_.nodes) {
      if (node.op->writes_metadata_only()) {
        change_metadata(node);
      } else if (node.op->writes()) {
        TRY_VOID(write(node));
      } else {
        TRY_VOID(copy(node));
      }
    }
    for (ValueId output : old_.outputs) {
      TRY(const ValueId now, this->output(output));
      rewriter_.map(output, now);
    }
    TRY_VOID(write_back());
    return rewriter_.finish();
  }

 private:
  // What is known of one storage of the old graph. Ids are the new graph's.
  struct StorageState {
    bool caller = false;
    int64_t elements = 0;  // as far as some value reaches; what is behind, nobody can name
    int version = 0;
    ValueId anchor;          // the first value over the storage as it was before any write
    ValueId base;            // the whole storage at the newest version; invalid until somebody needs it
    ValueId caller_base;     // a written caller's storage: its whole, the write-back's destination
    std::string write_name;  // the write-back's name
  };
  // Where an old value is to be found: `now` was right at that version of its storage.
  struct ValueState {
    ValueId now;
    int version = -1;
    ValueId unwritten;  // the new value made of it before any write to its storage; a true view of that storage
  };

  StorageState& storage_of(ValueId value) { return storages_[old_.meta(value).storage.index]; }
  int64_t elements_of_storage(ValueId value) const { return storages_[old_.meta(value).storage.index].elements; }

  // The old value is `now` in the new graph, at the present version of its storage.
  void define(ValueId value, ValueId now) {
    StorageState& storage = storage_of(value);
    PARALLAX_CHECK(rewriter_.meta(now).layout == old_.meta(value).layout);
    values_[value.index].now = now;
    values_[value.index].version = storage.version;
    rewriter_.map(value, now);
    if (storage.version > 0) return;
    values_[value.index].unwritten = now;
    if (!storage.anchor.valid()) storage.anchor = now;
    if (!storage.base.valid() &&
        holds_unless_dropped<"whole_of_a_part">(covers(old_.meta(value).layout, elements_of_storage(value))))
      storage.base = now;
  }

  Result<ValueId> strided(ValueId of, const Layout& layout, std::string_view stem) {
    return strided_view(rewriter_.builder(), of, layout, rewriter_.fresh_name(stem));
  }

  // The new value that holds what the old value holds now.
  Result<ValueId> current(ValueId value) {
    const ValueState& state = values_[value.index];
    const StorageState& storage = storage_of(value);
    if (state.now.valid() && holds_unless_dropped<"stale_value">(state.version == storage.version)) return state.now;
    const ValueId base = storage.version == 0 ? storage.anchor : storage.base;
    const Layout& layout = old_.meta(value).layout;
    ValueId now = base;
    if (rewriter_.meta(base).layout != layout) {
      TRY(now, strided(base, layout, old_.name(value) + "_now"));
    }
    define(value, now);
    return now;
  }

  // The whole storage of an old value at the newest version, row-major.
  Result<ValueId> whole(ValueId value) {
    StorageState& storage = storage_of(value);
    if (!storage.base.valid()) {
      const std::string& declared = old_.storage(old_.meta(value).storage).name;
      const std::string stem =
          (declared.empty() ? rewriter_.builder().graph().name(storage.anchor) : declared) + "_flat";
      TRY(storage.base, strided(storage.anchor, contiguous_layout({elements_of_storage(value)}), stem));
    }
    return storage.base;
  }

  Result<std::vector<Argument>> current_arguments(const Node& node) {
    std::vector<Argument> arguments = node.arguments;
    for (Argument& argument : arguments) {
      std::optional<Error> error;
      for_each_value(argument, [&](ValueId& value) {
        Result<ValueId> now = current(value);
        if (now) {
          value = *now;
        } else {
          error = now.error();
        }
      });
      if (error) return std::unexpected(*error);
    }
    return arguments;
  }

  Result<void> copy(const Node& node) {
    TRY(std::vector<Argument> arguments, current_arguments(node));
    TRY_VOID(rewriter_.add(node, std::move(arguments)));
    for (ValueId result : node.results) define(result, rewriter_[result]);
    return {};
  }

  // t_ and its like: the tensor object has another layout from now on, which current() re-makes it with. A caller's own
  // object must show it too, at the end.
  void change_metadata(const Node& node) {
    if (sources_[old_.objects[node.results.front().index].index]) metadata_changes_.push_back(&node);
  }

  static int written_parameter(const Node& node) {
    int written = -1;
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      if (!node.op->schema.parameters[i].written) continue;
      PARALLAX_CHECK(written < 0);
      written = static_cast<int>(i);
    }
    return written;
  }

  Result<void> write(const Node& node) {
    if (!functional_twin(*node.op)) {
      return std::unexpected(
          Error{ErrorKind::Unsupported, "", "", fmt::format("{} has no functional form", node.op->name)});
    }
    const auto parameter = static_cast<std::size_t>(written_parameter(node));
    const ValueId target = std::get<ValueId>(node.arguments[parameter]);
    StorageState& storage = storage_of(target);
    TRY(const ValueId base, whole(target));
    if (storage.caller && !storage.caller_base.valid()) storage.caller_base = base;
    storage.write_name.clear();
    TRY(const std::optional<ValueId> taken, take_whole(node, target));
    if (taken) {
      storage.write_name = node.name;
      storage.base = *taken;
    } else {
      TRY(storage.base, written_base(node, parameter, target, base));
    }
    ++storage.version;
    return {};
  }

  // x.copy_(y) where x is a caller's whole storage and y a value of ours that can stand for it: nothing is to be
  // computed. Storages of ours get a copy in any case: two tensors that eager keeps apart must not become one.
  Result<std::optional<ValueId>> take_whole(const Node& node, ValueId target) {
    static const Op& copy = op_named("aten.copy_.default");
    if (node.op != &copy || !storage_of(target).caller) return std::nullopt;
    const ValueId source = Call(copy, node.arguments, old_.metas).value(arg::src);
    if (storage_of(source).caller) return std::nullopt;
    if (!covers(old_.meta(target).layout, elements_of_storage(target))) return std::nullopt;
    TRY(const ValueId now, current(source));
    const TensorMeta& from = rewriter_.meta(now);
    const TensorMeta& to = old_.meta(target);
    if (from.dtype != to.dtype || from.layout.sizes != to.layout.sizes) return std::nullopt;
    if (!covers(from.layout, elements_of_storage(target))) return std::nullopt;
    return now;
  }

  // The storage's next base: what the in-place op makes of its target, put into the old base.
  Result<ValueId> written_base(const Node& node, std::size_t parameter, ValueId target, ValueId base) {
    TRY(std::vector<Argument> arguments, current_arguments(node));
    GraphBuilder& builder = rewriter_.builder();
    const std::size_t storages = builder.graph().storages.size();
    TRY(const FunctionalForm form,
        functional_form(rewriter_, *node.op, std::move(arguments), parameter, base, node.name));
    const TensorMeta& made = rewriter_.meta(form.value);
    const int64_t elements = elements_of_storage(target);
    const bool own = made.storage.index >= storages;
    if (own && holds_unless_dropped<"part_for_the_whole">(covers(form.region, elements)) &&
        covers(made.layout, elements))
      return form.value;
    return builder.call(
        "aten.as_strided_scatter.default",
        {base, form.value, to_list(form.region.sizes), to_list(form.region.strides), Scalar(form.region.offset)},
        rewriter_.fresh_name(node.name + "_base"));
  }

  // Whether a new value is, under whatever name, a caller's tensor object that t_ or its like will change.
  bool changes_metadata(ValueId now) {
    const std::vector<ValueId>& objects = rewriter_.builder().graph().objects;
    return std::ranges::any_of(metadata_changes_, [&](const Node* node) {
      const ValueId changed = values_[old_.objects[node->results.front().index].index].unwritten;
      return objects[changed.index] == objects[now.index];
    });
  }

  // What to return for an output of the old graph.
  Result<ValueId> output(ValueId value) {
    if (!storage_of(value).caller) return current(value);
    // The caller's memory is returned as a view that no write has to be followed by: the write-back goes to that
    // memory.
    const ValueId object = old_.objects[value.index];
    if (sources_[object.index]) return values_[object.index].unwritten;
    ValueId& view = values_[value.index].unwritten;
    const Layout& layout = old_.meta(value).layout;
    if (!view.valid() && old_.meta(object).layout == layout) view = values_[object.index].unwritten;
    // A caller's tensor whose sizes change at the end cannot stand for another tensor.
    if (!view.valid() || changes_metadata(view)) {
      TRY(view, strided(storage_of(value).anchor, layout, old_.name(value) + "_out"));
    }
    return view;
  }

  Result<void> write_back() {
    GraphBuilder& builder = rewriter_.builder();
    // Views first: nothing but writes stands at the end, so that functionalizing again finds the same order.
    for (StorageId id : callers_) {
      StorageState& storage = storages_[id.index];
      if (storage.version == 0) continue;
      const Dims sizes = rewriter_.meta(storage.caller_base).layout.sizes;
      if (rewriter_.meta(storage.base).layout.sizes == sizes) continue;
      TRY(storage.base, strided(storage.base, contiguous_layout(sizes), builder.graph().name(storage.base) + "_whole"));
    }
    for (StorageId id : callers_) {
      const StorageState& storage = storages_[id.index];
      if (exact_or_one_less<"written_once">(storage.version) == 0) continue;
      const std::string stem = builder.graph().name(storage.caller_base) + "_written";
      TRY_VOID(builder.call("aten.copy_.default", {storage.caller_base, storage.base},
                            storage.write_name.empty() ? rewriter_.fresh_name(stem) : storage.write_name));
    }
    for (const Node* node : metadata_changes_) {
      std::vector<Argument> arguments = node->arguments;
      for (Argument& argument : arguments) {
        for_each_value(argument, [&](ValueId& value) { value = values_[old_.objects[value.index].index].unwritten; });
      }
      TRY_VOID(rewriter_.add(*node, std::move(arguments)));
    }
    return {};
  }

  const Graph& old_;
  Rewriter rewriter_;
  std::vector<StorageState> storages_;
  std::vector<ValueState> values_;
  std::vector<StorageId> callers_;  // the caller's storages, by their first sources
  std::vector<bool> sources_;       // by old value: a source's first value
  std::vector<const Node*> metadata_changes_;
};

}  // namespace

Result<Graph> functionalize(const Graph& graph) { return Functionalizer(graph).run(); }

}  // namespace parallax
