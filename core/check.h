// PARALLAX_CHECK: an invariant of our own. A failure is a bug of this project and stops the process.
#pragma once

namespace parallax {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace parallax

#define PARALLAX_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::parallax::check_failed(#condition, __FILE__, __LINE__))
