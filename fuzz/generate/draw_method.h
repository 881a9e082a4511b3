// Drawing what a further method of a program starts from: the buffers of its graph, and inputs of its own.
#pragma once

#include <optional>

#include "core/choices.h"
#include "fuzz/generate/pool.h"
#include "fuzz/generate/vocabulary.h"
#include "graph/builder.h"

namespace parallax {

// Adds the buffers of `graph`, which have no data yet, and one to three inputs of the types that its sources have.
void draw_method_sources(Choices& choices, const Vocabulary& words, const Graph& graph, GraphBuilder& builder,
                         Pool& pool);

// A buffer of a method's graph that has this type; nothing where none has.
std::optional<ValueId> draw_shared_buffer(Choices& choices, const Graph& method, DType dtype, const Dims& sizes);

}  // namespace parallax
