#include "graph/safetensors_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "core/json_field.h"
#include "core/layout.h"
#include "graph/whole_file.h"

namespace parallax {
namespace {

constexpr std::size_t size_bytes = 8;
// As the format's own reader has it.
constexpr uint64_t max_header_bytes = 100'000'000;

// By DType.
struct DTypeName {
  DType dtype;
  std::string_view name;
};
constexpr std::array dtype_names = {
    DTypeName{DType::Bool, "BOOL"}, DTypeName{DType::U8, "U8"},     DTypeName{DType::I8, "I8"},
    DTypeName{DType::I16, "I16"},   DTypeName{DType::I32, "I32"},   DTypeName{DType::I64, "I64"},
    DTypeName{DType::F16, "F16"},   DTypeName{DType::BF16, "BF16"}, DTypeName{DType::F32, "F32"},
    DTypeName{DType::F64, "F64"},
};

std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeName& entry : dtype_names) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

std::string_view format_name(DType dtype) {
  for (const DTypeName& entry : dtype_names) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "";
}

std::unexpected<Error> file_error(const std::filesystem::path& path, std::string reason) {
  return std::unexpected(Error{ErrorKind::Invalid, path.string(), "", std::move(reason)});
}

std::unexpected<Error> system_error(const std::filesystem::path& path, std::string_view action) {
  return file_error(path, fmt::format("cannot be {}: {}", action, std::generic_category().message(errno)));
}

// A list of integers of at least 0.
Result<std::vector<int64_t>> sizes_of_list(const Field& list) {
  TRY_VOID(list.expect_array());
  std::vector<int64_t> sizes;
  for (std::size_t i = 0; i < list.json().size(); ++i) {
    TRY(const int64_t size, list.element(i).integer());
    if (size < 0) return list.element(i).fail("{} is negative", size);
    sizes.push_back(size);
  }
  return sizes;
}

Result<SafetensorsFile::Entry> read_entry(const Field& field, std::span<const std::byte> data) {
  TRY(const std::string dtype_text, field.need_text("dtype"));
  const std::optional<DType> dtype = dtype_named(dtype_text);
  if (!dtype) return field.fail("dtype {} is none of a case's", dtype_text);
  TRY(const Field shape, field.need("shape"));
  TRY(const std::vector<int64_t> sizes, sizes_of_list(shape));
  if (sizes.size() > static_cast<std::size_t>(max_rank))
    return shape.fail("{} dims are over {}", sizes.size(), max_rank);
  TRY(const Field offsets_field, field.need("data_offsets"));
  TRY(const std::vector<int64_t> offsets, sizes_of_list(offsets_field));
  const auto end = static_cast<int64_t>(data.size());
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > end)
    return offsets_field.fail("must be a begin and an end within the {} bytes of data", end);
  const int64_t bytes = offsets[1] - offsets[0];
  const std::optional<int64_t> elements = checked_numel(sizes);
  if (!elements || bytes % size_of(*dtype) != 0 || *elements != bytes / size_of(*dtype))
    return field.fail("has {} bytes, which its shape does not come to", bytes);
  return SafetensorsFile::Entry{*dtype, Dims(std::span<const int64_t>(sizes)),
                                data.subspan(static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(bytes))};
}

}  // namespace

class SafetensorsFile::Mapping {
 public:
  static Result<std::shared_ptr<const Mapping>> of(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return system_error(path, "read");
    struct stat status{};
    const bool known = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    const auto size = static_cast<std::size_t>(status.st_size);
    void* memory = known && size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    const auto failure = system_error(path, "mapped");
    ::close(descriptor);
    if (!known) return file_error(path, "is no ordinary file");
    if (size == 0) return file_error(path, "is empty");
    if (memory == MAP_FAILED) return failure;
    return std::shared_ptr<const Mapping>(new Mapping(memory, size));
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(memory_, size_); }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), size_}; }

 private:
  Mapping(void* memory, std::size_t size) : memory_(memory), size_(size) {}

  void* memory_;
  std::size_t size_;
};

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile file;
  TRY(file.mapping_, Mapping::of(path));
  const std::span<const std::byte> bytes = file.bytes();
  uint64_t header_bytes = 0;
  if (bytes.size() >= size_bytes) std::memcpy(&header_bytes, bytes.data(), size_bytes);
  static_assert(std::endian::native == std::endian::little);
  if (header_bytes == 0 || header_bytes > max_header_bytes || header_bytes > bytes.size() - size_bytes)
    return file_error(path, "is no safetensors file, or cut off: its header does not fit");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + size_bytes, header_bytes);
  const auto in_file = [&](Error error) {
    error.file = path.string();
    error.reason = "header: " + error.reason;
    return std::unexpected(std::move(error));
  };
  auto header = parse_json(text);
  if (!header) return in_file(std::move(header).error());
  const Field root(*header, "");
  if (auto is_object = root.expect_object(); !is_object) return in_file(std::move(is_object).error());
  const auto data = bytes.subspan(size_bytes + header_bytes);
  const auto read = for_each_member(root, [&](const std::string& name, const Field& field) -> Result<void> {
    if (name == "__metadata__") return {};
    TRY(file.entries_[name], read_entry(field, data));
    return {};
  });
  if (!read) return in_file(read.error());
  return file;
}

const SafetensorsFile::Entry* SafetensorsFile::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

std::span<const std::byte> SafetensorsFile::bytes() const { return mapping_->bytes(); }

Result<void> write_safetensors(const std::filesystem::path& path, const std::map<std::string, const Tensor*>& tensors) {
  Json header = Json::object();
  int64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto end = offset + static_cast<int64_t>(tensor->bytes.size());
    header[name] = {{"dtype", format_name(tensor->dtype)},
                    {"shape", std::vector<int64_t>(tensor->sizes.begin(), tensor->sizes.end())},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = write_json(header);
  text.resize((text.size() + size_bytes - 1) / size_bytes * size_bytes, ' ');  // so that the data is aligned
  const uint64_t header_bytes = text.size();
  std::vector<std::string_view> parts = {{reinterpret_cast<const char*>(&header_bytes), size_bytes}, text};
  for (const auto& [name, tensor] : tensors)
    parts.emplace_back(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  return write_whole_file(path, parts);
}

}  // namespace parallax
