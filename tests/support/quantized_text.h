// Graphs with pairs of quantize and dequantize for tests, written as the case file's nodes.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/case_json.h"

namespace parallax::testing {

// The case {"graph": GRAPH, "feed": FEED}; a text that does not read is the test's own mistake.
inline Case quantized_case(const std::string& graph, const std::string& feed) {
  const Result<Case> test = parse_case(fmt::format(
      R"({{"parallax": 1, "name": "t", "requires": ["quantized"], "graph": {}, "feed": {}}})", graph, feed));
  EXPECT_TRUE(test) << test.error().text();
  return test.value();
}

inline std::string limits_of(std::string_view dtype) {
  return dtype == "i8"    ? "-128, 127"
         : dtype == "u8"  ? "0, 255"
         : dtype == "i16" ? "-32768, 32767"
                          : "-2147483648, 2147483647";
}

// A dequantize or a quantize per tensor, as text.
inline std::string per_tensor(std::string_view what, std::string_view out, std::string_view of, double scale,
                              int zero_point, std::string_view dtype) {
  return fmt::format(R"({{"out": "{}", "op": "quantized_decomposed.{}_per_tensor.default",
                        "args": ["%{}", {}, {}, {}, "{}"]}})",
                     out, what, of, scale, zero_point, limits_of(dtype), dtype);
}
inline std::string dequantize(std::string_view out, std::string_view of, double scale = 0.25, int zero_point = 3,
                              std::string_view dtype = "i8") {
  return per_tensor("dequantize", out, of, scale, zero_point, dtype);
}
inline std::string quantize(std::string_view out, std::string_view of, double scale = 0.5, int zero_point = -2,
                            std::string_view dtype = "i8") {
  return per_tensor("quantize", out, of, scale, zero_point, dtype);
}
inline std::string call(std::string_view out, std::string_view op, std::string_view arguments) {
  return fmt::format(R"({{"out": "{}", "op": "aten.{}", "args": [{}]}})", out, op, arguments);
}

inline std::string joined(const std::vector<std::string>& nodes) {
  std::string text;
  for (const std::string& node : nodes) text += (text.empty() ? "" : ", ") + node;
  return text;
}

}  // namespace parallax::testing
