#include "graph/origin.h"

#include <nlohmann/json.hpp>

namespace parallax {

Origin origin_of(const Case& test) {
  const auto json =
      nlohmann::json::parse(test.origin.empty() ? "{}" : test.origin, nullptr, /*allow_exceptions=*/false);
  const auto member = [&](const char* key) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return {member("source"), member("target"), member("version"), member("signature"), member("issue")};
}

std::string_view family_of_target(std::string_view target) { return target.substr(0, target.find_first_of("@?")); }

}  // namespace parallax
