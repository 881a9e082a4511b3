// Pipelines: shaders ready to be dispatched, made once for each source and workgroup size.
//
// Every shader has the interface of shaders/interface.glsl: metadata, a status, tensors to read and tensors to write,
// in one of two widths. Kernels are written so that the same few pipelines serve every shape.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>

#include "backends/vulkan/context.h"
#include "backends/vulkan/shader_compiler.h"

namespace parallax::vulkan {

// How many tensors a shader can have bound. Single calls are narrow, fused groups may be wide.
struct Width {
  uint32_t inputs = 0;
  uint32_t outputs = 0;
};
enum class WidthKind : uint8_t { Narrow, Wide };
inline constexpr std::array widths = {Width{4, 2}, Width{20, 8}};
constexpr const Width& width_of(WidthKind kind) { return widths[static_cast<std::size_t>(kind)]; }

// What a pipeline is made of. The name and what the name stands for never change in a process.
struct ShaderSource {
  std::string name;
  std::function<std::string()> text;  // what follows the interface
  WidthKind width = WidthKind::Narrow;
};

// The whole text of a shader, interface included, for that device.
std::string full_text(const Context& context, const ShaderSource& source);

struct PipelineStatistics {
  int64_t asked = 0;
  int64_t made = 0;         // asked for the first time
  double milliseconds = 0;  // for compiling and creating them
};

class Pipelines {
 public:
  // With files in that folder; an empty one keeps none.
  static Result<std::shared_ptr<Pipelines>> make(std::shared_ptr<Context> context,
                                                 const std::filesystem::path& folder = cache_folder());

  // The pipeline of a source for that workgroup size, which is its one specialization constant.
  Result<VkPipeline> get(const ShaderSource& source, uint32_t workgroup);
  VkPipelineLayout layout(WidthKind width) const { return layouts_[static_cast<std::size_t>(width)].get(); }

  // Writes what the driver compiled to the folder, for the next process. Nothing where nothing was made.
  void save_cache() const;

  const PipelineStatistics& statistics() const { return statistics_; }
  const ShaderCache& shaders() const { return shaders_; }

 private:
  Pipelines(std::shared_ptr<Context> context, const std::filesystem::path& folder)
      : context_(std::move(context)), folder_(folder), shaders_(folder) {}
  Result<void> make_layouts();
  Result<void> open_cache();
  std::filesystem::path cache_file() const;
  Result<VkShaderModule> module(const ShaderSource& source);

  std::shared_ptr<Context> context_;
  std::filesystem::path folder_;
  ShaderCache shaders_;
  std::array<SetLayoutHandle, widths.size()> sets_;
  std::array<PipelineLayoutHandle, widths.size()> layouts_;
  PipelineCacheHandle cache_;
  std::map<std::pair<std::string, WidthKind>, ModuleHandle> modules_;
  std::map<std::tuple<std::string, WidthKind, uint32_t>, PipelineHandle> pipelines_;
  PipelineStatistics statistics_;
};

}  // namespace parallax::vulkan
