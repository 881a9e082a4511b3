// PythonModule: a case's graph as a torch.nn.Module, and its feeds as functions that make the inputs. What the scripts
// for the systems of the PyTorch family share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/call_text.h"
#include "graph/case.h"

namespace parallax {

// How a call is written: "torch.ops.aten.neg.default(x)".
using PythonCall = std::function<std::string(const Node& node, const Spelling& spelling)>;
std::string aten_call(const Node& node, const Spelling& spelling);
// The line that registers ops which torch does not have from the start, or nothing.
std::string library_imports(const Graph& graph);

// Whether programs take an input of that layout. What they do not take, and any window on a storage, becomes a view of
// its memory inside the module, and the memory is the input. Empty for systems that take whatever there is.
using TakesInput = std::function<bool(const Layout& layout)>;

class PythonModule {
 public:
  // The case must outlive the module.
  explicit PythonModule(const Case& test, PythonCall call = aten_call, TakesInput takes = {});

  // The class of that name, with no blank lines around it. Buffers are registered ones and constants plain attributes,
  // so that torch.export sees what the case means.
  std::string class_text(std::string_view class_name, std::string_view doc = "") const;
  // The function of that name: the inputs of a run by name, made afresh, windows on a storage sharing its memory. The
  // run's graph is the case's, at whatever sizes.
  std::string inputs_text(std::string_view function, const Case& run) const;
  // The symbols, and DYNAMIC and BOUND: by input, which of its dims are what, and its sizes at the bound; None for one
  // that never changes. Empty for a case without symbols.
  std::string dynamic_text() const;
  // WRT and COTANGENTS, where the case asks for gradients; else empty.
  std::string gradient_text() const;
  // EXPECTED, what the case records, by the place that the scripts call it; else empty.
  std::string expected_text() const;

 private:
  const std::string& name(ValueId value) const { return names_[value.index]; }
  const std::string& name_of(std::string_view source) const;
  std::string window(const Source& source) const;
  bool is_fed_as_memory(const Source& source) const;
  const std::string& input_name(const Source& source) const;
  std::vector<std::string> input_names() const;
  std::string view_of_input(const Source& source) const;
  std::string fed_name(StorageId storage) const;
  std::vector<std::string> state_storages(SourceKind kind) const;
  std::string constructor_text() const;
  std::string size_text(const Relation& relation) const;
  std::string node_text(std::size_t node, std::string_view library) const;

  const Case& test_;
  const Graph& graph_;
  PythonCall call_;
  TakesInput takes_;
  std::vector<bool> used_;                  // by value
  std::vector<std::string> names_;          // by value
  std::vector<std::string> read_;           // by value: what forward says for it
  std::vector<std::string> storage_names_;  // by storage: of those declared, and of those fed as memory
  std::vector<std::string> list_names_;     // by node
};

}  // namespace parallax
