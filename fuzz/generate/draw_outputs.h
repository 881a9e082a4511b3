// What a drawn graph returns.
#pragma once

#include <span>

#include "core/choices.h"
#include "fuzz/generate/pool.h"
#include "graph/builder.h"

namespace parallax {

// Returns what no call reads, but for `drop_unread` of 100 of it, so that most nodes are needed; then a few of
// anything: intermediates that are also consumed, inputs, buffers, and what is already returned.
void draw_outputs(Choices& choices, int drop_unread, std::span<const Pool::Entry> entries, GraphBuilder& builder);

}  // namespace parallax
