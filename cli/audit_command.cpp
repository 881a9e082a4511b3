// parallax audit: a compiled program, checked without running it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backends/audit.h"
#include "backends/external/one_line.h"
#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

struct AuditFlags {
  std::string file;
  bool json = false;
};

// Loading ExecuTorch takes a while, and so does a large program.
constexpr std::chrono::minutes limit{5};

Result<std::vector<AuditFinding>> findings_of(const std::string& file) {
  const auto with_file = [&](Error error) {
    error.file = file;
    return std::unexpected(std::move(error));
  };
  if (file.ends_with(".json")) {
    TRY(const std::string text, read_text_file(file));
    const Result<Json> json = parse_json(text);
    if (!json) return with_file(json.error());
    auto findings = audit_plan("plan", Field(*json, ""));
    if (!findings) return with_file(findings.error());
    return findings;
  }
  const bool pte = file.ends_with(".pte");
  const bool package = file.ends_with(".mlpackage") || file.ends_with(".mlpackage/");
  if (!pte && !package) return fail("{}: neither a .pte, an .mlpackage nor a plan.json", file);
  TRY(const Catalogue catalogue, open_catalogue());
  TRY(const std::vector<std::string> command, catalogue.tool(pte ? "audit-pte" : "audit-mlpackage", {file}));
  TRY(const std::string line, one_line(command, limit));
  TRY(const Json answer, parse_json(line));
  auto findings = audit_answer(Field(answer, ""));
  if (!findings) return with_file(findings.error());
  return findings;
}

Result<int> audit(const AuditFlags& flags) {
  TRY(const std::vector<AuditFinding> findings, findings_of(flags.file));
  if (flags.json) {
    auto rows = nlohmann::ordered_json::array();
    for (const AuditFinding& finding : findings) {
      rows.push_back({{"where", finding.where}, {"kind", name(finding.kind)}, {"what", finding.what}});
    }
    fmt::print("{}\n", rows.dump(2));
  } else {
    for (const AuditFinding& finding : findings) {
      fmt::print("{} · {}\n  {}\n", finding.where, name(finding.kind), finding.what);
    }
    if (findings.empty()) fmt::print("nothing found in {}\n", flags.file);
  }
  return findings.empty() ? nothing_new : diverged;
}

}  // namespace

void add_audit_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = program.add_subcommand("audit", "A compiled program, checked without running it.");
  command->footer(
      "Of a .pte: the memory plan against lifetimes with aliases known, each delegate's declared inputs and outputs "
      "against its\n"
      "call, the shared objects of a Vulkan graph. Of an .mlpackage: an output that is also the source of a state "
      "update. Of a\n"
      "plan.json: the plan. Exit code 1 where something is found.\n"
      "\nExamples:\n  parallax audit model.pte\n  parallax audit plan.json --json");
  command->add_option("file", flags->file, "FILE.pte, FILE.mlpackage or plan.json")
      ->required()
      ->transform(existing_path());
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(audit(*flags)); });
}

}  // namespace parallax
