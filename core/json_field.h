// Field: one place of a JSON document together with its pointer, so that every error says where it is.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_text.h"

namespace parallax {

class Field {
 public:
  // The document must outlive the field.
  Field(const Json& json, std::string pointer) : json_(&json), pointer_(std::move(pointer)) {}

  const Json& json() const { return *json_; }
  const std::string& pointer() const { return pointer_; }

  // The member of that name, or nothing; the field must be an object.
  std::optional<Field> find(std::string_view key) const;
  // The member of that name, or an error that it is missing.
  Result<Field> need(std::string_view key) const;
  // The text of the member of that name; an error if the field is no object, the member missing or no text.
  Result<std::string> need_text(std::string_view key) const;
  // Element i of an array.
  Field element(std::size_t i) const { return {(*json_)[i], pointer_ + pointer_step(i)}; }
  // A member that an iteration over json().items() has at hand.
  Field member(const std::string& key, const Json& value) const { return {value, pointer_ + pointer_step(key)}; }

  Result<void> expect_object() const;
  Result<void> expect_array() const;
  Result<std::string> text() const;
  // An integer that a int64_t holds.
  Result<int64_t> integer() const;

  // An error of this place.
  template <class... Args>
  std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) const {
    return at(pointer_, parallax::fail(format, std::forward<Args>(args)...).error());
  }
  // The same for a part of the format that this version does not run.
  template <class... Args>
  std::unexpected<Error> unsupported(fmt::format_string<Args...> format, Args&&... args) const {
    Error error{ErrorKind::Unsupported, "", pointer_, fmt::format(format, std::forward<Args>(args)...)};
    return std::unexpected(std::move(error));
  }

 private:
  const Json* json_;
  std::string pointer_;
};

// Calls `visit(name, member)` for each member of an object, in order; stops at the first error.
template <class Visit>
Result<void> for_each_member(const Field& object, Visit&& visit) {
  for (auto member = object.json().begin(); member != object.json().end(); ++member) {
    TRY_VOID(visit(member.key(), object.member(member.key(), *member)));
  }
  return {};
}

// The elements of an array as `read(element)` makes them, in order; the first error ends it.
template <class Read>
auto read_array(const Field& array, Read&& read) -> Result<std::vector<typename decltype(read(array))::value_type>> {
  TRY_VOID(array.expect_array());
  std::vector<typename decltype(read(array))::value_type> elements;
  for (std::size_t i = 0; i < array.json().size(); ++i) {
    TRY(auto element, read(array.element(i)));
    elements.push_back(std::move(element));
  }
  return elements;
}

}  // namespace parallax
