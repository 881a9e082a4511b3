// JsonSchema: as much of JSON Schema (2020-12) as the schemas in docs/schemas use. An unknown keyword is an error, so
// that nothing of a schema is passed over.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace parallax::testing {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : root_(std::move(schema)) {}

  // The first place where the document is not as the schema says, and why; empty where it is.
  std::string complaint(const nlohmann::json& document) const { return check(root_, document, ""); }

 private:
  static bool has_type(const nlohmann::json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  std::string check_object(const nlohmann::json& schema, const nlohmann::json& value, const std::string& at) const {
    for (const auto& key : schema.value("required", nlohmann::json::array())) {
      if (!value.contains(key)) return fmt::format("{}: {} is missing", at, key.get<std::string>());
    }
    const auto properties = schema.value("properties", nlohmann::json::object());
    for (const auto& [key, member] : value.items()) {
      const std::string place = at + "/" + key;
      std::string found;
      if (properties.contains(key)) {
        found = check(properties[key], member, place);
      } else if (schema.contains("additionalProperties")) {
        const auto& more = schema["additionalProperties"];
        found = more.is_object() ? check(more, member, place) : more.get<bool>() ? "" : place + ": no such member";
      }
      if (!found.empty()) return found;
    }
    return "";
  }

  std::string check(const nlohmann::json& schema, const nlohmann::json& value, const std::string& at) const {
    for (const auto& [keyword, what] : schema.items()) {
      if (keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "$defs") continue;
      if (keyword == "properties" || keyword == "required" || keyword == "additionalProperties") continue;
      std::string found;
      if (keyword == "$ref") {
        found = check(root_.at(nlohmann::json::json_pointer(what.get<std::string>().substr(1))), value, at);
      } else if (keyword == "type") {
        if (!has_type(value, what)) found = fmt::format("{}: is no {}", at, what.get<std::string>());
      } else if (keyword == "const") {
        if (value != what) found = fmt::format("{}: is not {}", at, what.dump());
      } else if (keyword == "enum") {
        if (std::find(what.begin(), what.end(), value) == what.end()) found = fmt::format("{}: {}", at, value.dump());
      } else if (keyword == "pattern") {
        if (value.is_string() && !std::regex_search(value.get<std::string>(), std::regex(what.get<std::string>())))
          found = fmt::format("{}: {}", at, value.dump());
      } else if (keyword == "minItems") {
        if (value.size() < what.get<std::size_t>()) found = at + ": has too few items";
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size() && found.empty(); ++i)
          found = check(what, value[i], fmt::format("{}/{}", at, i));
      } else if (keyword == "anyOf") {
        const bool fits =
            std::ranges::any_of(what, [&](const nlohmann::json& one) { return check(one, value, at).empty(); });
        if (!fits) found = at + ": is none of what it may be";
      } else {
        found = "unknown keyword " + keyword;
      }
      if (!found.empty()) return found;
    }
    return value.is_object() ? check_object(schema, value, at) : "";
  }

  nlohmann::json root_;
};

}  // namespace parallax::testing
