#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace parallax {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "parallax: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace parallax
