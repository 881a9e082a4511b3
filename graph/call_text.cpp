#include "graph/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/counted_size.h"

namespace parallax {
namespace {

// Equal down to the sign of a zero.
bool same(const Argument& a, const Argument& b) {
  if (a != b) return false;
  const auto* x = std::get_if<Scalar>(&a);
  if (!x || !std::holds_alternative<double>(*x)) return true;
  return std::signbit(std::get<double>(*x)) == std::signbit(std::get<double>(std::get<Scalar>(b)));
}

bool is_default(const Parameter& parameter, const Argument& argument) {
  return parameter.default_value && same(*parameter.default_value, argument);
}

std::string spell_scalar(const Scalar& scalar, const Spelling& spelling) {
  if (const auto* flag = std::get_if<bool>(&scalar)) return std::string(*flag ? spelling.yes : spelling.no);
  if (const auto* integer = std::get_if<int64_t>(&scalar)) return fmt::format("{}", *integer);
  return spelling.real(std::get<double>(scalar));
}

template <class List, class SpellElement>
std::string spell_list(const List& list, SpellElement&& spell_element) {
  std::string text = "[";
  for (const auto& element : list) {
    if (text.size() > 1) text += ", ";
    text += spell_element(element);
  }
  return text + "]";
}

std::string spell_text(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

WrittenArguments written_arguments(const Node& node, std::span<const std::size_t> said) {
  WrittenArguments written;
  const std::vector<Parameter>& parameters = node.op->schema.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == count_parameter) continue;  // no argument of PyTorch's
    if (is_default(parameters[i], node.arguments[i]) && std::ranges::find(said, i) == said.end()) continue;
    if (parameters[i].keyword_only) {
      written.named.push_back(static_cast<int>(i));
    } else {
      written.positional = static_cast<int>(i) + 1;
    }
  }
  return written;
}

std::vector<bool> used_values(const Graph& graph) {
  std::vector<bool> used(graph.metas.size(), false);
  for (const Node& node : graph.nodes) {
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { used[value.index] = true; });
    }
  }
  for (ValueId output : graph.outputs) used[output.index] = true;
  return used;
}

std::string spell(const Argument& argument, const Spelling& spelling) {
  struct Visitor {
    const Spelling& spelling;
    std::string operator()(std::monostate) const { return std::string(spelling.none); }
    std::string operator()(ValueId value) const {
      return value.valid() ? spelling.value(value) : std::string(spelling.none);
    }
    std::string operator()(const ValueList& list) const { return spell_list(list, *this); }
    std::string operator()(const Scalar& scalar) const { return spell_scalar(scalar, spelling); }
    std::string operator()(const IntList& list) const {
      return spell_list(list, [](int64_t element) { return fmt::format("{}", element); });
    }
    std::string operator()(const ScalarList& list) const { return spell_list(list, *this); }
    std::string operator()(DType dtype) const { return spelling.dtype(dtype); }
    std::string operator()(MemoryFormat format) const { return spelling.memory_format(format); }
    std::string operator()(const std::string& text) const { return spell_text(text); }
  };
  return std::visit(Visitor{spelling}, argument);
}

std::string spell_arguments(const Node& node, const Spelling& spelling) {
  const WrittenArguments written = written_arguments(node, spelling.said);
  const auto spell_one = [&](std::size_t index) {
    const Argument& argument = node.arguments[index];
    const auto number = [&](std::size_t place, int64_t plain) {
      const std::string text = spelling.number ? spelling.number(index, place) : "";
      return text.empty() ? fmt::format("{}", plain) : text;
    };
    if (const auto* list = std::get_if<IntList>(&argument)) {
      std::size_t place = 0;
      return spell_list(*list, [&](int64_t element) { return number(place++, element); });
    }
    const auto* scalar = std::get_if<Scalar>(&argument);
    const auto* integer = scalar ? std::get_if<int64_t>(scalar) : nullptr;
    return integer ? number(0, *integer) : spell(argument, spelling);
  };
  std::string text;
  const auto separate = [&] {
    if (!text.empty()) text += ", ";
  };
  for (int i = 0; i < written.positional; ++i) {
    separate();
    text += spell_one(static_cast<std::size_t>(i));
  }
  for (int i : written.named) {
    separate();
    const auto index = static_cast<std::size_t>(i);
    text += node.op->schema.parameters[index].name + "=" + spell_one(index);
  }
  return text;
}

}  // namespace parallax
