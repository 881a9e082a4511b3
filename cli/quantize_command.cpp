// parallax quantize: a case of floats as a quantizer would leave it.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/quantize_case.h"
#include "cli/target_options.h"
#include "core/grouped_digits.h"
#include "graph/case_json.h"
#include "graph/whole_file.h"

namespace parallax {
namespace {

struct QuantizeFlags {
  std::string path;
  std::string output;
  std::string mode = "static";
  std::string weights = "channel";
  std::string activations = "asymmetric";
  std::string dtype = "i8";
  std::string bias = "float";
  int64_t group = 32;
};

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const QuantizeModeInfo& mode : quantize_modes) names.emplace_back(mode.name);
  return names;
}

QuantizeOptions options_of(const QuantizeFlags& flags) {
  QuantizeOptions options;
  for (const QuantizeModeInfo& mode : quantize_modes) {
    if (mode.name == flags.mode) options.mode = mode.mode;
  }
  options.per_channel = flags.weights == "channel";
  options.symmetric = flags.activations == "symmetric";
  options.activations = flags.dtype == "u8" ? DType::U8 : DType::I8;
  options.integer_biases = flags.bias == "i32";
  options.group = flags.group;
  return options;
}

Result<int> quantize(const QuantizeFlags& flags) {
  TRY(Case test, read_one_case(flags.path));
  Result<QuantizedCase> made = quantize_case(test, options_of(flags));
  if (!made) {
    Error error = std::move(made).error();
    error.file = flags.path;
    return std::unexpected(std::move(error));
  }
  const std::string text = to_json(made->test, 2) + "\n";
  if (flags.output.empty()) {
    fmt::print("{}", text);
  } else {
    TRY_VOID(write_whole_file(flags.output, {text}));
  }
  print_note(fmt::format("{} on integers, {} quantized, {} stored as integers", counted(made->calls, "call"),
                         counted(made->tensors, "tensor"), counted(made->weights, "weight")));
  return nothing_new;
}

}  // namespace

void add_quantize_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<QuantizeFlags>();
  CLI::App* command = program.add_subcommand(
      "quantize", "A case of floats as a quantizer would leave it: calibrated on its inputs, with pairs around calls.");
  command->footer(
      "Examples:\n"
      "  parallax quantize case.json -o quantized.json\n"
      "  parallax quantize case.json --dtype u8 --weights tensor --bias i32 -o quantized.json\n"
      "  parallax quantize case.json --mode 8da4w --group 32");
  command->add_option("case", flags->path, "A case file, of floats")->required()->transform(existing_file());
  command->add_option("-o,--output", flags->output, "Where the quantized case goes; default: standard output")
      ->check(writable_file());
  command
      ->add_option("--mode", flags->mode,
                   "static: by the ranges of the case's own runs; dynamic: by the range of each run; weight-only: "
                   "weights of 8 bits; 4bit: weights of 4 bits in groups; 8da4w: the same, and each token by its range")
      ->type_name("MODE")
      ->capture_default_str()
      ->check(member_of(mode_names()));
  command->add_option("--weights", flags->weights, "One scale for each weight's channel, or for the whole tensor")
      ->type_name("KIND")
      ->capture_default_str()
      ->check(member_of({"channel", "tensor"}));
  command->add_option("--activations", flags->activations, "Whether activations have a zero point of their own")
      ->type_name("KIND")
      ->capture_default_str()
      ->check(member_of({"asymmetric", "symmetric"}));
  command->add_option("--dtype", flags->dtype, "What static and dynamic activations become")
      ->type_name("DTYPE")
      ->capture_default_str()
      ->check(member_of({"i8", "u8"}));
  command->add_option("--bias", flags->bias, "What constant biases become in static mode")
      ->type_name("KIND")
      ->capture_default_str()
      ->check(member_of({"float", "i32"}));
  command->add_option("--group", flags->group, "Elements that share a scale, of weights of 4 bits")
      ->capture_default_str()
      ->check(whole_number(2));
  command->callback([flags, &exit_code] { exit_code = code_of(quantize(*flags)); });
}

}  // namespace parallax
