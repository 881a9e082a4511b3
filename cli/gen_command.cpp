// parallax gen: generated cases as JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/cell_case.h"
#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/profile_option.h"
#include "cli/target_options.h"
#include "fuzz/generate/corner_calls.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/whole_file.h"
#include "ops/registry.h"

namespace parallax {
namespace {

struct GenFlags {
  std::vector<std::string> targets;
  uint64_t count = 1;
  uint64_t seed = 0;
  std::string profile = "all";
  int min_nodes = 4;
  int max_nodes = 22;
  std::string tapes;
  std::string op;
  std::string dtype = "f32";
  bool corners = false;
};

// Cases of one call each, from stream `seed` on.
Result<int> gen_single_op(const GenFlags& flags) {
  const Op* op = find_op(flags.op);
  const auto dtype = parse_dtype(flags.dtype);
  if (op == nullptr || !dtype) return fail("--op {} --dtype {}: there is no such op or dtype", flags.op, flags.dtype);
  uint64_t stream = flags.seed;
  for (uint64_t k = 0; k < flags.count; ++k) {
    const auto drawn = draw_single_op(*op, *dtype, stream);
    if (!drawn) return fail("--op {} --dtype {}: no call of it can be drawn", flags.op, flags.dtype);
    fmt::print("{}\n", to_json(drawn->test));
    if (flags.corners) {
      for (const CornerCall& corner : corner_calls(drawn->test, drawn->stream))
        fmt::print("{}\n", to_json(corner.test));
    }
    stream = drawn->stream + 1;
  }
  return nothing_new;
}

// The bytes that a case was drawn from, for a fuzzing engine (docs/fuzzing.md).
Result<void> write_tape(const std::string& folder, const Case& test, const std::vector<uint8_t>& tape) {
  std::string name = test.name;
  std::ranges::replace(name, ' ', '-');
  return write_whole_file(std::filesystem::path(folder) / name,
                          {std::string_view(reinterpret_cast<const char*>(tape.data()), tape.size())});
}

Result<int> gen(const GenFlags& flags) {
  if (!flags.op.empty()) return gen_single_op(flags);
  std::vector<std::unique_ptr<Target>> targets;
  std::vector<const Target*> takers;
  for (const std::string& name : flags.targets) {
    TRY(targets.emplace_back(), open_target(name, {}));
    takers.push_back(targets.back().get());
  }
  const Vocabulary words = Vocabulary::taken_by(takers);
  for (uint64_t k = 0; k < flags.count; ++k) {
    Choices choices(flags.seed, k);
    Case test = generate(choices, {generate_profile(flags.profile), flags.min_nodes, flags.max_nodes, &words});
    test.name = fmt::format("seed {} case {}", flags.seed, k);
    if (flags.tapes.empty()) {
      fmt::print("{}\n", to_json(test));
    } else {
      TRY_VOID(write_tape(flags.tapes, test, choices.tape()));
    }
  }
  return nothing_new;
}

}  // namespace

void add_gen_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<GenFlags>();
  CLI::App* command = program.add_subcommand("gen", "Generated cases as JSON lines on standard output.");
  command->footer(
      "Examples:\n"
      "  parallax gen --count 3 --seed 7\n"
      "  parallax gen --count 1000 --profile alias | gzip > cases.jsonl.gz\n"
      "  parallax gen --op aten.cumsum.default --dtype i32 > case.json    one call, as the cells of a heat map have "
      "it");
  command->add_option("--count", flags->count, "How many")->check(whole_number(1))->capture_default_str();
  command->add_option("--target", flags->targets, "Draw only what this target takes; repeatable. Default: all")
      ->type_name("TARGET");
  command->add_option("--seed", flags->seed, "Seed: the cases are those of fuzz --seed with the same --target")
      ->capture_default_str();
  add_profile_option(*command, flags->profile);
  command->add_option("--min-nodes", flags->min_nodes, "Fewest nodes a graph")
      ->check(whole_number(1, 10000))
      ->capture_default_str();
  command->add_option("--max-nodes", flags->max_nodes, "Most nodes a graph")
      ->capture_default_str()
      ->check(whole_number(1, 10000));
  command->add_option("--tapes", flags->tapes,
                      "Write the bytes that each case is drawn from into this folder instead: a seed corpus for the "
                      "fuzz targets, whose cases have --min-nodes 1");
  CLI::Option* op = command->add_option("--op", flags->op, "One call of this op alone; --seed and --count choose which")
                        ->type_name("OP")
                        ->check(op_pattern());
  command->add_option("--dtype", flags->dtype, "Of --op: the dtype of its first tensor")
      ->type_name("DTYPE")
      ->capture_default_str()
      ->needs(op);
  command->add_flag("--corners", flags->corners, "Besides each call of --op its corners, as conformance asks for them")
      ->needs(op);
  for (const char* option : {"--target", "--profile", "--tapes"}) op->excludes(command->get_option(option));
  command->callback([flags, &exit_code] { exit_code = code_of(gen(*flags)); });
}

}  // namespace parallax
