// parallax import: a user's program as a case.
#include <fmt/format.h>

#include <filesystem>

#include "backends/external/one_line.h"
#include "cli/command.h"
#include "cli/target_options.h"
#include "graph/case.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

struct ImportFlags {
  std::string program;
  std::vector<std::string> inputs;
  int64_t seed = 1;
  std::string output;
};

// A model may be large, and its libraries take a while to load.
constexpr std::chrono::minutes limit{5};

Result<int> import_case(const ImportFlags& flags) {
  const bool onnx = flags.program.ends_with(".onnx");
  if (!onnx && !flags.program.ends_with(".pt2") && flags.program.find(".py:") == std::string::npos) {
    return fail("{}: neither a .pt2 nor an .onnx file, nor FILE.py:NAME", flags.program);
  }
  if (onnx && !flags.inputs.empty()) return fail("--input: {} states the types of its inputs itself", flags.program);
  std::vector<std::string> arguments = {flags.program, "--seed", std::to_string(flags.seed)};
  for (const std::string& input : flags.inputs) arguments.insert(arguments.end(), {"--input", input});
  TRY(const Catalogue catalogue, open_catalogue());
  TRY(const std::vector<std::string> command, catalogue.tool(onnx ? "import-onnx" : "import-program", arguments));
  TRY(const std::string line, one_line(command, limit));
  TRY(Case test, parse_case(line, flags.program));
  test.name = std::filesystem::path(flags.program).filename().string();
  const std::string text = to_json(test, 1) + "\n";
  if (flags.output.empty()) {
    fmt::print("{}", text);
  } else {
    TRY_VOID(write_text_file(flags.output, text));
  }
  return nothing_new;
}

}  // namespace

void add_import_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* command = program.add_subcommand(
      "import", "A saved torch.export program, a module of a Python file, or an ONNX model as a case.");
  command->footer(
      "A module's inputs are those of example_inputs (a tuple, or a function that returns one) in the class or the "
      "file,\n"
      "or are drawn for the types that --input names.\n"
      "Examples:\n  parallax import model.pt2 -o model.json\n"
      "  parallax import bug.py:Bug --input 'f32[2,3,5]' | parallax check /dev/stdin --target executorch-xnnpack");
  command->add_option("program", flags->program, "FILE.pt2, FILE.onnx or FILE.py:NAME")->required();
  command->add_option("--input", flags->inputs, "The type of an input, in order; repeatable");
  command->add_option("--seed", flags->seed, "What drawn inputs start from")->capture_default_str();
  command->add_option("-o,--output", flags->output, "Where the case goes; default: standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(import_case(*flags)); });
}

}  // namespace parallax
