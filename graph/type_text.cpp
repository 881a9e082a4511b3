#include "graph/type_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "core/layout.h"
#include "core/nearest_name.h"
#include "graph/builder.h"

namespace parallax {
namespace {

Result<int64_t> parse_size(std::string_view digits, std::string_view type) {
  int64_t size = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, size);
  if (error == std::errc::result_out_of_range) return fail("size {} of type '{}' is too large", digits, type);
  if (error != std::errc() || stop != end) return fail("size '{}' of type '{}' is not an integer", digits, type);
  if (size < 0) return fail("size {} of type '{}' is negative", size, type);
  return size;
}

bool has_name(std::string_view entry) {
  return std::ranges::any_of(entry,
                             [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
}

Result<Dims> parse_sizes(std::string_view list, std::string_view type, const NamedSize& named) {
  Dims sizes;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (sizes.size() == max_rank) return fail("type '{}' has more than {} dims", type, max_rank);
    const std::string_view entry = list.substr(0, comma);
    TRY(int64_t size, named&& has_name(entry) ? named(entry, sizes.size()) : parse_size(entry, type));
    sizes.push_back(size);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty()) return fail("type '{}' has a comma too many", type);
  }
  return sizes;
}

// The name here of a dtype that is named as in PyTorch, or the nearest name, as a hint.
std::string meant_dtype(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> torch_names = {{{"float32", "f32"},
                                                                                          {"float", "f32"},
                                                                                          {"float64", "f64"},
                                                                                          {"double", "f64"},
                                                                                          {"float16", "f16"},
                                                                                          {"half", "f16"},
                                                                                          {"bfloat16", "bf16"},
                                                                                          {"int64", "i64"},
                                                                                          {"int32", "i32"},
                                                                                          {"int16", "i16"},
                                                                                          {"int8", "i8"},
                                                                                          {"uint8", "u8"}}};
  for (const auto& [torch_name, ours] : torch_names) {
    if (name == torch_name) return fmt::format("; did you mean '{}'?", ours);
  }
  std::vector<std::string> names;
  for (int d = 0; d < dtype_count; ++d) names.emplace_back(parallax::name(static_cast<DType>(d)));
  return did_you_mean(name, names);
}

}  // namespace

Result<TensorType> parse_type(std::string_view text, const NamedSize& named) {
  const std::size_t bracket = text.find('[');
  const std::string_view dtype_name = text.substr(0, bracket);
  const auto dtype = parse_dtype(dtype_name);
  if (!dtype) return fail("unknown dtype '{}' in type '{}'{}", dtype_name, text, meant_dtype(dtype_name));
  if (bracket == std::string_view::npos || !text.ends_with(']')) {
    return fail("type '{}' must read like 'f32[2,3]' or 'f32[]'", text);
  }
  TRY(Dims sizes, parse_sizes(text.substr(bracket + 1, text.size() - bracket - 2), text, named));
  int64_t product = 1;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size == 0) {
      empty = true;
    } else if (size > max_tensor_elements || (product *= size) > max_tensor_elements) {
      return fail("type '{}' has more than {} elements", text, max_tensor_elements);
    }
  }
  return TensorType{*dtype, sizes, empty ? 0 : product};
}

}  // namespace parallax
