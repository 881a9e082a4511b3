// FindingStore: a folder of findings. One finding is FINDINGS/<ID>/ with
//   case.json         what was found
//   reduced.json      what is left of it
//   earlier.json      what must run before that in the same process, where it takes that
//   finding.json      target, verdict, signature, planted faults, seed, versions
//   explanation.txt   why, for a person
//   sighting.json     elements, standard error and stages as they were when it was found
//   versions.json     which releases show it, where `parallax bisect` told
//   environment.txt   what the system's own collector of versions prints, where it was run
//   repro.py          the reduced case as a script for the target (export/emit_reproducer.h, fuzz/findings/onnx_script.h)
//   artifact/         what the target compiled the reduced case to (a .pte, its inputs …), where it gives that
// A finding appears whole or not at all: it is written into a temporary folder that is renamed.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corpus/finding.h"
#include "export/python_script.h"

namespace parallax {

class FindingStore {
 public:
  // Makes the folder if it is not there, checks that it can be written and reads the signatures it knows. An entry that
  // cannot be read is left alone.
  static Result<FindingStore> open(const std::filesystem::path& folder);

  // The id under which a signature is known, or null.
  const std::string* find(std::string_view signature) const;

  // Gives the finding an id and writes it; returns its folder. A signature that is known already is not written again.
  Result<std::filesystem::path> add(Finding& finding);

  // Writes what is known of a stored finding anew, its releases and its environment included; its cases stay.
  Result<void> update(const Finding& finding);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit FindingStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::string choose_id(std::string_view signature) const;

  std::filesystem::path folder_;
  std::unordered_map<std::string, std::string> ids_;  // by signature
  int next_temporary_ = 0;
};

// "  reproduce: parallax check …" for the files of a finding's folder, with a line break.
std::string reproduce_line(const Finding& finding, const std::filesystem::path& home);

// Keeps in a finding's folder which releases show it, and what the system's collector of versions printed.
Result<void> store_releases(const std::filesystem::path& folder, const VersionHistory& releases);
Result<void> store_environment(const std::filesystem::path& folder, std::string_view environment);

// What a script that shows the finding is made with.
ScriptOptions script_options(const Finding& finding);

// Reads one finding's folder, cases and explanation included.
Result<Finding> load_finding(const std::filesystem::path& folder);
// Every finding of a findings folder in the order of their ids, or per entry why it cannot be read.
Result<std::vector<Result<Finding>>> load_findings(const std::filesystem::path& folder);

}  // namespace parallax
