// parallax report: a findings folder as a page for people, and beside an earlier one.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/open_target.h"
#include "cli/cell_case.h"
#include "cli/command.h"
#include "cli/error_notes.h"
#include "cli/graphviz.h"
#include "cli/histogram.h"
#include "cli/issue_parts.h"
#include "cli/option_checks.h"
#include "cli/rerun.h"
#include "cli/shell_word.h"
#include "cli/target_options.h"
#include "core/grouped_digits.h"
#include "corpus/issue_text.h"
#include "corpus/store.h"
#include "export/emit_reproducer.h"
#include "fuzz/campaign/description.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/findings/controls.h"
#include "fuzz/findings/furthest_first.h"
#include "fuzz/generate/alias_relation.h"
#include "fuzz/generate/op_coverage.h"
#include "graph/whole_file.h"
#include "reports/campaign_report.h"
#include "reports/compared_findings.h"
#include "reports/error_map.h"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

struct ReportFlags {
  std::string folder;
  std::string since;
  std::string output;
  std::string rerun = "ours";
  bool json = false;
};

// Larger graphs are no pictures that a person reads, and take Graphviz minutes.
constexpr std::size_t most_drawn_nodes = 120;

// The findings of a folder; what cannot be read goes into `broken`.
Result<std::vector<Finding>> read_findings(const std::string& folder, std::vector<Error>& broken) {
  TRY(std::vector<Result<Finding>> read, load_findings(folder));
  std::vector<Finding> findings;
  for (Result<Finding>& finding : read) {
    if (finding) {
      findings.push_back(*std::move(finding));
    } else {
      broken.push_back(std::move(finding).error());
    }
  }
  return findings;
}

CampaignReport campaign_of(const CampaignRecord& record) {
  CampaignReport campaign;
  campaign.begun = record.begun;
  campaign.finished = record.finished;
  campaign.seconds = record.seconds;
  DescribedCampaign described = read_description(record.description);
  campaign.seed = described.seed.value_or(0);
  campaign.profile = std::move(described.profile);
  campaign.planted = std::move(described.faults);
  for (const auto& [target, tally] : record.tallies) {
    LaneReport lane{target, tally.cases, tally.judged(), tally.seconds, tally.verdicts, {}};
    for (const CampaignRecord::Found& found : record.findings) {
      if (found.target == target) lane.found_at.push_back(static_cast<int64_t>(found.graph));
    }
    campaign.lanes.push_back(std::move(lane));
  }
  return campaign;
}

// What could be drawn of an op, with a case of one call each. Campaigns count a node by the dtype of its first result,
// and calls are drawn for an operand's.
OpCells possible_cells(const OpCoverage& known, CoverageRow& row) {
  OpCells cells{known.op->name, {}};
  for (const DType dtype : all_dtypes) {
    if (!(*known.dtypes)[static_cast<std::size_t>(dtype)]) continue;
    const auto drawn = draw_single_op(*known.op, dtype, 0);
    if (!drawn || drawn->test.graph.nodes.empty() || drawn->test.graph.nodes.front().results.empty()) continue;
    const Graph& graph = drawn->test.graph;
    const auto result = static_cast<std::size_t>(graph.meta(graph.nodes.front().results.front()).dtype);
    row.cells[result].possible = true;
    const bool is_plain = result == static_cast<std::size_t>(dtype);
    if (!cells.cells[result] || is_plain) cells.cells[result] = cell_case(*known.op, dtype, drawn->stream, "");
  }
  return cells;
}

std::string drawn_text(const CoverageCell& cell) {
  if (cell.nodes == 0) return "Never drawn.";
  const std::string times = cell.nodes == 1 ? "once" : fmt::format("{} times", cell.nodes);
  return cell.undecided == 0 ? fmt::format("Drawn {}.", times)
                             : fmt::format("Drawn {}, {} of them in undecided graphs.", times, cell.undecided);
}

// What all campaigns of the folder drew together, beside what could be drawn; nothing where none counted it.
std::optional<CoverageReport> coverage_of(const std::vector<CampaignRecord>& records) {
  CoverageMap drawn;
  CoverageReport report;
  for (std::size_t r = 0; r < alias_relation_count; ++r) {
    report.relations.emplace_back(name(static_cast<AliasRelation>(r)), 0);
  }
  for (const CampaignRecord& record : records) {
    const auto histogram = Histogram::from_json(record.more);
    if (!histogram || histogram->coverage().ops().empty()) continue;
    drawn.add(histogram->coverage());
    report.graphs += histogram->graphs();
    for (std::size_t r = 0; r < alias_relation_count; ++r) {
      report.relations[r].second += histogram->graphs_with(static_cast<AliasRelation>(r));
    }
  }
  if (drawn.ops().empty()) return std::nullopt;
  std::map<std::string, CoverageRow> rows;
  std::map<std::string, OpCells> cases;
  for (const OpCoverage& known : op_coverage()) {
    if (!known.generated || !known.dtypes) continue;
    CoverageRow& row = rows[known.op->name];
    cases.emplace(known.op->name, possible_cells(known, row));
  }
  for (const auto& [op, cells] : drawn.ops()) {
    CoverageRow& row = rows[op];
    for (std::size_t d = 0; d < dtype_count; ++d) {
      row.cells[d].nodes = cells[d].nodes;
      row.cells[d].undecided = cells[d].undecided;
      for (std::size_t r = 0; r < alias_relation_count; ++r) {
        if (cells[d].relations[r]) row.cells[d].relations.emplace_back(name(static_cast<AliasRelation>(r)));
      }
    }
  }
  for (auto& [op, row] : rows) {
    row.op = op;
    if (const auto found = cases.find(op); found != cases.end()) {
      for (std::size_t d = 0; d < dtype_count; ++d) {
        if (found->second.cells[d]) found->second.cells[d]->said = drawn_text(row.cells[d]);
      }
      report.cases.push_back(std::move(found->second));
    }
    report.rows.push_back(std::move(row));
  }
  return report;
}

std::string found_at(const Finding& finding, const std::vector<CampaignRecord>& records) {
  for (const CampaignRecord& record : records) {
    for (const CampaignRecord::Found& found : record.findings) {
      if (found.signature != finding.signature || found.target != finding.target) continue;
      const auto tally = record.tallies.find(found.target);
      const std::string graph = "graph " + grouped_digits(static_cast<int64_t>(found.graph));
      return tally == record.tallies.end() ? graph : graph + " of " + grouped_digits(tally->second.cases);
    }
  }
  return finding.index ? fmt::format("graph {}", *finding.index) : "";
}

std::string check_command(const Finding& finding, const std::string& folder) {
  std::string command = fmt::format("parallax check {} --target {}",
                                    shell_word((std::filesystem::path(folder) / finding.id / "reduced.json").string()),
                                    shell_word(finding.target));
  for (const std::string& fault : finding.planted) command += " --plant " + shell_word(fault);
  return command + " --explain";
}

// All that a page says of a finding but its pictures.
FindingReport report_of(Finding finding, const ReportFlags& flags, Target* eager, std::vector<DotMark>& marks) {
  FindingReport report;
  report.command = check_command(finding, flags.folder);
  finding.control = passing_control(finding.reduced, finding.controls);
  if (auto script = emit_reproducer(finding.reduced, script_options(finding))) {
    report.script = *std::move(script);
  }
  IssueParts parts = issue_parts(finding, report.script);
  if (report.script.empty()) report.script = finding.script;
  parts.how = markdown_block(report.command);
  report.issue = issue_text(finding, parts);
  if (const FoundBug* bug = known_bugs().nearest(finding)) {
    report.nearest = bug_text(*bug);
    if (!bug->upstream.empty()) report.nearest_url = bug->upstream.front().url;
  }
  const AliasRelations relations = alias_relations(finding.reduced.graph);
  for (std::size_t r = 0; r < alias_relation_count; ++r) {
    if (relations[r]) report.relations.emplace_back(name(static_cast<AliasRelation>(r)));
  }
  if (flags.rerun == "none") {
    report.not_rerun = "the findings were not run again (--rerun none)";
  } else if (flags.rerun == "ours" && !runs_in_process(finding.target)) {
    report.not_rerun = "a target outside of this process is run again with --rerun all only";
  } else if (auto evidence = run_again(finding, runs_in_process(finding.target) ? nullptr : eager)) {
    report.rerun = std::move(evidence->rerun);
    report.pass_change = std::move(evidence->pass_change);
    report.triggers = std::move(evidence->triggers);
    marks = std::move(evidence->marks);
  } else {
    report.not_rerun = "it cannot be run here: " + evidence.error().text();
  }
  if (!report.rerun && finding.sighting) {
    Rerun& kept = report.rerun.emplace();
    static_cast<Sighting&>(kept) = *finding.sighting;
    kept.verdict = finding.verdict;
    kept.reason = finding.reason;
  }
  report.finding = std::move(finding);
  return report;
}

void draw_all(std::vector<FindingReport>& reports, const std::vector<std::vector<DotMark>>& marks) {
  std::vector<Drawing> drawings;
  std::vector<Picture*> places;
  const auto add = [&](const Graph& graph, const DotOptions& options, std::string_view when, std::string_view more,
                       Picture& picture) {
    if (graph.nodes.size() > most_drawn_nodes) {
      picture.missing = fmt::format("a graph of more than {} nodes is no picture that can be read", most_drawn_nodes);
      return;
    }
    std::string label =
        fmt::format("The graph {}, {}.", when, counted(static_cast<int64_t>(graph.nodes.size()), "node"));
    for (const DotMark& mark : options.marks) label += fmt::format(" {} {}.", graph.node(mark.node).name, mark.why);
    label += more;
    drawings.push_back({to_dot(graph, "", options), std::move(label)});
    places.push_back(&picture);
  };
  for (std::size_t i = 0; i < reports.size(); ++i) {
    FindingReport& report = reports[i];
    DotOptions reduced;
    reduced.marks = marks[i];
    const Graph& graph = report.finding.reduced.graph;
    const bool has_errors = report.rerun && report.rerun->errors;
    if (has_errors) reduced.notes = error_notes(*report.rerun->errors, 0, graph.nodes.size());
    const std::string words = has_errors ? " " + error_words(*report.rerun->errors) : "";
    add(graph, reduced, "after reduction", words, report.after);
    add(report.finding.original.graph, {}, "before reduction", "", report.before);
    if (!report.pass_change) continue;
    PassChange& change = *report.pass_change;
    add(change.before, {}, "before " + change.pass, "", change.before_picture);
    add(change.after, {}, "after " + change.pass, "", change.after_picture);
  }
  std::vector<Picture> pictures = draw(drawings);
  for (std::size_t i = 0; i < pictures.size(); ++i) *places[i] = std::move(pictures[i]);
}

Json json_of(const FolderReport& report) {
  Json json = {{"folder", report.folder}, {"findings", Json::array()}, {"gone", Json::array()}};
  const auto row = [](const Finding& finding, Standing standing) {
    Json one = {{"id", finding.id},
                {"target", finding.target},
                {"verdict", name(finding.verdict)},
                {"signature", finding.signature},
                {"reason", finding.reason},
                {"grade", finding.grade ? std::string(name(*finding.grade)) : ""},
                {"confirmation", name(confirmation_of(finding.jury))}};
    if (standing != Standing::Unknown) one["standing"] = name(standing);
    return one;
  };
  for (const FindingReport& finding : report.findings) {
    json["findings"].push_back(row(finding.finding, finding.standing));
    if (finding.not_rerun.empty()) json["findings"].back()["now"] = name(finding.rerun->verdict);
  }
  for (const Finding& finding : report.gone) json["gone"].push_back(row(finding, Standing::Gone));
  json["broken"] = Json::array();
  for (const Error& error : report.broken) json["broken"].push_back(error.text());
  return json;
}

void print_text(const FolderReport& report) {
  const auto line = [](const Finding& finding, Standing standing) {
    const bool unconfirmed = confirmation_of(finding.jury) == Confirmation::Unconfirmed;
    fmt::print("{}{}{}  {}{}{}\n", name(standing), standing == Standing::Unknown ? "" : "  ", finding.id,
               unconfirmed ? "unconfirmed  " : "", finding.grade ? fmt::format("{}  ", name(*finding.grade)) : "",
               finding.signature);
  };
  for (const FindingReport& finding : report.findings) line(finding.finding, finding.standing);
  for (const Finding& finding : report.gone) line(finding, Standing::Gone);
  fmt::print("{}", counted(static_cast<int64_t>(report.findings.size()), "finding"));
  if (!report.since.empty()) {
    for (const Standing standing : {Standing::New, Standing::NewlyFlaky, Standing::Known}) {
      fmt::print(", {} {}", std::ranges::count(report.findings, standing, &FindingReport::standing), name(standing));
    }
    fmt::print(", {} gone", report.gone.size());
  }
  fmt::print("\n");
}

// The folder's findings with their standings: known ones last, and each as unlike those before it as can be.
Result<void> add_findings(const ReportFlags& flags, const std::vector<CampaignRecord>& records, FolderReport& report) {
  TRY(std::vector<Finding> findings, read_findings(flags.folder, report.broken));
  std::vector<Standing> standings(findings.size(), Standing::Unknown);
  if (!flags.since.empty()) {
    TRY(std::vector<Finding> before, read_findings(flags.since, report.broken));
    Comparison comparison = compare(before, findings);
    standings = std::move(comparison.now);
    for (const std::size_t i : comparison.gone) report.gone.push_back(std::move(before[i]));
  }
  std::vector<std::vector<DotMark>> marks(findings.size());
  std::vector<const Finding*> all;
  for (const Finding& finding : findings) all.push_back(&finding);
  std::vector<std::size_t> order = furthest_first(all);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all[i]->grade.value_or(Grade::Gross); });
  // Unconfirmed and known ones come last.
  std::ranges::stable_partition(
      order, [&](std::size_t i) { return confirmation_of(all[i]->jury) != Confirmation::Unconfirmed; });
  std::ranges::stable_partition(order, [&](std::size_t i) { return standings[i] != Standing::Known; });
  // Eager is asked only where targets outside of this process are too.
  std::unique_ptr<Target> eager;
  if (flags.rerun == "all") {
    if (auto opened = open_target("pytorch-eager", {})) eager = *std::move(opened);
  }
  for (const std::size_t i : order) {
    const std::string at = found_at(findings[i], records);
    FindingReport& entry = report.findings.emplace_back(
        report_of(std::move(findings[i]), flags, eager.get(), marks[report.findings.size()]));
    entry.standing = standings[i];
    entry.found_at = at;
  }
  set_anchors(report.findings);
  if (!flags.output.empty()) draw_all(report.findings, marks);
  return {};
}

Result<int> make_report(ReportFlags flags) {
  FolderReport report;
  report.folder = flags.folder;
  report.since = flags.since;
  report.made = today();
  report.version = PARALLAX_VERSION;
  if (flags.output.empty()) flags.rerun = "none";  // nothing of it would be shown
  std::vector<CampaignRecord> records;
  if (auto read = recorded_campaigns(flags.folder)) {
    records = *std::move(read);
  } else {
    report.broken.push_back(std::move(read).error());
  }
  TRY_VOID(add_findings(flags, records, report));
  if (!flags.output.empty()) {
    for (const CampaignRecord& record : records) report.campaigns.push_back(campaign_of(record));
    report.coverage = coverage_of(records);
    TRY_VOID(write_whole_file(flags.output, {campaign_page(report)}));
  }
  for (const Error& error : report.broken) report_error(error);
  if (flags.json) {
    fmt::print("{}\n", json_of(report).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_text(report);
  }
  if (!report.broken.empty()) return bad_input;
  const auto is_news = [](const FindingReport& finding) {
    return finding.standing == Standing::New || finding.standing == Standing::NewlyFlaky;
  };
  return std::ranges::any_of(report.findings, is_news) ? diverged : nothing_new;
}

}  // namespace

void add_report_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command = program.add_subcommand("report", "A findings folder as a page, and beside an earlier one.");
  command->footer(
      "The page is one file that needs no network. With --since the exit code is 1 where a finding is new or newly "
      "flaky.\n"
      "Findings that cannot be read are named and left out; the exit code is 2 then.\n"
      "\nExamples:\n"
      "  parallax report findings -o report.html\n"
      "  parallax report findings -o report.html --since last-night");
  command->add_option("findings", flags->folder, "A findings folder")->required()->check(existing_folder());
  command->add_option("-o,--output", flags->output, "Write the page to this file; else only a list is printed")
      ->check(writable_file());
  command->add_option("--since", flags->since, "An earlier findings folder: what is new, known, gone, newly flaky")
      ->check(existing_folder());
  command
      ->add_option("--rerun", flags->rerun,
                   "Which findings to run again for what their folders do not keep, as all elements: none, ours "
                   "(targets in this process), all")
      ->capture_default_str()
      ->check(member_of({"none", "ours", "all"}));
  command->add_flag("--json", flags->json, "The list as JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(make_report(*flags)); });
}

}  // namespace parallax
