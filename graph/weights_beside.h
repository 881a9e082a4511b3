// Weights beside a case: large tensors that lie in a safetensors file in the case's folder, named in the place of data
// as {"safetensors": FILE, "tensor": NAME}. The case's "files" has the SHA-256 of each such file.
#pragma once

#include <filesystem>

#include "core/json_field.h"
#include "graph/case.h"

namespace parallax {

// Where resolve_weights puts what it found: the tensor's type in the file, and its bytes as binary JSON, which no text
// can hold.
inline constexpr const char* resolved_type = "type";
inline constexpr const char* resolved_bytes = "bytes";

// Above this many bytes in one tensor a written case has its constants and buffers beside it.
inline constexpr std::size_t most_inline_bytes = std::size_t{64} << 10;

// Finds the data of every reference in the document, in the folder of the case's file. An error names the reference, or
// the file and what is wrong with it: it is not beside the case, is not there, is cut off, has another SHA-256 than the
// case says, or does not hold the tensor.
Result<void> resolve_weights(Json& document, const std::filesystem::path& case_file);

// Writes a case as a file, and constants and buffers of over most_inline_bytes beside it as STEM.safetensors. Each file
// is written whole or not at all, the weights first.
Result<void> write_case_file(const Case& test, const std::filesystem::path& path);

}  // namespace parallax
