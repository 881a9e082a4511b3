#include "ops/argument_name.h"

#include <array>
#include <unordered_map>

namespace parallax {
namespace {

constexpr std::array<std::string_view, argument_names> texts = {
#define PARALLAX_TEXT(name) #name,
    PARALLAX_ARGUMENT_NAMES(PARALLAX_TEXT)
#undef PARALLAX_TEXT
};

}  // namespace

std::string_view name(arg argument) { return texts[static_cast<std::size_t>(argument)]; }

std::optional<arg> parse_argument_name(std::string_view name) {
  static const std::unordered_map<std::string_view, arg> by_text = [] {
    std::unordered_map<std::string_view, arg> all;
    for (std::size_t i = 0; i < texts.size(); ++i) all.emplace(texts[i], static_cast<arg>(i));
    return all;
  }();
  const auto found = by_text.find(name);
  return found == by_text.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace parallax
