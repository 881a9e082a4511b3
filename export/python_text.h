// Python's spelling of what a script holds. What comes from outside (names, values, free text) stays inside its literal
// or its comment.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/tensor.h"
#include "graph/call_text.h"

namespace parallax {

std::string python_real(double x);
// "torch.float32".
std::string python_dtype(DType dtype);
// A string literal.
std::string python_string(std::string_view text);
// An expression of a row-major tensor that is no view of another.
std::string python_tensor(const Tensor& tensor);
// The same in memory of its own, under the given layout.
std::string python_placed_tensor(const Tensor& tensor, const Layout& layout);
// A window on the tensor that `base` names.
std::string python_window(std::string_view base, const Layout& layout);

// Each line of the text behind "# ". Whatever else could end a comment is a space in it.
std::string python_comment(std::string_view text);

// Renames what a value must not be called in a script: Python's keywords, what the scripts call "torch", attributes of
// torch.nn.Module. `taken` holds the names in use and learns the new one.
void make_python_name(std::string& name, std::unordered_set<std::string>& taken);

// A line at that many levels of indentation.
std::string indented(int level, std::string_view content);
// How Python spells the arguments of a call whose values are called `names`, by value. The names must outlive it.
Spelling python_spelling(const std::vector<std::string>& names);

}  // namespace parallax
