// F15: the lowering of integer division forgets that eager rounds down where processors cut: -7 // 2 is -3, and -7 % 2
// is -1 (TVM #2486, Triton #619).
#include "compiler/decomposition.h"
#include "compiler/decompositions/quotients.h"
#include "compiler/faults.h"

namespace parallax {
namespace {

Terms floor_divide(Composer& c) { return floor_divide_parts(c, is_floating(c.result().dtype)); }
Terms remainder(Composer& c) { return remainder_parts(c, is_floating(c.result().dtype)); }

Result<Graph> decompose_cutting(const Graph& graph, const PassOptions& options) {
  static const DecompositionTable table =
      decompositions().with({"aten.floor_divide.default", floor_divide}).with({"aten.remainder.Tensor", remainder});
  return decompose_with(graph, table, options.keeps);
}

}  // namespace

const Fault cut_integer_quotients = {
    "F15",
    "integer division and modulo",
    "compiler/decompositions/quotients.cpp",
    "floor_divide and remainder of tensors cut towards zero where eager rounds down",
    "tvm#2486, tvm#2308, tvm#10336, triton#619, openvino#22684",
    [](CompilerParts& parts) { parts.replace_pass("decompose", decompose_cutting); },
};

}  // namespace parallax
