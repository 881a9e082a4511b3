#include "core/freed_memory.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace parallax {

void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD
  // Larger blocks still come from the system and go back to it, so that one huge graph does not stay in memory.
  constexpr int largest_kept = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, largest_kept);
  mallopt(M_TRIM_THRESHOLD, 8 * largest_kept);
#endif
}

}  // namespace parallax
