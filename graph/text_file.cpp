#include "graph/text_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "graph/gzip_file.h"

namespace parallax {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{1} << 30;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::unexpected<Error> file_error(const std::filesystem::path& path, std::string_view action, int code) {
  return std::unexpected(Error{ErrorKind::Invalid, path.string(), "",
                               fmt::format("cannot be {}: {}", action, std::generic_category().message(code))});
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path) {
  if (is_gzip_file(path)) return read_gzip_file(path, max_text_bytes);
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return file_error(path, "read", errno);
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), count);
    if (text.size() > max_text_bytes) return file_error(path, "read", EFBIG);
  }
  if (std::ferror(file.get())) return file_error(path, "read", errno);
  return text;
}

Result<void> write_text_file(const std::filesystem::path& path, std::string_view text) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return file_error(path, "written", errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const int write_error = errno;
  if (!written) return file_error(path, "written", write_error);
  if (std::fclose(file.release()) != 0) return file_error(path, "written", errno);
  return {};
}

}  // namespace parallax
