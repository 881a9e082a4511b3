// Structures: several calls that belong together in the programs that people ship, such as attention over a cache, a
// recurrent cell or the head of a detector. Calls that are drawn one by one hardly ever come to one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/choices.h"
#include "graph/builder.h"

namespace parallax {

// Where a structure is drawn: the graph so far, and the ways in which it grows. What the targets do not take, or what
// does not infer, gives an invalid value; a call on one is left out too, so that a structure need not look after each.
class StructureSite {
 public:
  // Adds a call of an op and returns whether it is in the graph now.
  using AddCall = std::function<bool(const Op& op, std::vector<Argument> arguments)>;
  // Adds a source of zeros; what it holds is drawn when the graph is known.
  using AddSource = std::function<ValueId(SourceKind kind, DType dtype, const Dims& sizes)>;

  StructureSite(Choices& choices, const GraphBuilder& builder, DType dtype, AddCall add_call, AddSource add_source,
                bool flushes = false)
      : choices_(choices),
        builder_(builder),
        dtype_(dtype),
        add_call_(std::move(add_call)),
        add_source_(std::move(add_source)),
        flushes_(flushes) {}

  Choices& choices() { return choices_; }
  // Of the structure's numbers.
  DType dtype() const { return dtype_; }
  // Whether a target may give 0 for a subnormal result, so that nothing tells what it made of one.
  bool flushes() const { return flushes_; }
  const TensorMeta& meta(ValueId value) const { return builder_.graph().meta(value); }

  // The first result of a call.
  ValueId call(std::string_view op, std::vector<Argument> positional,
               std::vector<std::pair<std::string, Argument>> named = {});
  // Result k of the call that was added last; invalid where that call was left out.
  ValueId result(std::size_t k) const { return k < results_.size() ? results_[k] : ValueId(); }

  // A source of its own: an input, a constant as weights are, or state.
  ValueId input(const Dims& sizes) { return add_source_(SourceKind::Input, dtype_, sizes); }
  ValueId weights(const Dims& sizes) { return add_source_(SourceKind::Constant, dtype_, sizes); }
  ValueId state(const Dims& sizes) { return add_source_(SourceKind::Buffer, dtype_, sizes); }
  ValueId source(SourceKind kind, DType dtype, const Dims& sizes) { return add_source_(kind, dtype, sizes); }
  // A tensor of that size which is there already, or an input.
  ValueId activations(const Dims& sizes);
  // A few dims of a few elements.
  Dims small_sizes();
  // A tensor of such a rank that is there; an invalid value where there is none.
  ValueId any_of_rank(int fewest, int most);

  // Some calls by their short names.
  ValueId transpose(ValueId x, int64_t a, int64_t b) { return call("aten.transpose.int", {x, Scalar(a), Scalar(b)}); }
  ValueId slice(ValueId x, int64_t dim, int64_t begin, int64_t end, int64_t step = 1) {
    return call("aten.slice.Tensor", {x, Scalar(dim), Scalar(begin), Scalar(end), Scalar(step)});
  }
  ValueId reshape(ValueId x, const IntList& sizes) { return call("aten.reshape.default", {x, sizes}); }
  ValueId multiply(ValueId a, ValueId b) { return call("aten.mul.Tensor", {a, b}); }
  ValueId sum(ValueId a, ValueId b) { return call("aten.add.Tensor", {a, b}); }
  ValueId scaled(ValueId a, double factor) { return call("aten.mul.Scalar", {a, Scalar(factor)}); }

 private:
  // The tensors of the structure's dtype that fit, each as it is after the last write.
  std::vector<ValueId> tensors(const std::function<bool(const Dims& sizes)>& fits) const;

  Choices& choices_;
  const GraphBuilder& builder_;
  DType dtype_;
  AddCall add_call_;
  AddSource add_source_;
  bool flushes_;
  std::vector<ValueId> results_;
};

struct Structure {
  std::string_view name;
  void (*draw)(StructureSite& site);
};

// By file: attention and its caches, layers, routing and detection, state, and what fusions look for.
std::span<const Structure> attention_structures();
std::span<const Structure> layer_structures();
std::span<const Structure> routing_structures();
std::span<const Structure> state_structures();
std::span<const Structure> fusion_structures();

// Where arithmetic has its edges.
std::span<const Structure> numeric_structures();
// Pairs of quantize and dequantize around layers, and where no quantizer puts them.
std::span<const Structure> quantized_structures();
// What programs do with dims whose sizes change.
std::span<const Structure> dynamic_structures();

// Which structures a profile draws: all of those of shipped programs, or those of one file.
enum class StructureKind { Shipped, Quantized, Dynamic, Numeric };

void draw_structure(StructureKind kind, StructureSite& site);

}  // namespace parallax
