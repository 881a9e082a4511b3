// Edits of what a sketch is given: its numbers, and another dtype for them and for the dtypes that its calls name.
#pragma once

#include "graph/sketch.h"

namespace parallax {

// Everything in a sketch that holds numbers, feeds of later runs included.
std::vector<Tensor*> tensors_of(Sketch& sketch);

// A source that is no window, with its data rounded to the dtype; of a window the dtype alone.
void convert_source(Sketch::GivenValue& source, DType to);
// Everything of dtype `from`: storages, sources and arguments.
void convert_dtype(Sketch& sketch, DType from, DType to);

}  // namespace parallax
