// The part of the exported scripts that is the same in all of them, in Python.
#pragma once

#include <string>

namespace parallax {

// The functions that run a module and compare what it gives, on which every script stands. `gradients` compares those
// too, `identity` which outputs, inputs and buffers share memory.
std::string python_harness(bool gradients, bool identity);

}  // namespace parallax
