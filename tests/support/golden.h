// Golden text: what people read is compared with a file of tests/golden/, and written to it with
// PARALLAX_UPDATE_GOLDEN=1.
#pragma once

#include <string>
#include <string_view>

namespace parallax {

// Fails the current test with both texts where `text` is not what tests/golden/<name> holds.
void expect_golden(std::string_view text, const std::string& name);

}  // namespace parallax
