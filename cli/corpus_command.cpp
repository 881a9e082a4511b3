// parallax corpus: the cases that are kept, and which verdict each is expected to have on which target and version.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/examine.h"
#include "cli/command.h"
#include "cli/equal_reasons.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "corpus/corpus_index.h"
#include "corpus/processor.h"
#include "corpus/store.h"
#include "corpus/verdict_book.h"
#include "graph/case_json.h"
#include "graph/origin.h"
#include "graph/print.h"
#include "graph/whole_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct CorpusFlags {
  std::string corpus;
  std::string subject;  // a case file, a finding's folder, a case of the corpus, a text to look for
  std::string as;
  std::vector<std::string> targets;
  bool force = false;
  bool by_processor = false;
  bool json = false;
};

fs::path corpus_folder(const CorpusFlags& flags) {
  return flags.corpus.empty() ? root_folder() / "corpus" : fs::path(flags.corpus);
}
fs::path book_path(const CorpusFlags& flags) { return corpus_folder(flags) / "verdicts.jsonl"; }
fs::path case_path(const CorpusFlags& flags, const std::string& path) { return corpus_folder(flags) / "cases" / path; }

// What a target makes of a case now; with this processor where it is asked for, or where the case's verdicts have one.
RecordedVerdict record_of(const CorpusFlags& flags, const VerdictBook& book, const std::string& path, Target& target,
                          const Case& test) {
  const Judgement judgement = examine(target, test).judgement;
  RecordedVerdict entry{path, target.name(), target.versions(), judgement.verdict, judgement.reason, ""};
  if (flags.by_processor || book.depends_on_processor(entry)) entry.processor = processor_level();
  return entry;
}

// "thunder", or "litert-xnnpack (x86-64-v4)" where the verdict depends on the processor.
std::string place_name(const RecordedVerdict& entry) {
  return entry.processor.empty() ? entry.target : fmt::format("{} ({})", entry.target, entry.processor);
}

// A finding's reduced case with its origin said, or a case as it is.
Result<Case> case_of_subject(const std::string& path) {
  if (!fs::exists(fs::path(path) / "finding.json")) return read_one_case(path);
  TRY(Finding finding, load_finding(path));
  Json origin = {{"source", "fuzz"}, {"target", finding.target}, {"signature", finding.signature}};
  if (!finding.versions.empty()) origin["version"] = finding.versions.back().second;
  finding.reduced.origin = origin.dump();
  return std::move(finding.reduced);
}

// "found/x.json", from what a person types after --as.
Result<std::string> place_of(const std::string& as) {
  fs::path path = fs::path(as).lexically_normal();
  if (path.extension() != ".json") path += ".json";
  if (path.is_absolute() || as.empty() || *path.begin() == "..")
    return fail("--as {}: a path below the corpus's cases/", as);
  return path.string();
}

Result<int> add(const CorpusFlags& flags) {
  TRY(const std::string path, place_of(flags.as));
  TRY(Case test, case_of_subject(flags.subject));
  const fs::path file = case_path(flags, path);
  if (fs::exists(file) && !flags.force) return fail("{}: is there already; --force replaces it", file.string());
  test.name = fs::path(path).stem().string();
  TRY(VerdictBook book, VerdictBook::read(book_path(flags)));
  report_errors(book.broken());
  std::vector<std::string> targets = flags.targets;
  if (targets.empty()) {
    targets = {"portable"};
    if (const Origin origin = origin_of(test); !origin.target.empty()) targets.push_back(origin.target);
  }
  for (const std::string& name : targets) {
    auto target = open_target(name, {});
    if (!target && flags.targets.empty()) {  // what a report is about need not be a target of that name
      report_error(target.error());
      continue;
    }
    if (!target) return std::unexpected(target.error());
    const RecordedVerdict entry = record_of(flags, book, path, **target, test);
    fmt::print("{}  {}  {}\n", place_name(entry), parallax::name(entry.verdict), entry.reason);
    book.set(entry);
  }
  std::error_code code;
  fs::create_directories(file.parent_path(), code);
  if (code) return fail("{}: {}", file.parent_path().string(), code.message());
  TRY_VOID(write_whole_file(file, {to_json(test, 2), "\n"}));
  TRY_VOID(book.write(book_path(flags)));
  fmt::print("kept in {}\n", file.string());
  return nothing_new;
}

Result<int> list(const CorpusFlags& flags) {
  TRY(CorpusIndex index, CorpusIndex::open(corpus_folder(flags)));
  TRY(const std::vector<IndexedCase> cases, index.find(flags.subject));
  TRY(const VerdictBook book, VerdictBook::read(book_path(flags)));
  report_errors(book.broken());
  Json rows = Json::array();
  bool broken = !book.broken().empty();
  for (const IndexedCase& one : cases) {
    if (!one.error.empty()) {
      print_note(one.error);
      broken = true;
      continue;
    }
    Json verdicts = Json::array();
    std::string text;
    for (const RecordedVerdict* entry : book.of(one.path)) {
      verdicts.push_back({{"target", entry->target}, {"verdict", name(entry->verdict)}});
      if (!entry->processor.empty()) verdicts.back()["processor"] = entry->processor;
      text += fmt::format("  {} {}", place_name(*entry), name(entry->verdict));
    }
    if (flags.json) {
      rows.push_back(
          {{"case", one.path}, {"nodes", one.nodes}, {"ops", one.ops}, {"issue", one.issue}, {"verdicts", verdicts}});
    } else {
      fmt::print("{:56} {:>4} nodes{}\n", one.path, one.nodes, text);
    }
  }
  if (flags.json) fmt::print("{}\n", rows.dump(2));
  return broken ? bad_input : nothing_new;
}

Result<int> show(const CorpusFlags& flags) {
  TRY(const std::string path, place_of(flags.subject));
  TRY(const Case test, read_one_case(case_path(flags, path).string()));
  fmt::print("{}", parallax::print(test));
  const Origin origin = origin_of(test);
  for (const auto& [what, text] : {std::pair("source", &origin.source),
                                   {"issue", &origin.issue},
                                   {"target", &origin.target},
                                   {"version", &origin.version},
                                   {"signature", &origin.signature}}) {
    if (!text->empty()) fmt::print("{:10} {}\n", what, *text);
  }
  TRY(const VerdictBook book, VerdictBook::read(book_path(flags)));
  report_errors(book.broken());
  for (const RecordedVerdict* entry : book.of(path)) {
    std::string versions;
    for (const auto& [part, version] : entry->versions) versions += fmt::format(" {} {}", part, version);
    fmt::print("{:10} {} on {}{}\n", "recorded", name(entry->verdict), place_name(*entry), versions);
  }
  return nothing_new;
}

// What verify counts and prints.
struct Verification {
  std::array<int, 5> counts{};   // by VerdictChange
  int other_processors = 0;      // cases whose verdicts are of other processors alone
  bool record_is_wrong = false;  // at the very versions it was made with
  Json rows = Json::array();

  void add(const RecordedVerdict& was, const RecordedVerdict& now, bool json) {
    const VerdictChange change = change_of(was, now.verdict);
    ++counts[static_cast<std::size_t>(change)];
    const bool quiet = change == VerdictChange::Same || change == VerdictChange::StillThere;
    record_is_wrong |= !quiet && was.versions == now.versions;
    if (json) {
      rows.push_back({{"case", was.path},
                      {"target", was.target},
                      {"change", name(change)},
                      {"recorded", name(was.verdict)},
                      {"now", name(now.verdict)},
                      {"reason", now.reason}});
    } else if (!quiet) {
      fmt::print("{}: {} on {}: recorded {}, now {} {}\n", name(change), was.path, was.target, name(was.verdict),
                 name(now.verdict), now.reason);
    }
  }
  std::string text() const {
    std::string line;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (i > 0 && counts[i] == 0) continue;
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", counts[i], name(static_cast<VerdictChange>(i)));
    }
    if (other_processors > 0) line += fmt::format(", {} recorded on other processors only", other_processors);
    return line;
  }
};

// The targets of the book's entries, or those of them that are asked for.
Result<std::vector<std::string>> targets_of(const VerdictBook& book, const CorpusFlags& flags) {
  std::vector<std::string> targets;
  for (const RecordedVerdict& entry : book.entries()) {
    if (std::ranges::find(targets, entry.target) == targets.end()) targets.push_back(entry.target);
  }
  if (flags.targets.empty()) return targets;
  for (const std::string& asked : flags.targets) {
    if (std::ranges::find(targets, asked) == targets.end())
      return fail("--target {}: no verdict of it is recorded", asked);
  }
  return flags.targets;
}

Result<int> verify(const CorpusFlags& flags) {
  TRY(CorpusIndex index, CorpusIndex::open(corpus_folder(flags)));
  TRY(const std::vector<IndexedCase> cases, index.find(""));
  TRY(const VerdictBook book, VerdictBook::read(book_path(flags)));
  report_errors(book.broken());
  TRY(const std::vector<std::string> targets, targets_of(book, flags));
  bool broken = !book.broken().empty();
  bool missing = false;
  Verification seen;
  for (const IndexedCase& one : cases) {
    if (one.error.empty()) continue;
    print_note(one.error);
    broken = true;
  }
  for (const std::string& name : targets) {
    auto target = open_target(name, {});
    if (!target) {
      print_note(fmt::format("not run: {}", target.error().text()));
      missing = true;
      continue;
    }
    for (const IndexedCase& one : cases) {
      const RecordedVerdict now{one.path, name, (*target)->versions(), {}, "", std::string(processor_level())};
      const RecordedVerdict* entry = book.expected(now);
      if (!entry && book.depends_on_processor(now)) ++seen.other_processors;
      if (!entry || !one.error.empty()) continue;
      TRY(const Case test, read_one_case(case_path(flags, one.path).string()));
      seen.add(*entry, record_of(flags, book, one.path, **target, test), flags.json);
    }
  }
  if (flags.json) {
    fmt::print("{}\n", seen.rows.dump(2));
  } else {
    fmt::print("{}\n", seen.text());
  }
  if (broken) return bad_input;
  if (missing && !flags.targets.empty()) return could_not_run;
  const bool news = seen.counts[static_cast<std::size_t>(VerdictChange::New)] > 0;
  return news || seen.record_is_wrong ? diverged : nothing_new;
}

// What the cases do now becomes what is recorded.
Result<int> record(const CorpusFlags& flags) {
  TRY(CorpusIndex index, CorpusIndex::open(corpus_folder(flags)));
  TRY(const std::vector<IndexedCase> cases, index.find(flags.subject));
  TRY(VerdictBook book, VerdictBook::read(book_path(flags)));
  report_errors(book.broken());
  for (const std::string& name : flags.targets) {
    TRY(std::unique_ptr<Target> target, open_target(name, {}));
    for (const IndexedCase& one : cases) {
      if (!one.error.empty()) continue;
      TRY(const Case test, read_one_case(case_path(flags, one.path).string()));
      const RecordedVerdict entry = record_of(flags, book, one.path, *target, test);
      fmt::print("{:56} {}  {}\n", one.path, place_name(entry), parallax::name(entry.verdict));
      book.set(entry);
    }
  }
  TRY_VOID(book.write(book_path(flags)));
  return nothing_new;
}

CLI::App* add_part(CLI::App& corpus, const std::shared_ptr<CorpusFlags>& flags, int& exit_code, const char* name,
                   const char* what, Result<int> (*run)(const CorpusFlags& flags)) {
  CLI::App* command = corpus.add_subcommand(name, what);
  command->add_option("--corpus", flags->corpus, "The corpus's folder (default: the one of this project)")
      ->check(existing_folder());
  command->callback([flags, run, &exit_code] { exit_code = code_of(run(*flags)); });
  return command;
}

}  // namespace

void add_corpus_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<CorpusFlags>();
  CLI::App* corpus =
      program.add_subcommand("corpus", "The cases that are kept, and the verdicts that are expected of them.");
  corpus->require_subcommand(1);
  corpus->footer(
      "A corpus is a folder: cases/ with a file a case, verdicts.jsonl with what each was judged on which target and "
      "version,\n"
      "and index.db, which is made anew from the files.\n"
      "\nExamples:\n"
      "  parallax corpus add findings/7KQ2 --as found/thunder-sin-in-place\n"
      "  parallax corpus list unfold\n"
      "  parallax corpus record seeds/s2 --target thunder\n"
      "  parallax corpus verify --target portable");
  CLI::App* adding =
      add_part(*corpus, flags, exit_code, "add", "Keep a case, or a finding's reduced one, with its verdicts.", add);
  adding->add_option("case", flags->subject, "A case file, or a finding's folder")
      ->required()
      ->transform(existing_path());
  adding->add_option("--as", flags->as, "Where, below cases/: regressions/NAME")->required();
  adding
      ->add_option("--target", flags->targets,
                   "Whose verdicts to record (default: portable, and where it was found); repeatable")
      ->type_name("TARGET");
  adding->footer("Examples:\n  parallax corpus add findings/7KQ2 --as found/thunder-sin-in-place");
  adding->add_flag("--force", flags->force, "Replace a case that is there");
  CLI::App* listing =
      add_part(*corpus, flags, exit_code, "list", "The cases, with the verdicts that are recorded.", list);
  listing->add_option("text", flags->subject, "Only cases whose path, name, ops, target or issue holds this");
  listing->footer("Examples:\n  parallax corpus list\n  parallax corpus list unfold --json");
  listing->add_flag("--json", flags->json, "As JSON on standard output");
  CLI::App* showing = add_part(*corpus, flags, exit_code, "show", "One case: graph, feed, origin, verdicts.", show);
  showing->add_option("case", flags->subject, "Its path below cases/")->required();
  showing->footer("Examples:\n  parallax corpus show seeds/s1-numeric-clone");
  CLI::App* recording = add_part(*corpus, flags, exit_code, "record",
                                 "Record what cases do now, in the place of what is recorded.", record);
  recording->add_option("text", flags->subject, "Only cases whose path, name, ops, target or issue holds this");
  recording->add_option("--target", flags->targets, "On which targets; repeatable")->type_name("TARGET")->required();
  recording->add_flag("--by-processor", flags->by_processor,
                      "Say that these verdicts depend on the processor, and keep those of other processors");
  recording->footer(
      "A case whose verdict on a target is recorded by processor stays so.\n"
      "\nExamples:\n"
      "  parallax corpus record seeds/s2 --target thunder\n"
      "  parallax corpus record found/litert-xnnpack-sigmoid --target litert-xnnpack --by-processor");
  CLI::App* verifying =
      add_part(*corpus, flags, exit_code, "verify", "Does each case still have the verdict that is recorded?", verify);
  verifying->footer(
      "What diverged and does not any more is 'fixed', what diverges and did not is 'new'. Targets that are not "
      "installed are\n"
      "named and left out; cases that are recorded on other processors only are counted. Exit code 1: something is\n"
      "new, or a verdict does not hold at the same versions it was recorded with.\n"
      "\nExamples:\n"
      "  parallax corpus verify\n"
      "  parallax corpus verify --target portable --json");
  verifying->add_option("--target", flags->targets, "Only on these; 3 if one cannot be run; repeatable")
      ->type_name("TARGET");
  verifying->add_flag("--json", flags->json, "As JSON on standard output");
}

}  // namespace parallax
