// parallax export: a case, or a finding, in another form.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "backends/examine.h"
#include "cli/command.h"
#include "cli/issue_parts.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/redaction.h"
#include "cli/target_options.h"
#include "corpus/check_line.h"
#include "corpus/issue_text.h"
#include "corpus/signature.h"
#include "corpus/store.h"
#include "export/brief_script.h"
#include "export/dot.h"
#include "export/emit_executorch.h"
#include "export/emit_gtest.h"
#include "export/emit_pytorch.h"
#include "export/emit_reproducer.h"
#include "export/emit_thunder.h"
#include "fuzz/findings/collected_environment.h"
#include "fuzz/findings/controls.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/findings/onnx_script.h"
#include "graph/case_json.h"
#include "graph/control_op.h"
#include "graph/origin.h"
#include "graph/print.h"

namespace parallax {
namespace {

struct ExportFlags {
  std::string path;
  std::string form = "text";
  std::string target;
  TargetOptions target_options;
  bool redact = false;
  bool variants = false;
};

// What a file says of its case: where it diverged, as its origin has it. How sure that is, the file alone knows.
Finding finding_of(Case test) {
  Finding finding;
  const Origin origin = origin_of(test);
  finding.target = origin.target;
  finding.signature = finding.reason = origin.signature;
  if (!origin.version.empty()) finding.versions.emplace_back(family_of_target(origin.target), origin.version);
  if (std::vector<Control> controls = control_cases(test); !controls.empty()) {
    finding.control = std::move(controls.front());
  }
  finding.original = test;
  finding.reduced = std::move(test);
  return finding;
}

// A finding's folder, or a case file.
Result<Finding> read_exported(const std::string& path) {
  if (std::filesystem::exists(std::filesystem::path(path) / "finding.json")) {
    TRY(Finding finding, load_finding(path));
    finding.control = passing_control(finding.reduced, finding.controls);
    return finding;
  }
  TRY(Case test, read_one_case(path));
  return finding_of(std::move(test));
}

// The target in the release that a case names; a finding was made on what is installed.
std::string of_its_release(const Finding& finding) {
  const std::string& target = finding.target;
  if (!finding.id.empty() || finding.versions.empty() || target.contains('@') || target.starts_with("cmd:"))
    return target;
  const std::size_t options = std::min(target.find('?'), target.size());
  return fmt::format("{}@{}{}", target.substr(0, options), finding.versions.front().second, target.substr(options));
}

// The verdict of a case that is no finding's: its origin has it.
Finding as_signed(Finding finding) {
  if (finding.id.empty()) finding.verdict = signed_verdict(finding.signature).value_or(Verdict::Mismatch);
  return finding;
}

ScriptOptions options_for(const Finding& finding) {
  return finding.id.empty() ? ScriptOptions{.comment = "", .target = finding.target, .control = finding.control}
                            : script_options(finding);
}

// ExecuTorch's portable kernels, where the case is no finding of another of its targets.
Result<std::string> executorch_script(Finding finding, const std::string& asked) {
  if (asked.empty() && !drives_executorch(family_of_target(finding.target))) finding.target = "executorch-portable";
  return emit_executorch(finding.reduced, options_for(finding));
}

// The verdicts of our own compiler, with the faults and without, and of what the case records.
Result<std::string> gtest_text(const Case& test, const ExportFlags& flags) {
  const std::string name = flags.target.empty() ? "portable" : flags.target;
  if (!runs_in_process(name)) return fail("--target {}: a GoogleTest case drives what runs in its own process", name);
  if (const Node* node = find_control(test.graph))
    return fail("'{}' ({}): a GoogleTest case has no branches or loops", node->name, node->op->name);
  if (!test.methods.empty()) return fail("its runs call several methods of one program: a GoogleTest case has one");
  std::vector<AskedVerdict> verdicts;
  const auto judge = [&](const std::string& target, const TargetOptions& options) -> Result<void> {
    TRY(std::unique_ptr<Target> opened, open_target(target, options));
    const Verdict verdict = examine(*opened, test).judgement.verdict;
    verdicts.push_back({target, options.faults, std::string(parallax::name(verdict))});
    return {};
  };
  if (!flags.target_options.faults.empty()) TRY_VOID(judge(name, flags.target_options));
  TRY_VOID(judge(name, {}));
  if (test.expect.outputs) TRY_VOID(judge("recorded", {}));
  return emit_gtest(test, verdicts);
}

Result<std::string> issue(Finding finding, const ExportFlags& flags) {
  if (!flags.target.empty()) {
    TRY(std::unique_ptr<Target> target, open_target(flags.target, flags.target_options));
    const Examination examination = examine(*target, finding.reduced);
    if (!is_finding(examination.judgement.verdict)) {
      return std::unexpected(Error{ErrorKind::Invalid, flags.path, "",
                                   fmt::format("does not diverge on {}: {}; there is nothing to report", flags.target,
                                               name(examination.judgement.verdict))});
    }
    const FindingOptions options{.target_options = flags.target_options, .reduce = false};
    finding = make_finding(*target, finding.reduced, examination, options).finding;
  } else if (finding.id.empty()) {
    const auto verdict = signed_verdict(finding.signature);
    if (!verdict || finding.target.empty()) {
      return std::unexpected(Error{ErrorKind::Invalid, flags.path, "/origin",
                                   "does not say where and how the case diverges; --target T runs it there"});
    }
    finding.verdict = *verdict;
  }
  if (finding.environment.empty()) {
    // Who has not installed the system, in that release, reads there what to run.
    finding.environment = collected_environment(of_its_release(finding)).value_or("");
  }
  const auto script = emit_reproducer(finding.reduced, options_for(finding));
  if (!script && finding.script.empty()) finding.script = onnx_script(finding).value_or("");
  IssueParts parts = issue_parts(finding, script ? *script : "");
  if (flags.variants || runs_in_process(finding.target)) parts.variants = variants_of(finding);
  if (script || !parts.brief.empty()) return issue_text(finding, parts);
  const bool is_stored = !finding.id.empty();
  const std::string file = is_stored ? (std::filesystem::path(flags.path) / "reduced.json").string() : flags.path;
  const std::string why = is_own_target(finding.target) ? "" : "There is no script: " + script.error().reason + ".\n\n";
  parts.how = why + markdown_block(check_command(finding, file));
  return issue_text(finding, parts);
}

// The subject without what its user may not give away, run where it diverged.
Result<Redaction> redact_subject(Finding& finding, ExportFlags& flags) {
  if (flags.target.empty()) flags.target = finding.target;
  if (flags.target_options.faults.empty()) flags.target_options.faults = finding.planted;
  TRY(Redaction redaction, redact_on(finding.reduced, flags.target, flags.target_options));
  finding = finding_of(redaction.test);
  return redaction;
}

Result<std::string> exported(ExportFlags flags) {
  TRY(Finding finding, read_exported(flags.path));
  const std::string& form = flags.form;
  std::string text;
  if (flags.redact) {
    TRY(Redaction redaction, redact_subject(finding, flags));
    text = std::move(redaction.text);
  }
  if (form == "case") return flags.redact ? text : to_json(finding.reduced, 2) + "\n";
  if (form == "issue") return issue(std::move(finding), flags);
  if (form == "gtest") return gtest_text(finding.reduced, flags);
  if (form == "text") return parallax::print(finding.reduced);
  if (form == "dot") return to_dot(finding.reduced.graph, finding.reduced.name);
  if (!flags.target.empty()) finding.target = flags.target;
  if (form == "executorch") return executorch_script(std::move(finding), flags.target);
  if (form == "pytorch") {
    if (const auto why = why_no_script(finding.reduced, finding.target)) return fail("there is no script: {}", *why);
  }
  if (form == "brief") {
    const std::string target = flags.target.empty() ? finding.target : flags.target;
    if (auto script = brief_script(finding.reduced, target)) return *std::move(script);
    if (!goes_through_our_writer(target))
      return fail("--to brief: no few lines say this case on '{}'; --to pytorch writes the whole script", target);
    auto script = onnx_script(as_signed(std::move(finding)));
    if (!script) return fail("--to brief: no few lines say this case on '{}': {}", target, script.error().text());
    return script;
  }
  if (form == "thunder") return emit_thunder(finding.reduced, options_for(finding));
  return emit_pytorch(finding.reduced, options_for(finding));
}

Result<int> export_case(const ExportFlags& flags) {
  auto text = exported(flags);
  if (!text) {
    if (text.error().file.empty()) text.error().file = flags.path;
    return std::unexpected(text.error());
  }
  fmt::print("{}", *text);
  return nothing_new;
}

}  // namespace

void add_export_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* command = program.add_subcommand(
      "export", "A case or a finding in another form: a script to paste, an issue text, a test, a picture, text.");
  command->footer(
      "Examples:\n"
      "  parallax export case.json --to dot | dot -Tsvg > case.svg\n"
      "  parallax export findings/7KQ2 --to issue > issue.md\n"
      "  parallax export case.json --to pytorch --target torch-inductor > bug.py && python bug.py\n"
      "  parallax export case.json --to gtest --plant F01 > case_test.cpp\n"
      "  parallax export findings/7KQ2 --to case --redact > case.json    what may leave the house");
  command->add_option("case", flags->path, "A case file, or a finding's folder")
      ->required()
      ->transform(existing_path());
  command->add_option("--to", flags->form, "brief, pytorch, executorch, thunder, gtest, issue, case, dot or text")
      ->capture_default_str()
      ->check(member_of({"brief", "pytorch", "executorch", "thunder", "gtest", "issue", "case", "dot", "text"}));
  command
      ->add_option("--target", flags->target,
                   "What a script holds against eager (default: where the case diverged); gtest and issue run it")
      ->type_name("TARGET");
  command->add_flag(
      "--variants", flags->variants,
      "Of issue: also which one-edit variants fail and which pass, as neighbours tells, where the target is "
      "no part of this process");
  command->add_flag("--redact", flags->redact,
                    "Random numbers in the place of data, canonical names in the place of names, as far as it still "
                    "shows the same where it diverged");
  add_target_options(*command, flags->target_options);
  command->callback([flags, &exit_code] { exit_code = code_of(export_case(*flags)); });
}

}  // namespace parallax
