#include "core/form.h"

#include <algorithm>

namespace parallax {
namespace {

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (static_cast<std::size_t>(forms[i].form) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

}  // namespace

std::optional<Form> parse_form(std::string_view name) {
  const auto row = std::ranges::find(forms, name, &FormInfo::name);
  return row == forms.end() ? std::nullopt : std::optional(row->form);
}

bool applies(Form form, std::string_view family) {
  constexpr std::string_view separator = ", ";
  std::string_view rest = info(form).families;
  if (rest == "all") return true;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    if (rest.substr(0, end) == family) return true;
    rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  }
  return false;
}

bool applies(Form form, DType dtype) {
  switch (info(form).dtypes) {
    case FormDTypes::Halves:
      return dtype == DType::F16 || dtype == DType::BF16;
    case FormDTypes::Floating:
      return is_floating(dtype);
    case FormDTypes::Integers:
      return is_integral(dtype);
  }
  return false;
}

}  // namespace parallax
