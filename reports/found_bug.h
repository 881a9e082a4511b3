// FoundBug: a bug of a released system that Parallax found, as one file bugs/NAME.md tells it: front matter, then text
// for people. Which fields there are is told in docs/adding-a-bug.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_text.h"
#include "corpus/grade.h"
#include "corpus/version_history.h"
#include "oracle/judge.h"

namespace parallax {

// A thread of the system's own tracker, with what is worth knowing of it: "open", "fixes the like of it".
struct UpstreamThread {
  std::string url;
  std::string remark;  // may be empty

  // "owner/repository#12" for GitHub's, else the URL.
  std::string label() const;
};

struct FoundBug {
  std::string name;  // the stem of its file
  std::string title;
  std::string system;
  std::string version;                     // the one it was found in
  std::string fixed_in;                    // "1.22.0", "after 2025.3.0"; empty where no fixed release is known
  std::optional<VersionHistory> releases;  // what others make of the case, where that was tried
  Verdict verdict = Verdict::Match;        // one that is a finding
  std::string differs_in;                  // of a mismatch that is not of values: "sizes", "dtypes"
  std::string executed;                    // what of it ran: "the conversion alone"; empty for the whole
  Grade grade = Grade::Gross;              // corpus/grade.h
  bool silent = false;                     // wrong results and no error
  std::vector<std::string> aliasing;       // "views", "in-place", "state", "shared-memory": what it takes to show it
  bool counted = true;
  std::string same_cause_as;           // name of the counted bug that has the cause of this one
  int64_t calls = 0;                   // of the case
  std::string found_how;               // "campaign", "by hand", "conformance"
  std::string found_by;                // a command line, may be empty
  std::optional<int64_t> found_after;  // seconds from the start of the campaign
  std::string found_note;
  std::vector<UpstreamThread> upstream;
  std::string searched;   // whether the tracker was searched: "yes", "no", "unknown"
  std::string case_file;  // these three from the root of the repository
  std::string control;
  std::string script;
  std::vector<std::string> packages;  // that the script needs: "torch==2.13.0"
  std::string text;

  bool is_about_aliasing() const { return !aliasing.empty(); }
  // The oldest release that has it: "1.20.1", "1.17.0 or before"; empty where none but its own was tried.
  std::string since() const;
  // "mismatch of sizes, silent".
  std::string verdict_text() const;
};

// Reads one file's text. The error's pointer is the line where there is one; its reason names the field.
Result<FoundBug> parse_bug(std::string_view name, std::string_view text);

// All that the front matter says, for programs.
Json bug_json(const FoundBug& bug);

// A system's name as part of a file's name: "onnx (reference evaluator)" is "onnx-reference-evaluator".
std::string system_slug(std::string_view system);

}  // namespace parallax
