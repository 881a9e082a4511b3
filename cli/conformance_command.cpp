// parallax conformance: what a target does with each op at each dtype, one small case at a time.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "backends/examine.h"
#include "backends/external/declined.h"
#include "cli/command.h"
#include "cli/target_options.h"
#include "cli/write_file.h"
#include "fuzz/op_coverage.h"
#include "fuzz/single_op.h"

namespace parallax {
namespace {

struct ConformanceFlags {
  std::string target;
  std::string pattern;
  int samples = 1;
  std::string declined_file;
  TargetOptions target_options;
  bool json = false;
};

// What became of a case, in the words of DESIGN's table.
enum class Cell { Right, Wrong, Declined, FellBack, Crashed, Undecided };
constexpr std::array<std::string_view, 6> cell_names = {"right",     "wrong",   "declined",
                                                        "fell back", "crashed", "undecided"};
// In the order in which several samples of one op and dtype are summed up: the first that occurs.
constexpr std::array worst_first = {Cell::Crashed, Cell::Wrong,     Cell::FellBack,
                                    Cell::Right,   Cell::Undecided, Cell::Declined};

Cell cell_of(const Examination& examination) {
  switch (examination.judgement.verdict) {
    case Verdict::Match:
    case Verdict::Audited:
      return examination.outcome.delegated == 0 ? Cell::FellBack : Cell::Right;
    case Verdict::Mismatch:
    case Verdict::Nondeterministic:
      return Cell::Wrong;
    case Verdict::Crash:
    case Verdict::Hang:
    case Verdict::InternalError:
      return Cell::Crashed;
    case Verdict::Rejected:
    case Verdict::Unsupported:
      return Cell::Declined;
    case Verdict::Suspect:
    case Verdict::ReferenceRefused:
    case Verdict::Undecided:
      return Cell::Undecided;
  }
  return Cell::Undecided;
}

struct Row {
  std::array<std::optional<Cell>, dtype_count> cells;
  std::string why;  // of the first that is not right
};

// Calls of an op that are looked for before it is left out, and samples tried while all are declined.
constexpr uint64_t most_draws = 40;
constexpr int most_declined = 3;

// The usual one first.
constexpr std::array dtypes_in_order = {DType::F32, DType::Bool, DType::U8,  DType::I8,   DType::I16,
                                        DType::I32, DType::I64,  DType::F16, DType::BF16, DType::F64};

class Conformance {
 public:
  Conformance(Target& target, int samples) : target_(target), samples_(samples) {
    for (int d = 0; d < dtype_count; ++d) pools_.emplace_back(static_cast<DType>(d));
  }

  Row row(const OpCoverage& coverage) {
    Row row;
    // What is declined at one dtype is mostly declined at the others: then one sample of each will do.
    int patience = std::max(most_declined, samples_);
    for (const DType dtype : dtypes_in_order) {
      const auto d = static_cast<std::size_t>(dtype);
      if (!(*coverage.dtypes)[d]) continue;
      row.cells[d] = cell(*coverage.op, dtype, patience, row.why);
      patience = row.cells[d] == Cell::Declined ? 1 : std::max(most_declined, samples_);
    }
    return row;
  }

 private:
  std::optional<Cell> cell(const Op& op, DType dtype, int patience, std::string& why) {
    if (!target_.takes_dtype(dtype)) return Cell::Declined;
    std::array<int, cell_names.size()> counts{};
    int seen = 0;
    for (uint64_t stream = 0; stream < most_draws; ++stream) {
      const std::optional<Case> test = pools_[static_cast<std::size_t>(dtype)].draw_case(op, stream);
      if (!test) continue;
      const Examination examination = examine(target_, *test);
      const Cell one = cell_of(examination);
      if (why.empty() && one != Cell::Right) why = examination.judgement.reason;
      ++counts[static_cast<std::size_t>(one)];
      ++seen;
      const int declined = counts[static_cast<std::size_t>(Cell::Declined)];
      if (seen - declined >= samples_ || declined >= patience) break;
    }
    for (const Cell candidate : worst_first) {
      if (counts[static_cast<std::size_t>(candidate)] > 0) return candidate;
    }
    return std::nullopt;
  }

  Target& target_;
  int samples_;
  std::vector<SingleOpPool> pools_;
};

std::string line(const std::string& op, const Row& row) {
  std::string text = fmt::format("{:48}", op);
  for (std::size_t d = 0; d < dtype_count; ++d) {
    if (row.cells[d]) {
      text += fmt::format(" {} {}", name(static_cast<DType>(d)), cell_names[static_cast<std::size_t>(*row.cells[d])]);
      text += ';';
    }
  }
  return text + "\n";
}

nlohmann::ordered_json json_of(const std::string& op, const Row& row) {
  nlohmann::ordered_json json = {{"op", op}, {"dtypes", nlohmann::ordered_json::object()}};
  for (std::size_t d = 0; d < dtype_count; ++d) {
    if (row.cells[d]) {
      json["dtypes"][name(static_cast<DType>(d))] = cell_names[static_cast<std::size_t>(*row.cells[d])];
    }
  }
  if (!row.why.empty()) json["why"] = row.why;
  return json;
}

// An op whose every dtype was declined is declined wholly; else those dtypes are that the target takes otherwise.
void note_declined(const Target& target, const std::string& op, const Row& row, Declined& declined) {
  Declined::Dtypes dtypes;
  bool wholly = true;
  for (std::size_t d = 0; d < dtype_count; ++d) {
    if (!row.cells[d] || !target.takes_dtype(static_cast<DType>(d))) continue;
    if (row.cells[d] == Cell::Declined) {
      dtypes.set(d);
    } else {
      wholly = false;
    }
  }
  if (dtypes.any()) declined.add(op, dtypes, wholly, row.why.substr(0, row.why.find('\n')));
}

Result<int> conformance(const ConformanceFlags& flags) {
  TRY(const std::unique_ptr<Target> target, open_target(flags.target, flags.target_options));
  Conformance measured(*target, flags.samples);
  auto rows = nlohmann::ordered_json::array();
  Declined declined;
  std::map<std::string_view, int64_t> totals;
  const std::vector<OpCoverage> every = op_coverage();
  for (std::size_t i = 0; i < every.size(); ++i) {
    const OpCoverage& coverage = every[i];
    if (!coverage.dtypes || coverage.op->name.find(flags.pattern) == std::string::npos) continue;
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{} of {} ops ", i + 1, every.size());
    const Row row = measured.row(coverage);
    for (const auto& cell : row.cells) {
      if (cell) ++totals[cell_names[static_cast<std::size_t>(*cell)]];
    }
    note_declined(*target, coverage.op->name, row, declined);
    if (flags.json) {
      rows.push_back(json_of(coverage.op->name, row));
    } else {
      fmt::print("{}", line(coverage.op->name, row));
    }
  }
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\n");
  if (!flags.declined_file.empty()) TRY_VOID(write_file(flags.declined_file, declined.to_json()));
  if (flags.json) {
    nlohmann::ordered_json summary = {{"target", flags.target}, {"totals", totals}, {"ops", std::move(rows)}};
    for (const auto& [part, version] : target->versions()) summary["versions"][part] = version;
    fmt::print("{}\n", summary.dump(2));
  } else {
    for (const auto& [cell, count] : totals) fmt::print("{} {}\n", count, cell);
  }
  return totals.contains("wrong") || totals.contains("crashed") ? diverged : nothing_new;
}

}  // namespace

void add_conformance_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ConformanceFlags>();
  CLI::App* command = program.add_subcommand(
      "conformance", "What a target does with each op at each dtype: right, wrong, declined, fell back, crashed.");
  command->footer(
      "Each op is called alone on small inputs of each dtype, the same on every machine. Of several samples the worst "
      "counts.\n"
      "  parallax conformance --target onnxruntime --op aten.avg_pool\n"
      "--declined writes what is declined as adapters/declined/NAME.json has it: graphs are not drawn of that.");
  command->add_option("--target", flags->target, "What to drive (see parallax targets)")->required();
  command->add_option("--op", flags->pattern, "Only ops whose name holds this");
  command->add_option("--samples", flags->samples, "Calls of an op at a dtype")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--declined", flags->declined_file, "Write what was declined to this file");
  add_target_options(*command, flags->target_options);
  command->add_flag("--json", flags->json, "The table as JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(conformance(*flags)); });
}

}  // namespace parallax
