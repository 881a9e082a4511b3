#include "backends/vulkan/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backends/vulkan/function_table.h"
#include "core/check.h"

namespace parallax::vulkan {
namespace {

constexpr uint32_t first_function = 3;

struct ClassText {
  std::string_view type, to, bits;
};
constexpr std::array<ClassText, number_classes> class_texts = {ClassText{"float", "to_float", "float_bits"},
                                                               ClassText{"int64_t", "to_integer", "integer_bits"},
                                                               ClassText{"double", "to_double", "double_bits"}};

// By opcode, those that are no functions.
constexpr std::array<std::string_view, first_function> common_cases = {
    "converted(a_bits, second, third)",
    "integer_bits(int64_t(item))",
    "a_bits.x != 0u ? b_bits : c_bits",
};

// Calls `visit(function, class, opcode)` for each expression of the table.
template <class Visit>
void for_each_expression(Visit&& visit) {
  uint32_t opcode = first_function;
  for (const Function& function : function_table()) {
    for (std::size_t k = 0; k < number_classes; ++k) {
      if (!function.expressions[k].empty()) visit(function, static_cast<NumberClass>(k), opcode++);
    }
  }
  PARALLAX_CHECK(opcode <= Opcodes().size());
}

// What GLSL does not have is long, and would only be in the way of others.
bool wants_own_shader(const Function& function, NumberClass k) {
  return function.family == Family::Special || (k == NumberClass::Double && function.family != Family::Plain);
}

std::size_t functions_in(Opcodes opcodes) {
  for (uint32_t opcode = 0; opcode < first_function; ++opcode) opcodes.reset(opcode);
  return opcodes.count();
}

}  // namespace

const Function& find_function(std::string_view name) {
  const auto functions = function_table();
  const auto found = std::ranges::find(functions, name, &Function::name);
  PARALLAX_CHECK(found != functions.end());
  return *found;
}

std::optional<uint32_t> opcode_of(const Function& function, NumberClass numbers) {
  std::optional<uint32_t> found;
  for_each_expression([&](const Function& candidate, NumberClass k, uint32_t opcode) {
    if (candidate.name == function.name && k == numbers) found = opcode;
  });
  return found;
}

Opcodes with_families(const Opcodes& opcodes) {
  if (functions_in(opcodes) <= 1) return opcodes;
  std::set<std::pair<Family, NumberClass>> families;
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    if (opcodes[opcode] && !wants_own_shader(function, k)) families.emplace(function.family, k);
  });
  Opcodes all = opcodes;
  for (uint32_t opcode = 0; opcode < first_function; ++opcode) all.set(opcode);
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    if (!wants_own_shader(function, k) && families.contains({function.family, k})) all.set(opcode);
  });
  return all;
}

bool are_too_many(const Opcodes& opcodes) {
  bool too_many = false;
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    too_many = too_many || (opcodes[opcode] && wants_own_shader(function, k));
  });
  return too_many && functions_in(opcodes) > 1;
}

uint32_t case_number(const Opcodes& opcodes, uint32_t opcode) {
  uint32_t number = 0;
  for (uint32_t before = 0; before < opcode; ++before) number += opcodes[before];
  PARALLAX_CHECK(number < 256);  // what an operation's word has room for
  return number;
}

std::string function_cases(const Opcodes& opcodes) {
  std::string cases;
  for (uint32_t opcode = 0; opcode < first_function; ++opcode) {
    if (!opcodes[opcode]) continue;
    cases += fmt::format("    case {}: y_bits = {}; break;\n", case_number(opcodes, opcode), common_cases[opcode]);
  }
  for_each_expression([&](const Function& function, NumberClass k, uint32_t opcode) {
    if (!opcodes[opcode]) return;
    const auto& [type, to, bits] = class_texts[static_cast<std::size_t>(k)];
    const std::string_view expression = function.expressions[static_cast<std::size_t>(k)];
    const bool widened = function.in_double && k == NumberClass::Float;
    cases += fmt::format("    case {}: {{\n", case_number(opcodes, opcode));
    for (const char operand : {'a', 'b', 'c'}) {
      cases += widened ? fmt::format("      double {0} = double(to_float({0}_bits));\n", operand)
                       : fmt::format("      precise {} {} = {}({}_bits);\n", type, operand, to, operand);
    }
    cases += function.predicate
                 ? fmt::format("      y_bits = flag_bits({});\n", expression)
                 : fmt::format("      precise {0} y = {0}({1});\n      y_bits = {2}(y);\n", type, expression, bits);
    cases += "      break;\n    }\n";
  });
  return cases;
}

}  // namespace parallax::vulkan
