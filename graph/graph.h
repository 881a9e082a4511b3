// Graph: a program over ATen ops, as a value.
//
// Vectors and strong ids: copying a graph copies it whole, and an undo is a copy. Every value carries its metadata
// (dtype and layout over a storage), known before anything runs, so alias analysis is a look at `metas[v].layout` and
// `metas[v].storage`. Graphs are made by GraphBuilder (graph/builder.h), which keeps the invariants below; passes and
// reducers rebuild through it too.
//
// Invariants: a value is defined before it is used; names are unique; metadata is what each op's infer gives; a node's
// arguments name the value that holds a tensor object's newest metadata (t_, squeeze_ and unsqueeze_ change the object
// itself).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "ops/op.h"

namespace parallax {

// The bytes that values are views of. Exactly one of: declared in the case (`name` set), owned by one source, made by
// one node.
struct Storage {
  std::string name;  // a declared storage's name, else empty
  DType dtype = DType::F32;
  int64_t elements = 0;  // of `dtype`
  Dims sizes;            // declared storages: the type's shape
  std::optional<Tensor>
      data;  // declared storages that are state: what they hold before the first run; else they are fed
};

enum class SourceKind { Input, Constant, Buffer };

// A value that exists before the nodes run.
struct Source {
  SourceKind kind = SourceKind::Input;
  ValueId value;
  Tensor data;          // constants, and buffers before the first run; empty for inputs and windows
  bool window = false;  // lies in a declared storage
};

struct Node {
  const Op* op = nullptr;
  std::string name;                 // of the node: the one result, or the list that getitem takes elements of
  std::vector<Argument> arguments;  // one for each schema parameter
  std::vector<ValueId> results;
};

struct Graph {
  // By ValueId.
  std::vector<TensorMeta> metas;
  std::vector<std::string> names;
  std::vector<ValueId> objects;  // the first value of the same tensor object: that of an in-place result, or of a
                                 // contiguous with nothing to do, is its operand

  std::vector<Storage> storages;  // by StorageId
  std::vector<Source> sources;    // inputs, then constants, then buffers
  std::vector<Node> nodes;        // in execution order
  std::vector<ValueId> outputs;
  std::vector<std::shared_ptr<const Op>> own_ops;  // keeps the records of nodes that run subgraphs (graph/control_op.h)

  const TensorMeta& meta(ValueId value) const { return metas[value.index]; }
  const std::string& name(ValueId value) const { return names[value.index]; }
  const Storage& storage(StorageId id) const { return storages[id.index]; }
  const Node& node(NodeId id) const { return nodes[id.index]; }
};

// One entry of a feed: what is given before a run. Declared storages first, then the inputs that are no windows.
struct FeedSlot {
  std::string name;
  StorageId storage;
  DType dtype = DType::F32;
  Layout layout;  // where its row-major data goes in the storage
};
std::vector<FeedSlot> feed_slots(const Graph& graph);

// The node that makes a storage, or nothing where it belongs to a source.
std::vector<std::optional<NodeId>> storage_makers(const Graph& graph);

// The dtype that a call counts under: that of the first operand that is a tensor, or of the first of the first list.
std::optional<DType> first_dtype(const std::vector<Argument>& arguments, const Graph& graph);

// Whether a node writes this storage (through any view; metadata-only writes do not count).
std::vector<bool> written_storages(const Graph& graph);

}  // namespace parallax
