// parallax worker: a target of this program as a worker process, for the program itself.
#include <iostream>

#include "backends/external/serve.h"
#include "cli/command.h"
#include "cli/target_options.h"

namespace parallax {
namespace {

struct WorkerFlags {
  std::string target;
  TargetOptions target_options;
};

Result<int> run_worker(const WorkerFlags& flags) {
  TRY(const std::unique_ptr<Target> target, open_target(flags.target, flags.target_options));
  serve(*target, PARALLAX_VERSION, std::cin, std::cout);
  return nothing_new;
}

}  // namespace

void add_worker_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<WorkerFlags>();
  CLI::App* command = program.add_subcommand("worker", "Speaks the adapter protocol for a target of this program.");
  command->group("");  // not listed: what `--target xnnpack` starts
  command->add_option("target", flags->target, "The target")->required();
  add_target_options(*command, flags->target_options);
  command->callback([flags, &exit_code] { exit_code = code_of(run_worker(*flags)); });
}

}  // namespace parallax
