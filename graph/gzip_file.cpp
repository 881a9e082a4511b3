#include "graph/gzip_file.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace parallax {
namespace {

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

std::unexpected<Error> gzip_error(const std::filesystem::path& path, std::string reason) {
  return std::unexpected(Error{ErrorKind::Invalid, path.string(), "", std::move(reason)});
}

std::string system_reason(int code) { return fmt::format("cannot be read: {}", std::generic_category().message(code)); }

// Why the last read did not end where the data ends; empty where it did.
std::string failure_of(gzFile file) {
  int code = Z_OK;
  const std::string message = gzerror(file, &code);  // "FILE: REASON"
  if (code == Z_OK) return "";
  const std::size_t colon = message.rfind(": ");
  const std::string reason = message.substr(colon == std::string::npos ? 0 : colon + 2);
  return (code == Z_ERRNO ? "cannot be read: " : "is damaged gzip data: ") + reason;
}

}  // namespace

bool is_gzip_file(const std::filesystem::path& path) { return path.extension() == ".gz"; }

Result<std::string> read_gzip_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const GzipFile file(gzopen(path.c_str(), "rb"));
  if (!file) return gzip_error(path, system_reason(errno));
  std::string text;
  std::array<char, 1 << 16> chunk;
  const bool packed = gzdirect(file.get()) == 0;  // zlib would hand other data through as it stands
  int count = 0;
  while (packed && (count = gzread(file.get(), chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > max_bytes) return gzip_error(path, system_reason(EFBIG));
  }
  if (std::string reason = failure_of(file.get()); !reason.empty()) return gzip_error(path, std::move(reason));
  if (!packed) return gzip_error(path, "is not gzip data");
  return text;
}

}  // namespace parallax
