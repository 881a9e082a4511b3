// ArtifactFolder: a temporary folder that a worker writes into what it made of a case, and that is gone afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace parallax {

class ArtifactFolder {
 public:
  // An empty folder of a name that no one else uses.
  static Result<ArtifactFolder> make();
  ArtifactFolder(ArtifactFolder&& other) noexcept;
  ArtifactFolder& operator=(ArtifactFolder&&) = delete;
  ~ArtifactFolder();

  const std::filesystem::path& path() const { return path_; }
  // The files below it, by relative path in order, and what they hold. Links are not followed, and what would make them
  // more than 64 MiB in all is left out.
  std::vector<std::pair<std::string, std::string>> files() const;

 private:
  explicit ArtifactFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace parallax
