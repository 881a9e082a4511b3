// Drawing what a graph starts from: inputs, constants and buffers of few byte sizes, so that slots collide later.
#pragma once

#include "core/choices.h"
#include "fuzz/generate/pool.h"
#include "fuzz/generate/vocabulary.h"
#include "fuzz/generate/weights.h"

namespace parallax {

// Adds, within the vocabulary, at least one input, and constants, buffers and declared storages as the weights have it,
// to the graph and the pool. What they hold is zeros until the graph is known (fuzz/generate/draw_data.h).
void draw_sources(Choices& choices, const GenerateWeights& weights, const Vocabulary& words, GraphBuilder& builder,
                  Pool& pool);

}  // namespace parallax
