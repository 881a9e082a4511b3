// A case with custom operations, as a text: one that writes a view and hands out the operand, a view of it, None and
// memory of its own; and one that returns nothing.
#pragma once

#include <string_view>

namespace parallax::testing {

inline constexpr std::string_view custom_case = R"json({
  "parallax": 1, "name": "custom", "requires": ["subgraphs", "custom"],
  "graph": {
    "inputs": {"x": {"type": "f32[3]"}, "y": {"type": "f32[2]"}},
    "nodes": [
      {"out": "v", "op": "aten.slice.Tensor", "args": ["%x", 0, 1, 3]},
      {"out": "r", "op": "custom", "args": [{"graph": "step"}, ["%v", "%y"]],
       "schema": "(Tensor(a!) a, Tensor b) -> (Tensor(a!), Tensor?, Tensor, Tensor(a!))"},
      {"out": "same", "op": "getitem", "args": ["%r", 0]},
      {"out": "own", "op": "getitem", "args": ["%r", 2]},
      {"out": "last", "op": "getitem", "args": ["%r", 3]},
      {"out": "n", "op": "custom", "args": [{"graph": "twice"}, ["%last"]]},
      {"out": "z", "op": "aten.add.Tensor", "args": ["%same", "%own"]}
    ],
    "outputs": ["%z", "%same"],
    "subgraphs": {
      "step": {
        "inputs": {"a": {"type": "f32[2]"}, "b": {"type": "f32[2]"}},
        "nodes": [
          {"out": "c", "op": "aten.add_.Tensor", "args": ["%a", "%b"]},
          {"out": "d", "op": "aten.mul.Tensor", "args": ["%a", "%b"]},
          {"out": "e", "op": "aten.slice.Tensor", "args": ["%a", 0, 1, 2]}
        ],
        "outputs": ["%c", null, "%d", "%e"]
      },
      "twice": {
        "inputs": {"t": {"type": "f32[1]"}},
        "nodes": [{"out": "u", "op": "aten.mul_.Scalar", "args": ["%t", 2]}],
        "outputs": []
      }
    }
  },
  "feed": {"x": [1, 2, 3], "y": [10, 20]}
})json";

}  // namespace parallax::testing
