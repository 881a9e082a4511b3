// Base64 (RFC 4648, the standard alphabet, padded): how large tensors stand in a case file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

std::string encode_base64(std::span<const std::byte> bytes);
// The bytes, or nothing where the text is not base64: a foreign character, a wrong length, set bits that no byte holds.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace parallax
