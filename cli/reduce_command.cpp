// parallax reduce: makes a diverging case smaller while it diverges in the same way.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "backends/lost_target.h"
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "cli/whole_program.h"
#include "corpus/check_line.h"
#include "corpus/closing_lines.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/findings/repeats.h"
#include "fuzz/findings/target_crew.h"
#include "graph/case_json.h"
#include "graph/whole_file.h"

namespace parallax {
namespace {

struct ReduceFlags {
  std::string path;
  std::string target;
  std::string output;
  TargetOptions target_options;
  double seconds = 60;
  int jobs = 0;
};

void print_progress(const ReduceProgress& progress) {
  fmt::print(stderr, "\r{} nodes after {} checks, {:.0f} s  {:<16}", progress.nodes, progress.checks, progress.seconds,
             progress.pass);
}

Result<int> reduce_case(const ReduceFlags& flags) {
  TRY(Case test, read_one_case(flags.path));
  if (flags.seconds <= 0) return fail("--seconds {}: nothing can be tried in that time", flags.seconds);
  TRY(std::unique_ptr<Target> target, open_target(flags.target, flags.target_options));
  Examination examination = examine_until_wrong(*target, test, runs_in_process(flags.target) ? 1 : most_repeats);
  if (auto lost = lost_target(examination.outcome)) return std::unexpected(*std::move(lost));
  const auto started = std::chrono::steady_clock::now();
  const auto seconds_left = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started;
    return std::max(0.0, flags.seconds - passed.count());
  };
  if (!is_finding(examination.judgement.verdict)) {
    // What the bound of the whole hides, a part may show.
    CloserLook closer = look_closer(*target, test, examination, flags.seconds / 2);
    if (closer.wrong) {
      test = std::move(closer.wrong->test);
      examination = std::move(closer.wrong->examination);
    }
  }
  if (!is_finding(examination.judgement.verdict)) {
    return std::unexpected(Error{ErrorKind::Invalid, flags.path, "",
                                 fmt::format("does not diverge on {}: {}; nothing to reduce", flags.target,
                                             name(examination.judgement.verdict))});
  }
  const bool watched = isatty(STDERR_FILENO);
  catch_interruptions();
  FindingOptions options{.target_options = flags.target_options,
                         .reduce_seconds = seconds_left(),
                         .jobs = flags.jobs > 0 ? flags.jobs : crew_size(flags.target, jobs_or_cores(0))};
  if (watched) options.progress = print_progress;
  options.interrupted = [&] { return was_interrupted() || seconds_left() == 0; };
  const Finding finding = make_finding(*target, test, examination, options).finding;
  if (watched) fmt::print(stderr, "\n");
  if (flags.output.empty()) {
    fmt::print("{}\n", to_json(finding.reduced, 1));
  } else {
    if (std::filesystem::exists(flags.output) && std::filesystem::equivalent(flags.output, flags.path)) {
      return fail("-o {}: the original is never changed; name another file", flags.output);
    }
    TRY_VOID(write_whole_file(flags.output, {to_json(finding.reduced, 1) + "\n"}));
  }
  fmt::print(stderr, "{}{}", finding.explanation, closing_lines(finding));
  if (!flags.output.empty()) fmt::print(stderr, "  reproduce: {}\n", check_command(finding, flags.output));
  return diverged;
}

}  // namespace

void add_reduce_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ReduceFlags>();
  CLI::App* command =
      program.add_subcommand("reduce", "A diverging case made smaller while it diverges in the same way.");
  command->footer(
      "Examples:\n"
      "  parallax reduce case.json --target portable --plant F01 -o reduced.json\n"
      "  parallax reduce findings/7KQ2/case.json --target onnxruntime --seconds 60 > reduced.json");
  command->add_option("case", flags->path, "A case file")->required()->transform(existing_file());
  command->add_option("--target", flags->target, "The target it diverges on")->type_name("TARGET")->required();
  add_target_options(*command, flags->target_options);
  command->add_option("-o,--output", flags->output, "Where the reduced case goes; default: standard output")
      ->check(writable_file());
  command->add_option("--seconds", flags->seconds, "The most it may take")
      ->capture_default_str()
      ->check(number_from(0));
  command
      ->add_option("--jobs", flags->jobs,
                   "Candidates that are looked at side by side; default: one a core, two for an external target")
      ->check(whole_number(0, 1000));
  command->callback([flags, &exit_code] { exit_code = code_of(reduce_case(*flags)); });
}

}  // namespace parallax
