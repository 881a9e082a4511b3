// Cases that several tests read.
#pragma once

#include <string_view>

namespace parallax {

// Every part of the format in one small case: a fed and a state storage with windows, strides, a constant, a buffer, a
// list result, in-place writes, special floats, expectations and an origin.
inline constexpr std::string_view full_case = R"json({
  "parallax": 1,
  "name": "every \"part\"",
  "graph": {
    "storages": {"s0": {"type": "f32[12]"}, "kept": {"type": "f32[4]", "data": [1, 2, 3, 4]}},
    "inputs": {
      "x": {"type": "f32[2,3]"},
      "w0": {"type": "f32[2,3]", "storage": "s0", "strides": [6, 2], "offset": 1},
      "turned": {"type": "i64[2,2]", "strides": [1, 2]}
    },
    "constants": {"half": {"type": "f16[3]", "data": [0.5, "-inf", "nan"]}},
    "buffers": {
      "cache": {"type": "f32[2]", "data": [0, -0.0]},
      "head": {"type": "f32[2]", "storage": "kept", "offset": 2}
    },
    "nodes": [
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "sum", "op": "aten.add_.Tensor", "args": ["%w0", "%a"], "kwargs": {"alpha": 0.5}},
      {"out": "update", "op": "aten.add_.Tensor", "args": ["%cache", "%head"]},
      {"out": "flat", "op": "aten.view.default", "args": ["%a", [3, 2]]},
      {"out": "p", "op": "aten.split.Tensor", "args": ["%flat", 2, 0]},
      {"out": "last", "op": "getitem", "args": ["%p", 1]},
      {"out": "again", "op": "getitem", "args": ["%p", 1]},
      {"out": "z", "op": "aten.neg.default", "args": ["%again"]},
      {"out": "whole", "op": "aten.cat.default", "args": ["%p"]}
    ],
    "outputs": ["%sum", "%last", "%z", "%z", "%x", "%whole"]
  },
  "feed": {
    "s0": {"random": {"seed": 7, "low": -2, "high": 2}},
    "x": [0, 1, "nan", "inf", "-inf", -1.5],
    "turned": [1, 2, 3, 4]
  },
  "expect_inputs": {"w0": [1, 2, 3, 4, 5, 6]},
  "expect_buffers": {"cache": {"type": "f32[2]", "data": [3, 4]}},
  "origin": {"source": "hand", "issue": "none"}
})json";

}  // namespace parallax
