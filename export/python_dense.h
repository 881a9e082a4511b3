// An input of a system whose programs take dense tensors only: the memory that is fed for it, and the view that makes
// the input of that memory inside the program. The views are those of adapters/torch/flat_inputs.py, which says why.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace parallax {

// What is fed for a tensor of that layout (offset 0) that lies in memory of its own: row-major, its dims from the
// outermost in memory on where they fill it, else one dim from the first element to the last.
Tensor dense_memory(const Tensor& tensor, const Layout& layout);

// The call that makes the input of that memory.
std::string python_view_of_memory(std::string_view memory, const Layout& layout);
// The same of a declared storage of that many dims, which the input is a window on.
std::string python_view_of_storage(std::string_view storage, int rank, const Layout& layout);

}  // namespace parallax
