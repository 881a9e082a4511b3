#include "core/json_field.h"

#include <limits>

namespace parallax {

std::optional<Field> Field::find(std::string_view key) const {
  const auto member = json_->find(key);
  if (member == json_->end()) return std::nullopt;
  return Field(*member, pointer_ + pointer_step(key));
}

Result<Field> Field::need(std::string_view key) const {
  TRY_VOID(expect_object());
  auto member = find(key);
  if (!member) return fail("\"{}\" is missing", key);
  return *std::move(member);
}

Result<std::string> Field::need_text(std::string_view key) const {
  TRY_VOID(expect_object());
  TRY(const Field field, need(key));
  return field.text();
}

Result<void> Field::expect_object() const {
  if (!json_->is_object()) return fail("must be an object");
  return {};
}

Result<void> Field::expect_array() const {
  if (!json_->is_array()) return fail("must be a list");
  return {};
}

Result<std::string> Field::text() const {
  if (!json_->is_string()) return fail("must be a string");
  return json_->get<std::string>();
}

Result<int64_t> Field::integer() const {
  if (!json_->is_number_integer()) return fail("must be an integer");
  if (json_->is_number_unsigned() &&
      json_->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return fail("{} is over the range of a 64-bit integer", json_->get<uint64_t>());
  }
  return json_->get<int64_t>();
}

}  // namespace parallax
