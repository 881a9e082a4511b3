// GraphBuilder: the one way to make a graph. Each addition is checked and its metadata inferred, so what it holds is
// always valid.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/name_set.h"

namespace parallax {

struct ControlOp;

class GraphBuilder {
 public:
  // For graphs that a compiler makes: results of branches and loops lie in memory of their own there, whatever eager
  // hands on, and any call may write them.
  void own_all_results() { owns_results_ = true; }

  // Makes room for a graph of that many nodes and values.
  void reserve(std::size_t nodes, std::size_t values);

  // A declared storage of `sizes`; with `data` it is state, without it is fed.
  Result<StorageId> add_storage(std::string name, DType dtype, const Dims& sizes,
                                std::optional<Tensor> data = std::nullopt);

  // An input, constant or buffer with a storage of its own. `layout` may have any strides >= 0 and offset 0.
  // `data` (row-major) is for constants and buffers. A name that is empty is made up ("v7").
  Result<ValueId> add_source(SourceKind kind, std::string name, DType dtype, const Layout& layout, Tensor data = {});
  // A source that is a window on a declared storage of the same dtype.
  Result<ValueId> add_window(SourceKind kind, std::string name, DType dtype, const Layout& layout, StorageId storage);

  // A call. `arguments` has one entry for each schema parameter (bind_arguments). Values that name a tensor object
  // are replaced by its newest metadata. Returns the results' ids. On an error the graph is as it was.
  // `result_names` may be empty or shorter: names are made up then; for a single result the node's name is its name.
  Result<std::vector<ValueId>> add_node(const Op& op, std::vector<Argument> arguments, std::string name = "",
                                        std::vector<std::string> result_names = {});

  // The same; the ids that are returned are to be read before the next addition.
  Result<std::span<const ValueId>> append_node(const Op& op, std::vector<Argument> arguments, std::string name = "",
                                               std::vector<std::string> result_names = {});

  // The same where what infer says of the results is known: the arguments are the newest values of their tensor
  // objects, and no constant is written.
  Result<std::span<const ValueId>> add_known_node(const Op& op, std::vector<Argument> arguments,
                                                  std::span<const ResultMeta> results, std::string name,
                                                  std::vector<std::string> result_names = {});

  // Like add_node for a positional call with one result: `builder.call("aten.add.Tensor", {a, b})`. The op must exist.
  Result<ValueId> call(std::string_view op, std::vector<Argument> positional, std::string name = "",
                       std::vector<std::pair<std::string, Argument>> named = {});

  // Appends an output: the newest metadata of the value's tensor object at take().
  void add_output(ValueId value);

  // The value that holds the newest metadata of the same tensor object.
  ValueId current(ValueId value) const { return newest_[graph_.objects[value.index].index]; }
  // A name that nothing uses yet, starting with `stem`.
  std::string fresh_name(std::string_view stem);
  bool has_name(std::string_view name) const { return used_names_.contains(name); }

  const Graph& graph() const { return graph_; }
  // The finished graph; the builder is empty afterwards. Sources are put into the order inputs, constants, buffers.
  Graph take();

 private:
  // Whether the tensor object of that first value is there at the next run too: a buffer or a constant.
  bool outlives_run(ValueId value) const;
  Result<void> check_shared(const Op& op, const std::vector<Argument>& arguments) const;
  Result<void> check_state(const ControlOp& op, const std::vector<Argument>& arguments) const;
  Result<void> claim_name(std::string_view name);
  // The same; a name that is empty is made up from the stem first.
  Result<void> claim_name(std::string& name, std::string_view stem);
  std::string next_name(std::string_view stem);
  // A storage that is not declared.
  StorageId new_storage(DType dtype, int64_t elements, bool constant);
  ValueId new_value(std::string name, const TensorMeta& meta, ValueId object);

  Graph graph_;
  std::vector<ValueId> newest_;  // by object
  NameSet used_names_;
  std::vector<bool> constant_storage_;  // by storage: no node may write it
  std::size_t next_name_ = 0;
  bool owns_results_ = false;
};

// The name of element k of a list that nobody named: "b_1".
std::string element_name(std::string_view list, std::size_t k);

// Whether `name` matches [A-Za-z_][A-Za-z0-9_]*.
bool is_identifier(std::string_view name);

}  // namespace parallax
