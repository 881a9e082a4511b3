#include "cli/imported_case.h"

#include <chrono>
#include <filesystem>

#include "backends/external/artifact_folder.h"
#include "backends/external/one_line.h"
#include "cli/target_options.h"
#include "graph/case_json.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// A model may be large, and its libraries take a while to load.
constexpr std::chrono::minutes limit{5};

}  // namespace

Result<Case> imported_case(const std::string& program, const ImportOptions& options) {
  const bool onnx = program.ends_with(".onnx");
  if (!onnx && !program.ends_with(".pt2") && program.find(".py:") == std::string::npos) {
    return fail("{}: neither a .pt2 nor an .onnx file, nor FILE.py:NAME", program);
  }
  if (onnx && !options.libraries.empty())
    return fail("--library: it is for PyTorch's ops, which {} has none of", program);
  std::vector<std::string> arguments = {program, "--seed", std::to_string(options.seed)};
  for (const std::string& library : options.libraries) arguments.insert(arguments.end(), {"--library", library});
  for (const std::string& input : options.inputs) arguments.insert(arguments.end(), {"--input", input});
  if (!onnx) {
    // What else is composite stands as what PyTorch makes of it.
    std::string& known = arguments.emplace_back();
    for (const Op& op : all_ops()) known += op.name + ",";
    arguments.insert(arguments.end() - 1, "--known");
  }
  TRY(const ArtifactFolder folder, ArtifactFolder::make());
  arguments.insert(arguments.end(), {"--weights", folder.path().string()});
  TRY(const Catalogue catalogue, open_catalogue());
  TRY(const std::vector<std::string> command, catalogue.tool(onnx ? "import-onnx" : "import-program", arguments));
  TRY(const std::string line, one_line(command, limit));
  Result<Case> test = parse_case(line, (folder.path() / "case.json").string());
  if (!test) {
    test.error().file = program;
    return test;
  }
  test->file = program;
  test->name = std::filesystem::path(program).filename().string();
  return test;
}

std::vector<std::string> import_notes(const Case& test) {
  std::vector<std::string> lines;
  const auto origin = parse_json(test.origin);
  if (!origin || !origin->contains("notes") || !(*origin)["notes"].is_array()) return lines;
  for (const Json& note : (*origin)["notes"]) {
    if (note.is_string()) lines.push_back(note.get<std::string>());
  }
  return lines;
}

}  // namespace parallax
