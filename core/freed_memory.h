// Memory that was freed and will be wanted again.
#pragma once

namespace parallax {

// Has the allocator keep what is freed rather than hand it back to the system: a campaign frees and allocates tensors
// of the same sizes all day, and each page that comes back from the system costs a fault and is cleared first. On large
// graphs that was half of the oracle's time. For a program's main, before it allocates much; does nothing where the
// C library has no such choice.
void keep_freed_memory();

}  // namespace parallax
