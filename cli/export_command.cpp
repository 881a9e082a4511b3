// parallax export: a case in another form.
#include <fmt/format.h>

#include "cli/named_cases.h"
#include "cli/command.h"
#include "cli/target_options.h"
#include "graph/dot.h"
#include "graph/emit_pytorch.h"
#include "graph/print.h"

namespace parallax {
namespace {

struct ExportFlags {
  std::string path;
  std::string form = "text";
};

Result<int> export_case(const ExportFlags& flags) {
  TRY(Case test, read_one_case(flags.path));
  if (flags.form == "text") {
    fmt::print("{}", parallax::print(test));
  } else if (flags.form == "dot") {
    fmt::print("{}", to_dot(test.graph, test.name));
  } else {
    fmt::print("{}", emit_pytorch(test));
  }
  return nothing_new;
}

}  // namespace

void add_export_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* command = program.add_subcommand("export", "A case in another form: a PyTorch script, a Graphviz picture, text.");
  command->footer("Example:\n  parallax export case.json --to dot | dot -Tsvg > case.svg");
  command->add_option("case", flags->path, "A case file")->required();
  command->add_option("--to", flags->form, "pytorch, dot or text")->capture_default_str()->check(CLI::IsMember({"pytorch", "dot", "text"}));
  command->callback([flags, &exit_code] { exit_code = code_of(export_case(*flags)); });
}

}  // namespace parallax
