// Rebuild: a case taken apart into plain editable data, and put together again through GraphBuilder.
//
// A sketch keeps only what a person would have to write down; metadata, storages and feed slots are worked out anew. So
// a pass edits without caring for invariants, and an edit that breaks one is not a candidate.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

struct Sketch {
  struct DeclaredStorage {
    std::string name;
    Dims sizes;
    DType dtype = DType::F32;
    bool state = false;
    Tensor data;                // what it holds before the first run, or what is fed
    std::vector<Tensor> later;  // what is fed in the runs after the first
  };
  struct GivenValue {
    SourceKind kind = SourceKind::Input;
    ValueId value;
    std::string name;
    DType dtype = DType::F32;
    Layout layout;
    Tensor data;                            // fed, constant or initial; empty for a window
    std::optional<std::size_t> storage;     // a window: its storage's place in `storages`
    std::vector<Tensor> later = {};         // an input: what is fed in the runs after the first; none: `data` again
    std::vector<SymbolicDim> symbols = {};  // its dims that are symbols of `symbols`, whatever place it has
  };
  struct CallSketch {
    const Op* op = nullptr;
    std::string name;
    std::vector<Argument> arguments;
    std::vector<ValueId> results;
    std::vector<std::string> result_names;
    std::vector<SymbolicNumber> numbers = {};  // of its arguments, whatever node it is
  };

  std::vector<DeclaredStorage> storages;
  std::vector<GivenValue> sources;
  std::vector<CallSketch> nodes;
  std::vector<ValueId> outputs;
  std::vector<Symbol> symbols;
  std::vector<SymbolSizes> later;  // the sizes of the runs after the first
  std::vector<int> instances;      // of the program, that these runs are on
  // The methods over the buffers that the case had when it was taken apart: put together, they follow what becomes of
  // these. Which of them each later run calls, as LaterRun::method, and what one that calls a method is fed: the
  // sketch's own inputs and storages have a copy of the first run's data there.
  std::vector<Method> methods;
  std::vector<ValueId> shared;                         // these buffers, in order
  std::vector<std::size_t> called;                     // by later run
  std::vector<std::vector<Tensor>> fed;                // likewise; empty where it calls the graph
  std::vector<ValueId> wrt;                            // sources whose gradients are asked for
  std::vector<std::pair<ValueId, Tensor>> cotangents;  // of outputs, by their value
  // By value: what stands for it; itself where nothing was replaced. Values keep the ids of the case that was taken
  // apart.
  std::vector<ValueId> stand_ins;

  // Follows stand-ins to the end.
  ValueId resolve(ValueId value) const;
  // From now on `by` is meant wherever `value` is named.
  void replace(ValueId value, ValueId by) { stand_ins[value.index] = by; }
};

Sketch take_apart(const Case& test);

// Other arguments to try for a node, the best first; `mapped` are its own ones with the new graph's values, `graph` is
// what is rebuilt so far, `values` the new ids by the sketch's.
using ArgumentChoices = std::function<std::vector<std::vector<Argument>>(
    const Sketch::CallSketch& node, const std::vector<Argument>& mapped, const Graph& graph,
    const std::vector<ValueId>& values)>;

// The case of a sketch, or nothing where it is not valid (an operand is missing, a call does not infer, there is no
// output). Declared storages without a window are left out; the name and origin are the base's, an expectation is not
// kept. Gradients are asked for as far as their inputs and outputs are still there; a cotangent of another size than
// its output has become is ones.
std::optional<Case> put_together(const Sketch& sketch, const Case& base, const ArgumentChoices& choices = nullptr);

// The same case without the nodes that nothing depends on: neither an output, nor what an input or buffer holds after
// the run.
Case without_dead_nodes(const Case& test);

}  // namespace parallax
