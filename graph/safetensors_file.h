// Safetensors files: named tensors behind a JSON header, as Hugging Face's format has them. A file is mapped into
// memory; what is in it is read where it is asked for.
//
// The first 8 bytes are the header's size (little-endian), then comes the header, {"w": {"dtype": "F32", "shape": [2],
// "data_offsets": [0, 8]}, …}, then the data that the offsets count in.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/tensor.h"

namespace parallax {

class SafetensorsFile {
 public:
  struct Entry {
    DType dtype = DType::F32;
    Dims sizes;
    std::span<const std::byte> bytes;  // row-major, of the mapped file
  };

  // Maps the file and reads its header. An error names the file and what is wrong: it cannot be read, it is shorter
  // than it says, a tensor has a dtype that is not known here, or does not have as many bytes as its shape needs.
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  // The tensor of that name, or null.
  const Entry* find(const std::string& name) const;
  // All bytes of the file.
  std::span<const std::byte> bytes() const;

 private:
  class Mapping;
  std::shared_ptr<const Mapping> mapping_;
  std::map<std::string, Entry> entries_;
};

// Writes a file of these tensors, whole or not at all.
Result<void> write_safetensors(const std::filesystem::path& path, const std::map<std::string, const Tensor*>& tensors);

}  // namespace parallax
