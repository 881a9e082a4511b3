// Copy elision: a copy that nobody can tell from its source becomes an alias of it.
//
// A copy may go where
// - eager does not hand both tensors out: two returned values, or a returned value and a caller's tensor, stay apart in
// memory;
// - nothing is written to the one that a reader of the other would see: no use of the copy follows a write to its
// source;
// - no two elements of the copy are one element of the source, which a reader could not tell but a clone of the strides
//   could;
// - everything downstream keeps its sizes, its dtype and its own aliasing although the alias may have other strides
// than the copy had. The last is found out by trying: the graph is rebuilt with the alias and compared. Copies are
// tried in order until none goes any more.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "compiler/copy_elision.h"
#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "ops/registry.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

constexpr int never = std::numeric_limits<int>::max();

// What a copy would be as a view.
struct ViewForm {
  const Op* op = nullptr;
  ValueId source;
  std::vector<Argument> arguments;
};

// Copies of one operand, by the parameter that holds it.
struct PlainCopy {
  std::string_view name;
  std::size_t source;
};
constexpr std::array plain_copies = {
    PlainCopy{"aten.clone.default", 0},      PlainCopy{"aten.lift_fresh_copy.default", 0},
    PlainCopy{"aten._to_copy.default", 0},   PlainCopy{"aten.to.dtype", 0},
    PlainCopy{"aten.contiguous.default", 0}, PlainCopy{"aten.copy.default", 1},
};

// The view that a node could be, or nothing where it is no copy or changes sizes or dtype beyond what its view does.
std::optional<ViewForm> view_form(const Graph& graph, const Node& node) {
  if (node.results.size() != 1) return std::nullopt;
  const TensorMeta& result = graph.meta(node.results.front());
  ViewForm form;
  const auto* plain = std::ranges::find(plain_copies, node.op->name, &PlainCopy::name);
  if (plain != plain_copies.end()) {
    form.op = &op_named("aten.alias.default");
    form.source = std::get<ValueId>(node.arguments[plain->source]);
    form.arguments = {form.source};
    if (graph.meta(form.source).layout.sizes != result.layout.sizes) return std::nullopt;
  } else if (node.op->view_twin) {
    const std::size_t parameters = node.op->view_twin->schema.parameters.size();
    if (node.arguments.size() != parameters) return std::nullopt;
    form.op = node.op->view_twin;
    form.source = std::get<ValueId>(node.arguments.front());
    form.arguments = node.arguments;
  } else {
    return std::nullopt;
  }
  const TensorMeta& source = graph.meta(form.source);
  if (source.dtype != result.dtype || source.storage == result.storage) return std::nullopt;
  return form;
}

// What is done with each storage of a graph: what decides whether two of them may become one.
class StorageUses {
 public:
  explicit StorageUses(const Graph& graph) : records_(graph.storages.size()) {
    for (const Source& source : graph.sources) record(graph, source.value).caller = true;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      for (std::size_t i = 0; i < node.arguments.size(); ++i) {
        const bool written = node.op->schema.parameters[i].written && !node.op->writes_metadata_only();
        for_each_value(node.arguments[i], [&](ValueId value) {
          Record& storage = record(graph, value);
          storage.last_use = static_cast<int>(n);
          if (written && (kept(last_write_for_first) || storage.first_write == never))
            storage.first_write = std::min(storage.first_write, static_cast<int>(n));
        });
      }
    }
    for (ValueId output : graph.outputs) {
      record(graph, output).returned = true;
      if (kept(returned_copy_unread)) record(graph, output).last_use = never;
    }
  }

  // Whether the copy's storage may be its source's.
  bool may_merge(StorageId source, StorageId copy) const {
    const Record& from = records_[source.index];
    const Record& to = records_[copy.index];
    const bool both_seen = to.returned && (from.returned || from.caller);
    // A write to the copy would reach its source; one to the source would reach the copy's later readers.
    return asked(both_copies_returned, !both_seen) && asked(written_copy_elided, to.first_write == never) &&
           (from.first_write == never || less(copy_read_at_the_write, to.last_use, from.first_write));
  }

 private:
  struct Record {
    bool caller = false;
    bool returned = false;
    int last_use = -1;
    int first_write = never;
  };
  Record& record(const Graph& graph, ValueId value) { return records_[graph.meta(value).storage.index]; }

  std::vector<Record> records_;  // by storage
};

// Whether the op's meaning hangs on its operand's strides.
bool reads_strides(const Op& op) { return op.name.starts_with("aten.as_strided"); }

// The graph with one node as a view.
Result<Graph> with_view(const Graph& graph, std::size_t elided, const ViewForm& form) {
  Rewriter rewriter(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    TRY_VOID(rewriter.copy(n == elided ? Node{form.op, node.name, form.arguments, node.results} : node));
  }
  return rewriter.finish();
}

// Whether the tensor is its whole storage, in order.
bool fills_storage(const Graph& graph, ValueId value) {
  const Layout& layout = graph.meta(value).layout;
  return layout.offset == 0 && is_contiguous(layout) &&
         layout.numel() == graph.storage(graph.meta(value).storage).elements;
}

// Whether a rebuilt graph, whose values have the same numbers, differs in nothing but strides and in the merge of the
// storage of the value `copied` with `source`.
bool same_but_strides(const Graph& before, const Graph& after, StorageId source, ValueId copied,
                      const ElisionRules& rules) {
  const StorageId copy = before.meta(copied).storage;
  std::vector<StorageId> renamed(before.storages.size());
  std::vector<StorageId> original(after.storages.size());
  std::vector<bool> rearranged(before.storages.size(), false);  // the bytes of a storage lie in another order
  // Beside the copy lies what aten.copy left as it was in the tensor written to, or nothing; beside the alias, more.
  rearranged[copy.index] = !fills_storage(before, copied) || !fills_storage(after, copied);
  for (std::size_t v = 0; v < before.metas.size(); ++v) {
    const TensorMeta& was = before.metas[v];
    const TensorMeta& is = after.metas[v];
    if (was.dtype != is.dtype || was.layout.sizes != is.layout.sizes) return false;
    if (was.layout != is.layout) rearranged[was.storage.index] = true;
    const StorageId from = was.storage == copy ? source : was.storage;
    StorageId& to = renamed[from.index];
    if (!to.valid()) to = is.storage;
    StorageId& back = original[is.storage.index];
    if (!back.valid()) back = from;
    if (to != is.storage || back != from) return false;
  }
  if (!rules.minds_layouts) return true;
  // as_strided sees the whole storage, whatever the strides of its operand.
  for (const Node& node : before.nodes) {
    if (!reads_strides(*node.op)) continue;
    for (const Argument& argument : node.arguments) {
      bool kept = true;
      for_each_value(argument, [&](ValueId value) { kept = kept && !rearranged[before.meta(value).storage.index]; });
      if (!kept) return false;
    }
  }
  return true;
}

}  // namespace

Result<Graph> elide_copies(const Graph& graph) { return elide_copies_with(graph, {}); }

Result<Graph> elide_copies_with(const Graph& graph, const ElisionRules& rules) {
  TRY(Graph result, renumbered(graph));
  for (bool again = true; again;) {
    again = false;
    StorageUses uses(result);
    for (std::size_t n = 0; n < result.nodes.size(); ++n) {
      const std::optional<ViewForm> form = view_form(result, result.nodes[n]);
      if (!form) continue;
      const StorageId source = result.meta(form->source).storage;
      const ValueId copied = result.nodes[n].results.front();
      if (!uses.may_merge(source, result.meta(copied).storage)) continue;
      Result<Graph> tried = with_view(result, n, *form);
      if (!tried || !asked(overlapping_copy_elided, !overlaps_itself(tried->meta(copied).layout))) continue;
      if (!same_but_strides(result, *tried, source, copied, rules)) continue;
      result = *std::move(tried);
      uses = StorageUses(result);
      again = true;
    }
  }
  return result;
}

}  // namespace parallax
