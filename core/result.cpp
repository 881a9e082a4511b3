#include "core/result.h"

namespace parallax {

std::string Error::text() const {
  std::string line;
  if (!file.empty()) line += file + ": ";
  if (!pointer.empty()) line += pointer + ": ";
  return line + reason;
}

std::unexpected<Error> at(std::string pointer, Error error) {
  error.pointer = std::move(pointer) + error.pointer;
  return std::unexpected(std::move(error));
}

}  // namespace parallax
