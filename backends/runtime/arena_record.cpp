#include "backends/runtime/arena_record.h"

#include <optional>

#include "backends/runtime/builds.h"
#include "backends/runtime/protocol_runs.h"
#include "compiler/resize.h"
#include "graph/runs.h"

namespace parallax::runtime {
namespace {

struct NamedBuild {
  std::string_view name;
  const Build& build;
};

Result<Program> program_of(const Case& test, const CompileOptions& options) {
  if (test.symbols.empty()) return compile(test.graph, options);
  TRY(const Program program, compile(test.graph, test.symbols, options));
  const SymbolSizes sizes = sizes_of_run(test, 0);
  if (!is_compiled_alone(program, sizes)) return resize(program, sizes, options);
  TRY(const Case first, case_of_run(test, 0));
  return compile(first.graph, options);
}

}  // namespace

Result<ArenaRecord> record_arena(const Case& test, const FaultSet& faults, const PassSelection& selection) {
  std::optional<ArenaRecord> sound;
  for (const auto& [name, build] :
       {NamedBuild{"plain", plain_build}, NamedBuild{"partitioned and fused", full_build}}) {
    CompileOptions options = compile_options(build);
    options.faults = faults;
    options.evaluate = evaluate;
    options.selection = selection;
    TRY(Program program, program_of(test, options));
    ArenaRecord record{name, std::move(program), {}};
    record.failures = check_plan(schedule_of(record.program), record.program.plan);
    if (record.failures.empty()) {
      TRY(const Loaded executable, load(record.program, delegate_makers(build, nullptr)));
      record.failures = sanitized_run(executable, feed_of_run(test, 0));
    }
    if (!record.failures.empty()) return record;
    if (!sound) sound = std::move(record);
  }
  return *std::move(sound);
}

}  // namespace parallax::runtime
