// Drawing a request for gradients, for the systems that differentiate.
#pragma once

#include "core/choices.h"
#include "graph/case.h"

namespace parallax {

// Asks for the gradients of up to three of the case's inputs, under small cotangents of its outputs; leaves a case as
// it is that has no input or output to differentiate.
void draw_gradient(Choices& choices, Case& test);

}  // namespace parallax
