// A case with two methods over one cache, as a text.
#pragma once

#include <string_view>

namespace parallax::testing {

// The graph fills the first two rows of the cache and says so; "decode" writes the row at the position and moves it on.
inline constexpr std::string_view methods_case = R"({
  "parallax": 1, "name": "prefill-and-decode", "requires": ["runs", "methods"],
  "graph": {
    "inputs": {"x": {"type": "f32[2,2]"}},
    "buffers": {"cache": {"type": "f32[4,2]", "data": [0, 0, 0, 0, 0, 0, 0, 0]}, "at": {"type": "i64[1]", "data": [0]}},
    "nodes": [
      {"out": "rows", "op": "aten.slice.Tensor", "args": ["%cache", 0, 0, 2]},
      {"out": "filled", "op": "aten.copy_.default", "args": ["%rows", "%x"]},
      {"out": "two", "op": "aten.fill_.Scalar", "args": ["%at", 2]},
      {"out": "sum", "op": "aten.sum.dim_IntList", "args": ["%cache", [0]]}
    ],
    "outputs": ["%sum"]
  },
  "methods": {
    "decode": {
      "inputs": {"y": {"type": "f32[1,2]"}},
      "nodes": [
        {"out": "written", "op": "aten.index_copy_.default", "args": ["%cache", 0, "%at", "%y"]},
        {"out": "moved", "op": "aten.add_.Scalar", "args": ["%at", 1]},
        {"out": "sum", "op": "aten.sum.dim_IntList", "args": ["%cache", [0]]}
      ],
      "outputs": ["%sum"]
    }
  },
  "runs": [
    {"feed": {"x": [1, 2, 3, 4]}},
    {"method": "decode", "feed": {"y": [10, 20]}},
    {"method": "decode", "feed": {"y": [100, 200]}},
    {"feed": {"x": [0, 0, 0, 0]}}
  ]
})";

}  // namespace parallax::testing
