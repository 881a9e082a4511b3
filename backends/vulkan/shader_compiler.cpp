#include "backends/vulkan/shader_compiler.h"

#include <fmt/format.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "graph/whole_file.h"

namespace parallax::vulkan {
namespace {

// What a file of the cache begins with. The number counts changes of its format and of how sources are compiled.
struct FileHead {
  char magic[8] = {'p', 'x', 's', 'p', 'i', 'r', 'v', '1'};
  uint64_t words = 0;
  uint64_t hash = 0;  // of the words
};

std::string_view bytes_of(const SpirV& code) {
  return {reinterpret_cast<const char*>(code.data()), code.size() * sizeof(uint32_t)};
}

// The words of a file that is what was written.
std::optional<SpirV> parse_file(const std::string& bytes) {
  FileHead head;
  if (bytes.size() < sizeof(head)) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof(head));
  const std::string_view rest = std::string_view(bytes).substr(sizeof(head));
  if (std::memcmp(head.magic, FileHead().magic, sizeof(head.magic)) != 0) return std::nullopt;
  if (rest.size() % sizeof(uint32_t) != 0 || rest.size() / sizeof(uint32_t) != head.words) return std::nullopt;
  if (hash_of(rest) != head.hash) return std::nullopt;
  SpirV code(head.words);
  std::memcpy(code.data(), rest.data(), rest.size());
  return code;
}

// glslang's tables, for as long as the process lives.
void start_glslang() {
  struct Process {
    Process() { glslang::InitializeProcess(); }
    ~Process() { glslang::FinalizeProcess(); }
  };
  static const Process process;
}

}  // namespace

uint64_t hash_of(std::string_view bytes, uint64_t start) {
  uint64_t hash = start;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

std::filesystem::path cache_folder() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  // An XDG folder that is not absolute is to be ignored, says the specification.
  if (const auto xdg = set("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "parallax";
  if (const auto home = set("HOME"); !home.empty()) return home / ".cache" / "parallax";
  return {};
}

bool write_atomically(const std::filesystem::path& file, std::string_view bytes) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  return write_whole_file(file, {bytes}).has_value();
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<SpirV> compile_glsl(std::string_view name, const std::string& source) {
  start_glslang();
  glslang::TShader shader(EShLangCompute);
  const char* text = source.c_str();
  shader.setStrings(&text, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 450);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  constexpr auto rules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  // The first complaint; the others follow from it.
  const auto failed = [&](std::string_view log) {
    const std::string_view line = log.substr(0, log.find('\n'));
    return std::unexpected(Error{ErrorKind::NoTarget, "", "", fmt::format("vulkan: shader {}: {}", name, line)});
  };
  if (!shader.parse(GetDefaultResources(), 450, false, rules)) return failed(shader.getInfoLog());
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(rules)) return failed(program.getInfoLog());
  SpirV code;
  glslang::SpvOptions options;
  options.validate = false;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), code, &options);
  return code;
}

Result<SpirV> ShaderCache::get(std::string_view name, const std::string& source) {
  const std::filesystem::path file =
      folder_.empty() ? folder_ : folder_ / fmt::format("{}-{:016x}.spv", name, hash_of(source));
  if (!file.empty()) {
    if (std::optional<SpirV> code = parse_file(read_file(file))) {
      ++read_;
      return *std::move(code);
    }
  }
  TRY(SpirV code, compile_glsl(name, source));
  ++compiled_;
  if (!file.empty()) {
    FileHead head;
    head.words = code.size();
    head.hash = hash_of(bytes_of(code));
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
    write_atomically(file, bytes.append(bytes_of(code)));
  }
  return code;
}

}  // namespace parallax::vulkan
