// Drawing what a graph starts from: inputs, constants and buffers of few byte sizes, so that slots collide later.
#pragma once

#include "core/choices.h"
#include "fuzz/pool.h"
#include "fuzz/weights.h"

namespace parallax {

// Adds at least one input, and constants, buffers and declared storages as the weights have it, to the graph and the
// pool. What they hold is zeros until the graph is known (draw_data).
void draw_sources(Choices& choices, const GenerateWeights& weights, GraphBuilder& builder, Pool& pool);

}  // namespace parallax
