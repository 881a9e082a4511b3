// F38: the axis of a bias is found by its size: one number a row where eager adds one a column, wherever both fit
// (XLA #46897, onnxruntime #12498).
#include "compiler/decomposition.h"
#include "compiler/decompositions/products.h"
#include "compiler/faults.h"

namespace parallax {
namespace {

Term placed_by_size(Term addend, const Dims& sizes) {
  Composer& c = *addend.composer;
  const bool fits_rows = sizes.size() == 2 && c.sizes(addend).size() == 1 && c.sizes(addend)[0] == sizes[0];
  return fits_rows ? unsqueezed(addend, 1) : addend;
}

}  // namespace

const Fault choose_addend_axis_by_size = {
    "F38",
    "bias broadcast",
    "compiler/decompositions/products.cpp",
    "a vector that is added to a square product is added to its rows, not its columns",
    "xla#46897, onnxruntime#12498, onnxruntime#3764",
    [](CompilerParts& parts) {
      parts.replace_pass("decompose", [](const Graph& graph, const PassOptions& options) {
        static const DecompositionTable table =
            decompositions()
                .with({"aten.linear.default", [](Composer& c) { return linear_parts(c, placed_by_size); }})
                .with({"aten.addmm.default", [](Composer& c) { return addmm_parts(c, placed_by_size); }});
        return decompose_with(graph, table, options.keeps);
      });
    },
};

}  // namespace parallax
