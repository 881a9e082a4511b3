// SHA-256 of bytes, by OpenSSL.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace parallax {

// 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace parallax
