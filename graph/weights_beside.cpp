#include "graph/weights_beside.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "core/sha256.h"
#include "graph/case_json.h"
#include "graph/safetensors_file.h"
#include "graph/whole_file.h"

namespace parallax {
namespace {

// A name in the case's own folder: nothing outside of it is read.
bool is_beside(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

// The weights files that a case names, opened once each.
class WeightsFiles {
 public:
  WeightsFiles(const Json& document, std::filesystem::path folder)
      : sums_(document.is_object() && document.contains("files") ? &document["files"] : nullptr),
        folder_(std::move(folder)) {}

  Result<const SafetensorsFile*> open(const Field& reference, const std::string& name) {
    const auto known = files_.find(name);
    if (known != files_.end()) return &known->second;
    if (!is_beside(name)) return reference.fail("'{}' does not lie beside the case", name);
    TRY(const std::string sum, expected_sum(reference, name));
    TRY(SafetensorsFile file, SafetensorsFile::open(folder_ / name));
    if (const std::string found = sha256(file.bytes()); found != sum)
      return reference.fail("'{}' has SHA-256 {} and not {}: it is another file, or damaged", name, found, sum);
    return &files_.emplace(name, std::move(file)).first->second;
  }

 private:
  Result<std::string> expected_sum(const Field& reference, const std::string& name) const {
    if (sums_ == nullptr || !sums_->is_object() || !sums_->contains(name) || !(*sums_)[name].is_string())
      return reference.fail("\"files\" of the case lacks the SHA-256 of '{}'", name);
    return (*sums_)[name].get<std::string>();
  }

  const Json* sums_;
  std::filesystem::path folder_;
  std::map<std::string, SafetensorsFile> files_;
};

Result<void> resolve(Json& json, const std::string& pointer, WeightsFiles& files) {
  if (json.is_object() && json.contains("safetensors")) {
    const Field reference(json, pointer);
    TRY(const std::string name, reference.need_text("safetensors"));
    TRY(const std::string tensor, reference.need_text("tensor"));
    TRY(const SafetensorsFile* file, files.open(reference, name));
    const SafetensorsFile::Entry* entry = file->find(tensor);
    if (entry == nullptr) return reference.fail("'{}' holds no tensor '{}'", name, tensor);
    const auto* bytes = reinterpret_cast<const uint8_t*>(entry->bytes.data());
    json[resolved_type] = type_text(entry->dtype, entry->sizes);
    json[resolved_bytes] = Json::binary({bytes, bytes + entry->bytes.size()});
    return {};
  }
  if (json.is_object()) {
    for (auto& [key, member] : json.items()) TRY_VOID(resolve(member, pointer + pointer_step(key), files));
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (json[i].is_structured()) TRY_VOID(resolve(json[i], pointer + pointer_step(i), files));
    }
  }
  return {};
}

// Tensors whose data lies beside the case, by name, and the member of the graph that holds each.
struct Beside {
  std::map<std::string, const Tensor*> tensors;
  std::map<std::string, const char*> members;
};

Beside large_tensors(const Graph& graph) {
  Beside beside;
  const auto add = [&](const std::string& name, const Tensor& data, const char* member) {
    if (data.bytes.size() <= most_inline_bytes) return;
    beside.tensors.emplace(name, &data);
    beside.members.emplace(name, member);
  };
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Constant) add(graph.name(source.value), source.data, "constants");
    if (source.kind == SourceKind::Buffer && !source.window) add(graph.name(source.value), source.data, "buffers");
  }
  return beside;
}

}  // namespace

Result<void> resolve_weights(Json& document, const std::filesystem::path& case_file) {
  WeightsFiles files(document, case_file.parent_path());
  return resolve(document, "", files);
}

Result<void> write_case_file(const Case& test, const std::filesystem::path& path) {
  const Beside beside = large_tensors(test.graph);
  if (beside.tensors.empty()) return write_whole_file(path, {to_json(test, 1), "\n"});
  const std::filesystem::path weights = std::filesystem::path(path).replace_extension(".safetensors");
  if (weights == path) return fail("{} is the name of the weights beside the case; call the case .json", path.string());
  TRY_VOID(write_safetensors(weights, beside.tensors));
  TRY(const SafetensorsFile written, SafetensorsFile::open(weights));
  // What lies beside the case is left out of its text: the text of a large model would be as long again.
  Case light = test;
  for (Source& source : light.graph.sources) {
    if (beside.tensors.contains(light.graph.name(source.value))) source.data = Tensor(source.data.dtype, {0});
  }
  TRY(Json document, parse_json(to_json(light)));
  document["files"][weights.filename().string()] = sha256(written.bytes());
  for (const auto& [name, member] : beside.members)
    document["graph"][member][name]["data"] = {{"safetensors", weights.filename().string()}, {"tensor", name}};
  return write_whole_file(path, {write_json(document, 1), "\n"});
}

}  // namespace parallax
