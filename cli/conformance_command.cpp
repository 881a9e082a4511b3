// parallax conformance: what a target does with each op at each dtype, one small case at a time.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "backends/examine.h"
#include "backends/external/declined.h"
#include "cli/cell_case.h"
#include "cli/command.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "fuzz/generate/corner_calls.h"
#include "fuzz/generate/op_coverage.h"
#include "graph/print.h"
#include "graph/text_file.h"
#include "graph/whole_file.h"
#include "reports/conformance.h"
#include "reports/conformance_page.h"

namespace parallax {
namespace {

struct ConformanceFlags {
  std::string target;
  std::string pattern;
  int samples = 1;
  bool corners = false;
  std::string declined_file;
  std::string html;
  std::vector<std::string> compared;
  TargetOptions target_options;
  bool json = false;
};

using Cell = Conformance;
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

// Samples tried while all are declined.
constexpr int most_declined = 3;

// The usual one first.
constexpr std::array dtypes_in_order = {DType::F32, DType::Bool, DType::U8,  DType::I8,   DType::I16,
                                        DType::I32, DType::I64,  DType::F16, DType::BF16, DType::F64};

class Measured {
 public:
  Measured(Target& target, int samples, bool corners) : target_(target), samples_(samples), corners_(corners) {}

  // The worst case of each cell so far, sorted by op.
  std::vector<OpCells> cases() {
    std::ranges::sort(cases_, {}, &OpCells::op);
    return std::move(cases_);
  }

  const std::map<Conformance, int64_t>& calls() const { return calls_; }

  ConformanceRow row(const OpCoverage& coverage) {
    ConformanceRow row;
    row.op = coverage.op->name;
    worst_ = Cell::Right;
    cases_.push_back({row.op, {}});
    // What is declined at one dtype is mostly declined at the others: then one sample of each will do.
    int patience = std::max(most_declined, samples_);
    for (const DType dtype : dtypes_in_order) {
      const auto d = static_cast<std::size_t>(dtype);
      if (!(*coverage.dtypes)[d]) continue;
      row.cells[d] = cell(*coverage.op, dtype, patience, row);
      patience = row.cells[d] == Cell::Declined ? 1 : std::max(most_declined, samples_);
    }
    return row;
  }

 private:
  // The first case of one op and dtype that ended so.
  using Seen = std::array<std::optional<CellCase>, conformance_count>;

  std::optional<Cell> cell(const Op& op, DType dtype, int patience, ConformanceRow& row) {
    if (!target_.takes_dtype(dtype)) return Cell::Declined;
    Seen seen;
    int drawn = 0;
    int declined = 0;
    for (uint64_t stream = 0; stream < most_streams; ++stream) {
      const std::optional<Case> test = SingleOpPool::of(dtype).draw_case(op, stream);
      if (!test) continue;
      const std::string command = gen_line(op, dtype, stream);
      const bool is_declined = look(*test, "", command + " > case.json", row, seen) == Cell::Declined;
      if (corners_ && !is_declined) {
        for (const CornerCall& corner : corner_calls(*test, stream)) {
          look(corner.test, corner.about, command + " --corners > cases.jsonl", row, seen);
        }
      }
      ++drawn;
      declined += is_declined;
      if (drawn - declined >= samples_ || declined >= patience) break;
    }
    for (const Cell candidate : worst_first) {
      std::optional<CellCase>& first = seen[static_cast<std::size_t>(candidate)];
      if (!first) continue;
      // What a target declines at a corner says nothing of the op.
      if (candidate == Cell::Declined && declined < drawn) continue;
      cases_.back().cells[static_cast<std::size_t>(dtype)] = std::move(first);
      return candidate;
    }
    return std::nullopt;
  }

  Cell look(const Case& test, const std::string& about, const std::string& command, ConformanceRow& row, Seen& seen) {
    const Examination examination = examine(target_, test);
    const Cell one = cell_of(examination);
    ++calls_[one];
    std::string reason = examination.judgement.reason;
    if (!about.empty() && !reason.empty()) reason = about + ": " + reason;
    if (row.why_declined.empty() && one == Cell::Declined) row.why_declined = reason;
    if (std::optional<CellCase>& first = seen[static_cast<std::size_t>(one)]; !first) {
      std::string said = reason.empty() ? std::string(name(one)) : fmt::format("{}: {}", name(one), reason);
      first = CellCase{std::move(said), print(test), "", command};
    }
    if (one > worst_) {
      worst_ = one;
      row.why = std::move(reason);
    }
    return one;
  }

  Target& target_;
  int samples_;
  bool corners_;
  std::map<Conformance, int64_t> calls_;
  Cell worst_ = Cell::Right;  // of the row
  std::vector<OpCells> cases_;
};

// An op whose every dtype was declined is declined wholly; else those dtypes are that the target takes otherwise.
void note_declined(const Target& target, const ConformanceRow& row, Declined& declined) {
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
  if (dtypes.any()) declined.add(row.op, dtypes, wholly, row.why_declined.substr(0, row.why_declined.find('\n')));
}

Result<int> measure(const ConformanceFlags& flags) {
  TRY(const std::unique_ptr<Target> target, open_target(flags.target, flags.target_options));
  Measured measured(*target, flags.samples, flags.corners);
  ConformanceTable table{flags.target, {}, {}, {}};
  Declined declined;
  const std::vector<OpCoverage> every = op_coverage();
  for (std::size_t i = 0; i < every.size(); ++i) {
    const OpCoverage& coverage = every[i];
    if (!coverage.dtypes || coverage.op->name.find(flags.pattern) == std::string::npos) continue;
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{} of {} ops ", i + 1, every.size());
    const ConformanceRow& row = table.rows.emplace_back(measured.row(coverage));
    note_declined(*target, row, declined);
    if (!flags.json) fmt::print("{}", conformance_line(row));
  }
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\n");
  table.versions = target->versions();
  table.calls = measured.calls();
  if (!flags.declined_file.empty()) TRY_VOID(write_whole_file(flags.declined_file, {declined.to_json()}));
  if (!flags.html.empty()) TRY_VOID(write_whole_file(flags.html, {conformance_page(table, measured.cases())}));
  const std::map<Conformance, int64_t> totals = table.totals();
  if (flags.json) {
    fmt::print("{}\n", conformance_json(table).dump(2));
  } else {
    for (const auto& [cell, count] : totals) {
      const auto calls = table.calls.find(cell);
      fmt::print("{} {}, of the calls {}\n", count, name(cell), calls == table.calls.end() ? 0 : calls->second);
    }
  }
  return totals.contains(Conformance::Wrong) || totals.contains(Conformance::Crashed) ? diverged : nothing_new;
}

Result<ConformanceTable> read_table(const std::string& path) {
  TRY(const std::string text, read_text_file(path));
  auto table = parse_conformance(text);
  if (!table) table.error().file = path;
  return table;
}

Result<int> compare(const ConformanceFlags& flags) {
  TRY(const ConformanceTable before, read_table(flags.compared[0]));
  TRY(const ConformanceTable after, read_table(flags.compared[1]));
  const ConformanceDifference changed = difference(before, after);
  if (!flags.html.empty()) TRY_VOID(write_whole_file(flags.html, {difference_page(changed)}));
  fmt::print("{}", flags.json ? difference_json(changed).dump(2) + "\n" : difference_text(changed));
  return std::ranges::any_of(changed.changes, &ConformanceChange::diverges) ? diverged : nothing_new;
}

Result<int> conformance(const ConformanceFlags& flags) {
  if (!flags.compared.empty()) return compare(flags);
  if (flags.target.empty()) return fail("--target T or --diff OLD NEW is wanted");
  return measure(flags);
}

}  // namespace

void add_conformance_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ConformanceFlags>();
  CLI::App* command = program.add_subcommand(
      "conformance", "What a target does with each op at each dtype: right, wrong, declined, fell back, crashed.");
  command->footer(
      "Each op is called alone on small inputs of each dtype, the same on every machine. Of several samples the worst "
      "counts.\n"
      "With --diff the exit code is 1 where something is wrong or crashes that did not.\n"
      "--declined writes what is declined as adapters/declined/NAME.json has it: graphs are not drawn of that.\n"
      "\nExamples:\n"
      "  parallax conformance --target onnxruntime --op aten.avg_pool\n"
      "  parallax conformance --target pytorch-eager --samples 3 --corners\n"
      "  parallax conformance --diff onnxruntime-1.22.json onnxruntime-1.23.json --html changed.html");
  command->add_option("--target", flags->target, "What to drive (see parallax targets)")->type_name("TARGET");
  command->add_option("--op", flags->pattern, "Only ops whose name holds this")->type_name("OP")->check(op_pattern());
  command->add_option("--samples", flags->samples, "Calls of an op at a dtype")
      ->capture_default_str()
      ->check(whole_number(1, 1000));
  command->add_flag("--corners", flags->corners,
                    "Besides each call its corners: arguments left out, 0 and 1, extents of 0 and 1 and equal ones, "
                    "both zeros, NaN, infinities");
  command->add_option("--declined", flags->declined_file, "Write what was declined to this file")
      ->check(writable_file());
  command->add_option("--html", flags->html, "Write the table, or the difference, as a page to this file")
      ->check(writable_file());
  command
      ->add_option("--diff", flags->compared, "Two tables that --json wrote: what changed from the first to the second")
      ->expected(2)
      ->transform(existing_file());
  add_target_options(*command, flags->target_options);
  for (const char* option : {"--target", "--op", "--corners", "--declined"}) {
    command->get_option("--diff")->excludes(command->get_option(option));
  }
  command->add_flag("--json", flags->json, "The table as JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(conformance(*flags)); });
}

}  // namespace parallax
