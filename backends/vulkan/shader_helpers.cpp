#include "backends/vulkan/shader_helpers.h"

#include <array>
#include <ranges>
#include <set>
#include <vector>

#include "backends/vulkan/shader_texts.h"

namespace parallax::vulkan {
namespace {

// Each uses what is before it, in its own text and in those before.
constexpr std::array texts = {"integer_math",    "float_math", "double_math", "double_pairs", "double_angles",
                              "error_functions", "gamma",      "bessel",      "polynomials"};

using Names = std::set<std::string, std::less<>>;

struct Paragraph {
  std::string text;
  Names defined, mentioned;
};

bool is_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Calls `visit(name, what follows it)` for each word of a line, until it returns false.
template <class Visit>
void for_each_word(std::string_view line, Visit&& visit) {
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_of_name(line[end])) ++end;
    if (end > at && !visit(line.substr(at, end - at), line.substr(end))) return;
    at = end == at ? at + 1 : end;
  }
}

void add_mentioned(std::string_view text, Names& names) {
  for_each_word(text, [&](std::string_view name, std::string_view) {
    names.emplace(name);
    return true;
  });
}

// What the first line of a definition defines: a struct, constants, or a function or macro.
void add_defined(std::string_view line, Names& names) {
  const bool constants = line.starts_with("const ");
  std::string_view before;
  for_each_word(line, [&](std::string_view name, std::string_view rest) {
    const bool is_macro_or_struct = before == "define" || before == "struct";
    if (is_macro_or_struct || rest.starts_with(constants ? " =" : "(")) names.emplace(name);
    before = name;
    return constants || (!is_macro_or_struct && !rest.starts_with("("));
  });
}

std::vector<Paragraph> paragraphs() {
  std::vector<Paragraph> made(1);
  for (const char* name : texts) {
    for (const auto part : std::views::split(shader_text(name), '\n')) {
      std::string_view line(part.begin(), part.end());
      if (line.empty() && !made.back().text.empty()) made.emplace_back();
      line = line.substr(0, line.find("//"));
      if (line.find_first_not_of(' ') == std::string_view::npos) continue;
      if (is_of_name(line.front()) || line.front() == '#') add_defined(line, made.back().defined);
      add_mentioned(line, made.back().mentioned);
      made.back().text.append(line).append("\n");
    }
  }
  return made;
}

}  // namespace

std::string shader_helpers(std::string_view text) {
  static const std::vector<Paragraph> all = paragraphs();
  Names needed;
  add_mentioned(text, needed);
  std::vector<const Paragraph*> taken;
  for (const Paragraph& paragraph : std::views::reverse(all)) {
    bool is_needed = false;
    for (const std::string& name : paragraph.defined) is_needed = is_needed || needed.contains(name);
    if (!is_needed) continue;
    needed.insert(paragraph.mentioned.begin(), paragraph.mentioned.end());
    taken.push_back(&paragraph);
  }
  std::string helpers;
  for (const Paragraph* paragraph : std::views::reverse(taken)) helpers += paragraph->text + "\n";
  return helpers;
}

std::string with_helpers(std::string_view text) { return shader_helpers(text) + std::string(text); }

}  // namespace parallax::vulkan
