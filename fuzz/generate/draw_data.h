// Drawing what a case's tensors hold, when it is known what is indexed with them.
#pragma once

#include "core/choices.h"
#include "fuzz/generate/weights.h"
#include "graph/case.h"

namespace parallax {

// Draws the feeds of all runs, and the data of constants, buffers and declared storages.
void draw_data(Choices& choices, const GenerateWeights& weights, Case& test);

// Draws other feeds for a case that has some; constants and state stay.
void redraw_feed(Choices& choices, const GenerateWeights& weights, Case& test);

}  // namespace parallax
