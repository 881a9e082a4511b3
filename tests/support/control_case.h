// Cases with branches and loops, as texts.
#pragma once

#include <string_view>

namespace parallax::testing {

inline constexpr std::string_view branch_case = R"({
  "parallax": 1, "name": "branch", "requires": ["subgraphs"],
  "graph": {
    "inputs": {"x": {"type": "f32[2]"}, "p": {"type": "bool[]"}},
    "nodes": [
      {"out": "y", "op": "cond", "args": ["%p", {"graph": "then"}, {"graph": "else"}, ["%x"]]},
      {"out": "y0", "op": "getitem", "args": ["%y", 0]},
      {"out": "z", "op": "aten.add.Tensor", "args": ["%y0", "%x"]}
    ],
    "outputs": ["%z"],
    "subgraphs": {
      "then": {"inputs": {"a": {"type": "f32[2]"}}, "nodes": [{"out": "b", "op": "aten.mul.Scalar", "args": ["%a", 2]}], "outputs": ["%b"]},
      "else": {"inputs": {"a": {"type": "f32[2]"}}, "nodes": [], "outputs": ["%a"]}
    }
  },
  "feed": {"x": [1, 2], "p": [true]}
})";

// Carries 1 and 2 are exchanged in each step, the second one with the sum of both.
inline constexpr std::string_view loop_case = R"({
  "parallax": 1, "name": "loop", "requires": ["subgraphs"],
  "graph": {
    "inputs": {"x": {"type": "f32[2]"}, "n": {"type": "i64[]"}, "w": {"type": "f32[2]"}},
    "nodes": [
      {"out": "zero", "op": "aten.full.default", "args": [[], 0], "kwargs": {"dtype": "i64"}},
      {"out": "y", "op": "while_loop", "args": [{"graph": "condition"}, {"graph": "body"}, ["%zero", "%x", "%w"], ["%n"]], "kwargs": {"max_steps": 9}},
      {"out": "i", "op": "getitem", "args": ["%y", 0]},
      {"out": "a", "op": "getitem", "args": ["%y", 1]},
      {"out": "b", "op": "getitem", "args": ["%y", 2]}
    ],
    "outputs": ["%i", "%a", "%b"],
    "subgraphs": {
      "condition": {
        "inputs": {"i": {"type": "i64[]"}, "u": {"type": "f32[2]"}, "v": {"type": "f32[2]"}, "m": {"type": "i64[]"}},
        "nodes": [{"out": "c", "op": "aten.lt.Tensor", "args": ["%i", "%m"]}],
        "outputs": ["%c"]
      },
      "body": {
        "inputs": {"i": {"type": "i64[]"}, "u": {"type": "f32[2]"}, "v": {"type": "f32[2]"}, "m": {"type": "i64[]"}},
        "nodes": [
          {"out": "k", "op": "aten.add.Scalar", "args": ["%i", 1]},
          {"out": "s", "op": "aten.add.Tensor", "args": ["%u", "%v"]}
        ],
        "outputs": ["%k", "%v", "%s"]
      }
    }
  },
  "feed": {"x": [1, 2], "n": [3], "w": [0.5, 1]}
})";

// The condition counts how often it is asked, in a buffer that was written before.
inline constexpr std::string_view counting_condition_case = R"({
  "parallax": 1, "name": "counting condition", "requires": ["runs", "subgraphs"],
  "graph": {
    "inputs": {"x": {"type": "f32[2]"}, "n": {"type": "i64[]"}},
    "buffers": {"asked": {"type": "f32[1]", "data": [0]}},
    "nodes": [
      {"out": "zero", "op": "aten.full.default", "args": [[], 0], "kwargs": {"dtype": "i64"}},
      {"out": "begun", "op": "aten.add_.Scalar", "args": ["%asked", 10]},
      {"out": "y", "op": "while_loop", "args": [{"graph": "condition"}, {"graph": "body"}, ["%zero", "%x"], ["%n", "%asked"]]},
      {"out": "a", "op": "getitem", "args": ["%y", 1]},
      {"out": "z", "op": "aten.mul.Scalar", "args": ["%asked", 2]}
    ],
    "outputs": ["%a", "%z"],
    "subgraphs": {
      "condition": {
        "inputs": {"i": {"type": "i64[]"}, "u": {"type": "f32[2]"}, "m": {"type": "i64[]"}, "k": {"type": "f32[1]"}},
        "nodes": [
          {"out": "c", "op": "aten.lt.Tensor", "args": ["%i", "%m"]},
          {"out": "w", "op": "aten.add_.Scalar", "args": ["%k", 1]}
        ],
        "outputs": ["%c"]
      },
      "body": {
        "inputs": {"i": {"type": "i64[]"}, "u": {"type": "f32[2]"}, "m": {"type": "i64[]"}, "k": {"type": "f32[1]"}},
        "nodes": [
          {"out": "j", "op": "aten.add.Scalar", "args": ["%i", 1]},
          {"out": "s", "op": "aten.mul.Tensor", "args": ["%u", "%k"]}
        ],
        "outputs": ["%j", "%s"]
      }
    }
  },
  "runs": [{"feed": {"x": [1, 2], "n": [2]}}, {"feed": {"x": [1, 2], "n": [0]}}]
})";

// A cache that each step of a scan adds to.
inline constexpr std::string_view scan_case = R"({
  "parallax": 1, "name": "scan", "requires": ["subgraphs"],
  "graph": {
    "inputs": {"x": {"type": "f32[3,2]"}, "h": {"type": "f32[2]"}},
    "buffers": {"cache": {"type": "f32[2]", "data": [0, 0]}},
    "nodes": [
      {"out": "y", "op": "scan", "args": [{"graph": "step"}, ["%h"], ["%x"], ["%cache"]]},
      {"out": "l", "op": "getitem", "args": ["%y", 0]},
      {"out": "s", "op": "getitem", "args": ["%y", 1]}
    ],
    "outputs": ["%l", "%s"],
    "subgraphs": {
      "step": {
        "inputs": {"c": {"type": "f32[2]"}, "e": {"type": "f32[2]"}, "k": {"type": "f32[2]"}},
        "nodes": [
          {"out": "n", "op": "aten.add.Tensor", "args": ["%c", "%e"]},
          {"out": "w", "op": "aten.add_.Tensor", "args": ["%k", "%e"]},
          {"out": "o", "op": "aten.mul.Tensor", "args": ["%n", "%w"]}
        ],
        "outputs": ["%n", "%o"]
      }
    }
  },
  "feed": {"x": [1, 2, 3, 4, 5, 6], "h": [0.5, 0.25]}
})";

inline constexpr std::string_view map_case = R"({
  "parallax": 1, "name": "map", "requires": ["subgraphs"],
  "graph": {
    "inputs": {"x": {"type": "f32[3,2]"}, "w": {"type": "f32[2]"}},
    "nodes": [
      {"out": "y", "op": "map", "args": [{"graph": "f"}, ["%x"], ["%w"]]},
      {"out": "s", "op": "getitem", "args": ["%y", 0]}
    ],
    "outputs": ["%s"],
    "subgraphs": {
      "f": {
        "inputs": {"e": {"type": "f32[2]"}, "w": {"type": "f32[2]"}},
        "nodes": [{"out": "o", "op": "aten.mul.Tensor", "args": ["%e", "%w"]}],
        "outputs": ["%o"]
      }
    }
  },
  "feed": {"x": [1, 2, 3, 4, 5, 6], "w": [0.5, 2]}
})";

}  // namespace parallax::testing
