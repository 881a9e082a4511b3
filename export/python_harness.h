// The part of the exported scripts that is the same in all of them, in Python.
#pragma once

#include <optional>
#include <string>

namespace parallax {

// The functions that run a module and compare what it gives, on which every script stands. `gradients` compares those
// too, `identity` which outputs, inputs and buffers share memory. What differs is what torch.testing.assert_close says
// differs, with its default tolerances or with an absolute one; with one of 0, the sign of a zero counts too.
std::string python_harness(bool gradients, bool identity, std::optional<double> tolerance = std::nullopt);

}  // namespace parallax
