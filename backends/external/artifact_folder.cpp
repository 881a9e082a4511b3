#include "backends/external/artifact_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t most_bytes = uintmax_t{64} << 20;

}  // namespace

Result<ArtifactFolder> ArtifactFolder::make() {
  std::error_code code;
  const fs::path parent = fs::temp_directory_path(code);
  if (code) return fail("there is no folder for temporary files: {}", code.message());
  std::string name = (parent / "parallax-artifact-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return fail("no folder can be made in {}", parent.string());
  return ArtifactFolder(name);
}

ArtifactFolder::ArtifactFolder(ArtifactFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ArtifactFolder::~ArtifactFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::vector<std::pair<std::string, std::string>> ArtifactFolder::files() const {
  std::error_code code;
  std::vector<fs::path> paths;
  for (auto entry = fs::recursive_directory_iterator(path_, code); !code && entry != fs::recursive_directory_iterator();
       entry.increment(code)) {
    if (entry->symlink_status().type() == fs::file_type::regular) paths.push_back(entry->path());
  }
  std::ranges::sort(paths);
  std::vector<std::pair<std::string, std::string>> files;
  uintmax_t left = most_bytes;
  for (const fs::path& path : paths) {
    const uintmax_t size = fs::file_size(path, code);
    if (code || size > left) continue;
    Result<std::string> content = read_text_file(path);
    if (!content) continue;
    left -= size;
    files.emplace_back(path.lexically_relative(path_).string(), *std::move(content));
  }
  return files;
}

}  // namespace parallax
