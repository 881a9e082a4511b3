// parallax import: a user's program as a case.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/imported_case.h"
#include "cli/option_checks.h"
#include "cli/redaction.h"
#include "cli/target_options.h"
#include "graph/case_json.h"
#include "graph/text_file.h"
#include "graph/weights_beside.h"

namespace parallax {
namespace {

struct ImportFlags {
  std::string program;
  ImportOptions options;
  std::string output;
  bool redact = false;
  std::string target;
};

Result<int> import_case(const ImportFlags& flags) {
  TRY(const Case test, imported_case(flags.program, flags.options));
  for (const std::string& note : import_notes(test)) print_note(note);
  if (flags.redact) {
    TRY(const Redaction redaction, redact_on(test, flags.target, {}));
    if (!flags.output.empty()) {
      TRY_VOID(write_text_file(flags.output, redaction.text));
    } else {
      fmt::print("{}", redaction.text);
    }
  } else if (flags.output.empty()) {
    fmt::print("{}\n", to_json(test, 1));
  } else {
    TRY_VOID(write_case_file(test, flags.output));
  }
  return nothing_new;
}

}  // namespace

void add_import_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* command = program.add_subcommand(
      "import", "A saved torch.export program, a module or function of a Python file, or an ONNX model as a case.");
  command->footer(
      "A module's inputs are those of example_inputs (a tuple, or a function that returns one) in the class or the "
      "file,\n"
      "or are drawn for the types that --input names. An ONNX model states its types: --input gives sizes that it\n"
      "leaves open, or names a JSON file with the elements of inputs by name. An autograd.Function brings the\n"
      "gradients of its backward.\n"
      "Notes on standard error, and in the case's origin, say what was fixed, replaced or left out.\n"
      "\nExamples:\n  parallax import model.pt2 -o model.json\n"
      "  parallax import bug.py:Bug --input 'f32[2,3,5]' | parallax check /dev/stdin --target executorch-xnnpack");
  command->add_option("program", flags->program, "FILE.pt2, FILE.onnx or FILE.py:NAME")
      ->required()
      ->transform(existing_file());
  command->add_option("--input", flags->options.inputs,
                      "The type of an input, in order; of an ONNX model also NAME=TYPE or FEED.json; repeatable");
  command
      ->add_option("--library", flags->options.libraries,
                   "Custom ops that the program calls: a shared library, a Python file or a module, loaded first; "
                   "repeatable")
      ->type_name("FILE|MODULE");
  command->add_option("--seed", flags->options.seed, "What drawn inputs start from")->capture_default_str();
  CLI::Option* redact =
      command->add_flag("--redact", flags->redact,
                        "Random numbers in the place of weights and inputs, canonical names in the place of names");
  command->add_option("--target", flags->target, "Where the redacted case must show what it shows now")
      ->type_name("TARGET")
      ->needs(redact);
  command
      ->add_option("-o,--output", flags->output,
                   "Where the case goes, and weights over 64 KiB beside it as .safetensors; default: standard output")
      ->check(writable_file());
  command->callback([flags, &exit_code] { exit_code = code_of(import_case(*flags)); });
}

}  // namespace parallax
