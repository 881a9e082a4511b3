// Shader helpers: which of the functions in our shader texts a shader needs.
//
// A text is paragraphs, with empty lines between them. One comes along where a name that it defines is mentioned, by
// the shader or by a paragraph that comes along: a driver compiles all that it is given.
#pragma once

#include <string>
#include <string_view>

namespace parallax::vulkan {

// The paragraphs that `text` needs, without their comments.
std::string shader_helpers(std::string_view text);
// They and then `text`.
std::string with_helpers(std::string_view text);

}  // namespace parallax::vulkan
