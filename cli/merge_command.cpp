// parallax merge: the findings and campaigns of several folders in one, each signature once.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "core/grouped_digits.h"
#include "corpus/store.h"
#include "fuzz/campaign/ledger.h"

namespace parallax {
namespace {

struct MergeFlags {
  std::vector<std::string> folders;
  std::string output;
};

Result<int> merge(const MergeFlags& flags) {
  TRY(FindingStore store, FindingStore::open(flags.output));
  bool broken = false;
  for (const std::string& folder : flags.folders) {
    TRY(std::vector<Result<Finding>> findings, load_findings(folder));
    int added = 0;
    int there = 0;
    for (Result<Finding>& finding : findings) {
      if (!finding) {
        report_error(finding.error());
        broken = true;
      } else if (store.find(finding->signature) != nullptr) {
        ++there;
      } else {
        TRY([[maybe_unused]] const std::filesystem::path kept, store.add(*finding));
        ++added;
      }
    }
    TRY(const int campaigns, copy_campaigns(folder, flags.output, [&](const std::string& signature) {
          const std::string* id = store.find(signature);
          return id == nullptr ? std::string() : (store.folder() / *id).string();
        }));
    fmt::print("{}: {} added, {} there already; {} added\n", folder, counted(added, "finding"), there,
               counted(campaigns, "campaign"));
  }
  return broken ? bad_input : nothing_new;
}

}  // namespace

void add_merge_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* command =
      program.add_subcommand("merge", "The findings and campaigns of several folders in one, each signature once.");
  command->footer(
      "Findings that cannot be read are named and left out; the exit code is 2 then. The folders are not changed.\n"
      "\nExamples, after fuzz --shard 1/2 --findings a and fuzz --shard 2/2 --findings b:\n"
      "  parallax merge a b -o findings");
  command->add_option("folders", flags->folders, "Findings folders")->required()->check(existing_folder());
  command->add_option("-o,--output", flags->output, "The findings folder that they are added to")->required();
  command->callback([flags, &exit_code] { exit_code = code_of(merge(*flags)); });
}

}  // namespace parallax
