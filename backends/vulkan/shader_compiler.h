// Shader compiler: GLSL to SPIR-V, in process by glslang, kept on disk.
//
// What was compiled once is kept under the hash of its source in the user's cache folder. A file there is written whole
// or not at all, and one that is not what was written (cut short, altered, of another format) is compiled anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parallax::vulkan {

using SpirV = std::vector<uint32_t>;

// FNV-1a: names of cached files and keys of pipelines.
uint64_t hash_of(std::string_view bytes, uint64_t start = 0xcbf29ce484222325);

// $XDG_CACHE_HOME/parallax, or ~/.cache/parallax; empty where the user has neither.
std::filesystem::path cache_folder();

// A file that is there in whole or not at all. Whether it could be written: nothing depends on a cache.
bool write_atomically(const std::filesystem::path& file, std::string_view bytes);
// A file's content; empty where it cannot be read.
std::string read_file(const std::filesystem::path& file);

// A compute shader. What glslang says of one that is wrong is an error of kind NoTarget: every source is ours.
Result<SpirV> compile_glsl(std::string_view name, const std::string& source);

class ShaderCache {
 public:
  // In that folder; an empty one keeps nothing.
  explicit ShaderCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Result<SpirV> get(std::string_view name, const std::string& source);

  int compiled() const { return compiled_; }
  int read_from_disk() const { return read_; }

 private:
  std::filesystem::path folder_;
  int compiled_ = 0;
  int read_ = 0;
};

}  // namespace parallax::vulkan
