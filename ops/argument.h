// Argument: what a node passes for one schema parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "core/ids.h"

namespace parallax {

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

// The name the case file uses, "contiguous_format" and so on, and back.
std::string_view name(MemoryFormat format);
std::optional<MemoryFormat> parse_memory_format(std::string_view name);

// A Python number: it keeps its kind, because promotion depends on it.
using Scalar = std::variant<bool, int64_t, double>;

inline double as_double(const Scalar& scalar) {
  return std::visit([](auto x) { return static_cast<double>(x); }, scalar);
}
inline bool is_floating(const Scalar& scalar) { return std::holds_alternative<double>(scalar); }
// The number as an integer; a double is cut towards zero and must be in range.
inline int64_t as_integer(const Scalar& scalar) {
  return std::visit([](auto x) { return static_cast<int64_t>(x); }, scalar);
}

using IntList = std::vector<int64_t>;
using ScalarList = std::vector<Scalar>;
using ValueList = std::vector<ValueId>;  // an invalid id is a None in a `Tensor?[]`

// monostate is None.
using Argument = std::variant<std::monostate, ValueId, ValueList, Scalar, IntList, ScalarList, DType, MemoryFormat, std::string>;

inline bool is_none(const Argument& argument) { return std::holds_alternative<std::monostate>(argument); }

// Calls `visit(ValueId)` for every value that the argument names, in order. Works on const and mutable arguments.
template <class Arg, class Visit>
void for_each_value(Arg& argument, Visit&& visit) {
  if (auto* value = std::get_if<ValueId>(&argument)) {
    visit(*value);
  } else if (auto* list = std::get_if<ValueList>(&argument)) {
    for (auto& element : *list) {
      if (element.valid()) visit(element);
    }
  }
}

}  // namespace parallax
