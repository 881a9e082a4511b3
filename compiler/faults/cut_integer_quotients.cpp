// F15: the lowering of integer division forgets that eager rounds down where processors cut: -7 // 2 is -3, and -7 % 2
// is -1 (TVM #2486, Triton #619).
#include <array>

#include "compiler/decomposition.h"
#include "compiler/faults.h"

namespace parallax {
namespace {

Terms cut_quotient(Composer& c) {
  if (is_floating(c.result().dtype)) return {};
  return {c.call("aten.div.Tensor_mode", {c.converted(0).value, c.converted(1).value},
                 {{"rounding_mode", std::string("trunc")}})};
}

Terms cut_rest(Composer& c) { return {c.call("aten.fmod.Tensor", {c.converted(0).value, c.converted(1).value})}; }

Result<Graph> decompose_cutting(const Graph& graph, const PassOptions&) {
  static const DecompositionTable table =
      decompositions().with({"aten.floor_divide.default", cut_quotient}).with({"aten.remainder.Tensor", cut_rest});
  return decompose_with(graph, table);
}

}  // namespace

const Fault cut_integer_quotients = {
    "F15",
    "integer division and modulo",
    "compiler/decompositions/division.cpp",
    "floor_divide and remainder of tensors cut towards zero where eager rounds down",
    "tvm#2486, tvm#2308, tvm#10336, triton#619, openvino#22684",
    [](CompilerParts& parts) { parts.replace_pass("decompose", decompose_cutting); },
};

}  // namespace parallax
