#include "ops/argument_name.h"

#include <algorithm>
#include <array>

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
  const auto* found = std::ranges::find(texts, name);
  if (found == texts.end()) return std::nullopt;
  return static_cast<arg>(found - texts.begin());
}

}  // namespace parallax
