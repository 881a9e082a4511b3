#include "fuzz/generate/alias_relation.h"

#include <algorithm>
#include <utility>

#include "graph/written_operands.h"

namespace parallax {
namespace {

constexpr std::array<std::string_view, alias_relation_count> names = {
    "view-of-input",          "view-of-constant",      "view-of-buffer",        "view-of-intermediate",
    "view-of-view",           "view-of-copy-of-view",  "gapped-view",           "expanded-view",
    "list-of-views",          "unused-list-result",    "metadata-write",        "write-to-input",
    "write-to-buffer",        "write-to-intermediate", "write-through-view",    "write-through-gapped-view",
    "write-then-read-alias",  "read-write-read",       "state-read-write-read", "unused-write-result",
    "elidable-copy",          "copy-with-two-readers", "write-after-copy",      "fan-out-into-write",
    "operand-used-twice",     "operands-alias",        "returned-view",         "returned-input",
    "returned-input-view",    "returned-constant",     "returned-buffer",       "returned-and-consumed",
    "returned-elidable-copy", "same-output-twice",     "outputs-share-storage", "shared-input-storage",
    "shared-buffer-storage",  "strided-source",        "unused-source",         "unused-result",
};

enum class Owner : uint8_t { Input, Constant, Buffer, Node };

constexpr int never = -1;

// One pass over the nodes in order, with what is known of each storage and value so far.
class Classifier {
 public:
  explicit Classifier(const Graph& graph)
      : graph_(graph), values_(graph.metas.size()), storages_(graph.storages.size()), by_node_(graph.nodes.size()) {
    visit_sources();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      note(n, [&] { visit_node(graph_.nodes[n], static_cast<int>(n)); });
    }
    for (const Copy& copy : copies_) {
      note(static_cast<std::size_t>(copy.node), [&] { finish_copy(copy); });
    }
    visit_outputs();
    visit_unused();
  }

  const AliasRelations& all() const { return found_; }
  RelationsOfNodes take() { return {found_, std::move(by_node_)}; }

 private:
  struct ValueState {
    bool view = false;          // of an intermediate or a source
    bool copy_of_view = false;  // an elidable copy whose operand is a view
    bool copy = false;
    bool returned = false;
    int readers = 0;
    int last_read = never;
  };
  struct StorageState {
    Owner owner = Owner::Node;
    int sources = 0;
    int first_read = never;
    int last_write = never;
    bool read_then_written = false;
    ValueId written;  // the object that the last write went through
  };
  struct Copy {
    ValueId from;
    ValueId to;
    int node;
  };

  // What the visit finds is the node's.
  template <class Visit>
  void note(std::size_t node, Visit&& visit) {
    const AliasRelations before = std::exchange(found_, {});
    visit();
    by_node_[node] |= found_;
    found_ |= before;
  }

  void set(AliasRelation relation) { found_.set(static_cast<std::size_t>(relation)); }
  void set_if(bool holds, AliasRelation relation) {
    if (holds) set(relation);
  }
  ValueState& state(ValueId value) { return values_[value.index]; }
  StorageState& storage_of(ValueId value) { return storages_[graph_.meta(value).storage.index]; }

  void visit_sources() {
    for (const Source& source : graph_.sources) {
      StorageState& storage = storage_of(source.value);
      storage.owner = static_cast<Owner>(source.kind);
      ++storage.sources;
      set_if(storage.sources > 1 && source.kind == SourceKind::Input, AliasRelation::SharedInputStorage);
      set_if(storage.sources > 1 && source.kind == SourceKind::Buffer, AliasRelation::SharedBufferStorage);
      set_if(!is_contiguous(graph_.meta(source.value).layout), AliasRelation::StridedSource);
    }
  }

  void visit_node(const Node& node, int at) {
    read_operands(node, at);
    if (node.op->writes_metadata_only()) {
      set(AliasRelation::MetadataWrite);
      for (ValueId result : node.results) state(result) = state(graph_.objects[result.index]);
    } else if (node.op->writes()) {
      visit_write(node, at);
    } else {
      visit_results(node, at);
    }
  }

  void read_operands(const Node& node, int at) {
    operands_.clear();
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { operands_.push_back(value); });
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (operands_[i] == operands_[j]) {
          set(AliasRelation::OperandUsedTwice);
        } else if (graph_.meta(operands_[i]).storage == graph_.meta(operands_[j]).storage) {
          set(AliasRelation::OperandsAlias);
        }
      }
      ValueState& value = state(operands_[i]);
      ++value.readers;
      value.last_read = at;
      StorageState& storage = storage_of(operands_[i]);
      if (storage.last_write != never) {
        set_if(graph_.objects[storage.written.index] != graph_.objects[operands_[i].index],
               AliasRelation::WriteThenReadAlias);
        set_if(storage.read_then_written, AliasRelation::ReadWriteRead);
        set_if(storage.read_then_written && storage.owner == Owner::Buffer, AliasRelation::StateReadWriteRead);
      }
      if (storage.first_read == never) storage.first_read = at;
    }
  }

  void visit_write(const Node& node, int at) {
    for_each_written(node, [&](ValueId value) { write(value, at); });
    for (ValueId result : node.results) {
      state(result).view = state(graph_.objects[result.index]).view;
      written_results_.push_back(result);
    }
  }

  void write(ValueId value, int at) {
    StorageState& storage = storage_of(value);
    switch (storage.owner) {
      case Owner::Input:
        set(AliasRelation::WriteToInput);
        break;
      case Owner::Buffer:
        set(AliasRelation::WriteToBuffer);
        break;
      default:
        set(AliasRelation::WriteToIntermediate);
        break;
    }
    set_if(state(value).view, AliasRelation::WriteThroughView);
    set_if(state(value).view && !is_dense(graph_.meta(value).layout), AliasRelation::WriteThroughGappedView);
    set_if(state(value).readers > 1, AliasRelation::FanOutIntoWrite);
    storage.last_write = at;
    storage.written = value;
    storage.read_then_written = storage.first_read != never && storage.first_read < at;
  }

  void visit_results(const Node& node, int at) {
    const bool views = std::any_of(node.results.begin(), node.results.end(),
                                   [&](ValueId result) { return operand_on(result).valid(); });
    set_if(views && node.results.size() > 1, AliasRelation::ListOfViews);
    for (ValueId result : node.results) {
      if (const ValueId base = operand_on(result); base.valid()) visit_view(base, result);
    }
    if (is_elidable_copy(graph_, node)) {
      const ValueId from = operands_.front();
      const ValueId to = node.results.front();
      set(AliasRelation::ElidableCopy);
      state(to).copy = true;
      state(to).copy_of_view = state(from).view;
      copies_.push_back({from, to, at});
    }
  }

  // The operand of the current node that shares its storage with the result, or none.
  ValueId operand_on(ValueId result) const {
    for (ValueId operand : operands_) {
      if (graph_.meta(operand).storage == graph_.meta(result).storage) return operand;
    }
    return ValueId();
  }

  void visit_view(ValueId base, ValueId view) {
    const Owner owner = storage_of(view).owner;
    set_if(owner == Owner::Input, AliasRelation::ViewOfInput);
    set_if(owner == Owner::Constant, AliasRelation::ViewOfConstant);
    set_if(owner == Owner::Buffer, AliasRelation::ViewOfBuffer);
    set_if(owner == Owner::Node, AliasRelation::ViewOfIntermediate);
    set_if(state(base).view, AliasRelation::ViewOfView);
    set_if(state(base).copy_of_view, AliasRelation::ViewOfCopyOfView);
    const Layout& layout = graph_.meta(view).layout;
    set_if(is_expanded(layout), AliasRelation::ExpandedView);
    set_if(!is_expanded(layout) && !is_dense(layout), AliasRelation::GappedView);
    state(view).view = true;
  }

  void finish_copy(const Copy& copy) {
    set_if(state(copy.to).readers > 0 && state(copy.from).last_read > copy.node, AliasRelation::CopyWithTwoReaders);
    set_if(storage_of(copy.to).last_write > copy.node || storage_of(copy.from).last_write > copy.node,
           AliasRelation::WriteAfterCopy);
  }

  void visit_outputs() {
    const std::vector<ValueId>& outputs = graph_.outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      visit_output(outputs[i]);
      for (std::size_t j = 0; j < i; ++j) {
        if (outputs[i] == outputs[j]) {
          set(AliasRelation::SameOutputTwice);
        } else if (graph_.meta(outputs[i]).storage == graph_.meta(outputs[j]).storage) {
          set(AliasRelation::OutputsShareStorage);
        }
      }
    }
  }

  void visit_output(ValueId output) {
    ValueState& value = state(output);
    value.returned = true;
    set_if(value.copy, AliasRelation::ReturnedElidableCopy);
    set_if(value.readers > 0, AliasRelation::ReturnedAndConsumed);
    switch (storage_of(output).owner) {
      case Owner::Input:
        set(value.view ? AliasRelation::ReturnedInputView : AliasRelation::ReturnedInput);
        break;
      case Owner::Constant:
        set(AliasRelation::ReturnedConstant);
        break;
      case Owner::Buffer:
        set(AliasRelation::ReturnedBuffer);
        break;
      case Owner::Node:
        set_if(value.view, AliasRelation::ReturnedView);
        break;
    }
  }

  void visit_unused() {
    const auto unused = [&](ValueId value) { return state(value).readers == 0 && !state(value).returned; };
    for (const Source& source : graph_.sources) set_if(unused(source.value), AliasRelation::UnusedSource);
    for (ValueId result : written_results_) set_if(unused(result), AliasRelation::UnusedWriteResult);
    for (const Node& node : graph_.nodes) {
      if (node.op->writes()) continue;
      const auto count = std::count_if(node.results.begin(), node.results.end(), unused);
      if (count == 0) continue;
      set_if(node.results.size() > 1, AliasRelation::UnusedListResult);
      set_if(count == static_cast<std::ptrdiff_t>(node.results.size()), AliasRelation::UnusedResult);
    }
  }

  const Graph& graph_;
  AliasRelations found_;
  std::vector<ValueState> values_;
  std::vector<StorageState> storages_;
  std::vector<AliasRelations> by_node_;
  std::vector<Copy> copies_;
  std::vector<ValueId> written_results_;
  std::vector<ValueId> operands_;  // of the current node
};

}  // namespace

std::string_view name(AliasRelation relation) { return names[static_cast<std::size_t>(relation)]; }

AliasRelations alias_relations(const Graph& graph) { return Classifier(graph).all(); }

RelationsOfNodes alias_relations_by_node(const Graph& graph) { return Classifier(graph).take(); }

bool is_elidable_copy(const Graph& graph, const Node& node) {
  if (node.op->group != OpGroup::Copy || node.results.size() != 1) return false;
  const auto* from = std::get_if<ValueId>(&node.arguments.front());
  if (!from) return false;
  const TensorMeta& source = graph.meta(*from);
  const TensorMeta& result = graph.meta(node.results.front());
  return source.storage != result.storage && source.dtype == result.dtype &&
         source.layout.numel() == result.layout.numel();
}

}  // namespace parallax
