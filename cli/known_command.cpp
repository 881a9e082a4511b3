// parallax known: the findings of a folder as the lines of a file for --known.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "corpus/known.h"
#include "corpus/store.h"

namespace parallax {
namespace {

Result<int> print_known(const std::string& folder) {
  TRY(std::vector<Result<Finding>> findings, load_findings(folder));
  bool broken = false;
  for (const Result<Finding>& finding : findings) {
    if (finding) {
      fmt::print("{}\n", known_line(*finding));
    } else {
      report_error(finding.error());
      broken = true;
    }
  }
  return broken ? bad_input : nothing_new;
}

}  // namespace

void add_known_command(CLI::App& program, int& exit_code) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("known", "Findings as lines for --known, so that nightly runs stay green.");
  command->footer(
      "Each line holds the signature, the target and the versions it was seen in. Widen \"versions\" to a range "
      "(\"1.4.0..1.4.1\",\n"
      "\"1.4.0..\"), and add \"url\" and \"expires\" (YYYY-MM-DD), by hand.\n"
      "\nExamples:\n"
      "  parallax known findings >> known.jsonl; parallax fuzz --known known.jsonl");
  command->add_option("findings", *folder, "A findings folder")->required()->check(existing_folder());
  command->callback([folder, &exit_code] { exit_code = code_of(print_known(*folder)); });
}

}  // namespace parallax
