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
// than the copy had. The last is found out by trying: what hangs on the alias is inferred again for as long as strides
// differ, and taken back where it does not fit. Copies are tried in order until none goes any more.
#include "compiler/passes/elide_copies.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "ops/registry.h"
#include "planner/mutant_switches.h"

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

// Whether the op's meaning hangs on its operand's strides: as_strided and its kin see the whole storage, whatever they
// are.
bool reads_strides(const Op& op) { return op.schema.index_of(arg::storage_offset) >= 0; }

// What is done with a storage: what decides whether two of them may become one.
struct StorageUse {
  bool caller = false;
  bool returned = false;
  bool strides_read = false;
  int last_use = -1;
  int first_write = never;

  void merge(const StorageUse& other) {
    returned |= other.returned;
    strides_read |= other.strides_read;
    last_use = std::max(last_use, other.last_use);
    first_write = std::min(first_write, other.first_write);
  }
};

// By storage.
std::vector<StorageUse> uses_of_storages(const Graph& graph) {
  std::vector<StorageUse> uses(graph.storages.size());
  const auto of = [&](ValueId value) -> StorageUse& { return uses[graph.meta(value).storage.index]; };
  for (const Source& source : graph.sources) of(source.value).caller = true;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const bool written = node.op->schema.parameters[i].written && !node.op->writes_metadata_only();
      for_each_value(node.arguments[i], [&](ValueId value) {
        of(value).last_use = static_cast<int>(n);
        of(value).strides_read |= reads_strides(*node.op);
        if (!written) return;
        int& first = of(value).first_write;
        first =
            taken_unless_dropped<"last_write_for_first">() ? std::min(first, static_cast<int>(n)) : static_cast<int>(n);
      });
    }
  }
  for (ValueId output : graph.outputs) {
    of(output).returned = true;
    if (taken_unless_dropped<"returned_copy_unread">()) of(output).last_use = never;
  }
  return uses;
}

// Whether the copy's storage may be its source's.
bool may_merge(const StorageUse& source, const StorageUse& copy) {
  const bool both_seen = copy.returned && (source.returned || source.caller);
  // A write to the copy would reach its source; one to the source would reach the copy's later readers.
  return holds_unless_dropped<"both_copies_returned">(!both_seen) &&
         holds_unless_dropped<"written_copy_elided">(copy.first_write == never) &&
         (source.first_write == never ||
          less_unless_flipped<"copy_read_at_the_write">(copy.last_use, source.first_write));
}

// A graph whose copies become views one after the other, in place. Storages that became another one's stay behind
// unused, so the graph is to be rebuilt in the end.
class Elision {
 public:
  Elision(Graph& graph, const ElisionRules& rules)
      : graph_(graph),
        rules_(rules),
        uses_(uses_of_storages(graph)),
        readers_(graph.metas.size()),
        values_(graph.storages.size()) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const Argument& argument : graph.nodes[n].arguments) {
        for_each_value(argument, [&](ValueId value) { readers_[value.index].push_back(n); });
      }
    }
    for (std::size_t v = 0; v < graph.metas.size(); ++v) values_[graph.metas[v].storage.index].push_back(ValueId(v));
  }

  // Makes one copy a view where it may be; false, and nothing has changed, where it may not.
  bool elide(std::size_t n) {
    const std::optional<ViewForm> form = view_form(graph_, graph_.nodes[n]);
    if (!form) return false;
    const ValueId copied = graph_.nodes[n].results.front();
    const StorageId source = graph_.meta(form->source).storage;
    const StorageId copy = graph_.meta(copied).storage;
    if (!may_merge(uses_[source.index], uses_[copy.index])) return false;
    const auto viewed = form->op->infer(Call(*form->op, form->arguments, metas_before(copied)));
    if (!viewed || !holds_unless_dropped<"overlapping_copy_elided">(!overlaps_itself(viewed->front().layout)))
      return false;
    // Beside the copy lies what aten.copy left as it was in the tensor written to, or nothing; beside the alias, more.
    const bool fills = fills_storage(graph_.meta(copied).layout, copy) && fills_storage(viewed->front().layout, source);
    if (!fills && !may_rearrange(copy)) return false;
    undo_.clear();
    source_ = source;
    copy_ = copy;
    for (ValueId value : values_[copy.index]) move(value, source);
    if (!lay_out(copied, viewed->front().layout) || !follow()) {
      take_back();
      return false;
    }
    for (ValueId value : values_[copy.index]) values_[source.index].push_back(value);
    values_[copy.index].clear();
    uses_[source.index].merge(uses_[copy.index]);
    graph_.nodes[n].op = form->op;
    graph_.nodes[n].arguments = form->arguments;
    return true;
  }

 private:
  // A value's metadata before the copy that is tried became a view, and its storage's size.
  struct Before {
    ValueId value;
    TensorMeta meta;
    int64_t elements = 0;
  };

  // Whether bytes of a storage may lie in another order.
  bool may_rearrange(StorageId storage) const { return !rules_.minds_layouts || !uses_[storage.index].strides_read; }

  // Whether a tensor of that layout is its whole storage, in order.
  bool fills_storage(const Layout& layout, StorageId storage) const {
    return layout.offset == 0 && is_contiguous(layout) && layout.numel() == graph_.storage(storage).elements;
  }

  // What there is when a node of that result runs: of a storage, ops know what some value before them reaches.
  std::span<const TensorMeta> metas_before(ValueId result) const { return std::span(graph_.metas).first(result.index); }

  void remember(ValueId value) {
    const TensorMeta& meta = graph_.meta(value);
    undo_.push_back({value, meta, graph_.storage(meta.storage).elements});
  }

  void move(ValueId value, StorageId to) {
    remember(value);
    graph_.metas[value.index].storage = to;
  }

  // Gives a value another layout, and its readers another look at it.
  bool lay_out(ValueId value, const Layout& layout) {
    const TensorMeta& meta = graph_.meta(value);
    if (meta.layout == layout) return true;
    // Of the values in the source's storage only those that have just come into it get another layout.
    if (!may_rearrange(meta.storage == source_ ? copy_ : meta.storage)) return false;
    remember(value);
    graph_.metas[value.index].layout = layout;
    stale_.insert(readers_[value.index].begin(), readers_[value.index].end());
    return true;
  }

  // Infers again what reads a value of another layout; false where more than strides would change.
  bool follow() {
    while (!stale_.empty()) {
      const Node& node = graph_.nodes[*stale_.begin()];
      stale_.erase(stale_.begin());
      if (node.results.empty()) continue;
      const auto made = node.op->infer(Call(*node.op, node.arguments, metas_before(node.results.front())));
      if (!made || made->size() != node.results.size()) return false;
      for (std::size_t k = 0; k < made->size(); ++k) {
        if (!take(node, node.results[k], (*made)[k])) return false;
      }
    }
    return true;
  }

  bool take(const Node& node, ValueId result, const ResultMeta& made) {
    const TensorMeta& meta = graph_.meta(result);
    if (made.dtype != meta.dtype || made.layout.sizes != meta.layout.sizes) return false;
    if (!made.alias.valid()) {
      // A tensor of its own is the only value that its storage begins with.
      const bool owned = values_[meta.storage.index].front() == result;
      if (!owned || !lay_out(result, made.layout)) return false;
      graph_.storages[meta.storage.index].elements = made.layout.extent();
      return true;
    }
    const bool is_operand = node.op->writes() || made.same_object;
    const ValueId object = is_operand ? graph_.objects[made.alias.index] : result;
    if (graph_.meta(made.alias).storage != meta.storage || graph_.objects[result.index] != object) return false;
    return lay_out(result, made.layout);
  }

  void take_back() {
    stale_.clear();
    for (; !undo_.empty(); undo_.pop_back()) {
      const Before& before = undo_.back();
      graph_.metas[before.value.index] = before.meta;
      graph_.storages[before.meta.storage.index].elements = before.elements;
    }
  }

  Graph& graph_;
  const ElisionRules& rules_;
  std::vector<StorageUse> uses_;
  std::vector<std::vector<std::size_t>> readers_;  // by value: nodes
  std::vector<std::vector<ValueId>> values_;       // by storage, in order
  std::set<std::size_t> stale_;                    // nodes that read a value of another layout
  StorageId source_, copy_;                        // of the copy that is tried
  std::vector<Before> undo_;
};

}  // namespace

bool holds_copies(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) { return view_form(graph, node).has_value(); });
}

Result<Graph> elide_copies(const Graph& graph) { return elide_copies_with(graph, {}); }

Result<Graph> elide_copies_with(const Graph& graph, const ElisionRules& rules) {
  TRY(Graph result, renumbered(graph));
  Elision elision(result, rules);
  bool elided = false;
  for (bool again = true; again; elided |= again) {
    again = false;
    for (std::size_t n = 0; n < result.nodes.size(); ++n) again |= elision.elide(n);
  }
  if (elided) return renumbered(result);
  return result;
}

}  // namespace parallax
