// Catalogue: the external targets that adapters/targets.json lists, what is installed of them, and how to start one.
//
// A target is named NAME, NAME@VERSION, NAME?key=value&… or cmd:COMMAND LINE. An installed version lies in
// .targets/FAMILY-VERSION (adapters/install.py makes it), so that versions stand side by side.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/external/external_target.h"

namespace parallax {

class Field;

// A target as the user names it, taken apart.
struct TargetSpec {
  std::string name;     // "executorch-xnnpack", "cmd"
  std::string version;  // empty: the pinned one
  std::vector<std::pair<std::string, std::string>> options;
  std::string command;  // of "cmd:COMMAND LINE"
};

// Takes "NAME@VERSION?key=value&key=value" or "cmd:COMMAND LINE" apart. Does not look NAME up.
Result<TargetSpec> parse_target_spec(std::string_view text);

// The words that a command is to begin with where the options say heap=checked: glibc then looks at each block of memory
// that is freed, and ends the process where something was written past it. Empty otherwise.
std::vector<std::string> heap_checks(const TargetSpec& spec);

// The words of a command line: blanks part them, '…' and "…" hold them together, \ takes the next character as it is.
// There is no shell; who wants one writes `sh -c "…"`.
Result<std::vector<std::string>> split_command(std::string_view line);

// One external target and one version of it, for `parallax targets`.
struct TargetEntry {
  std::string name;
  std::string what;     // one line for a person
  std::string family;   // the environment it runs in
  std::string version;  // of the family
  bool installed = false;
  std::string why_not;  // where it is not installed: so, and what to do
};

class Catalogue {
 public:
  // Reads `root`/adapters/targets.json; environments lie in `root`/.targets.
  static Result<Catalogue> read(const std::filesystem::path& root);

  // Every target, with each installed version, or with the pinned one where none is.
  std::vector<TargetEntry> list() const;
  // The names of the targets that can be started, one of each family before the second of any. The name alone stands
  // for the pinned version; where that is not installed, the name has the first version that is.
  std::vector<std::string> installed_targets() const;
  bool has(std::string_view name) const;
  // The command that starts the worker of a target.
  Result<std::vector<std::string>> command(const TargetSpec& spec) const;
  // The command of a tool, a script that answers once and is no worker, in the environment that it needs.
  Result<std::vector<std::string>> tool(std::string_view name, const std::vector<std::string>& arguments) const;
  // The same target in the pinned version, which is the newest release that is known here; empty where the name gives
  // no other version, or that one is not installed.
  std::string newest_of(std::string_view spec) const;
  // Whether its adapter hands it models of our own ONNX writer.
  bool goes_through_our_writer(std::string_view spec) const;
  // What targets.json says to compare a target with, as a target's name; empty where it says nothing.
  std::string control_of(std::string_view spec) const;
  // Starts it. The error is one line that says what is missing and how to get it.
  Result<std::unique_ptr<Target>> open(std::string_view spec, const ExternalOptions& options = {}) const;

 private:
  struct Family {
    std::string name;
    std::string version;  // the pinned one
  };
  struct Known {
    std::string name;
    std::string adapter;                // a module of adapters/: "torch.eager"
    std::vector<std::string> families;  // that it runs in, the first one is installed for it
    std::string what;
    std::string declined;  // the file of adapters/declined/ that says what it declines, without .json
    std::string control;   // a target or, from "?", options of the same; may be empty
    std::string needs;     // a program that has to be there beside its environment; may be empty
  };

  static Result<Catalogue> parse(std::string_view text);
  Result<std::vector<Known>> read_section(const Field& document, std::string_view section) const;
  const Known* find(std::string_view name) const;
  // The words that run a module of adapters/ (adapters/__main__.py), whatever the working folder.
  std::vector<std::string> start(const std::string& python, const std::string& adapter) const;
  // The Python of the first of its families that is installed, in that version or the pinned one; empty if none is.
  std::string python_of(const Known& known, const std::string& version) const;
  const std::string& pinned(const std::string& family) const;
  std::vector<std::string> installed_versions(const std::string& family) const;
  std::filesystem::path python(const std::string& family, const std::string& version) const;

  std::filesystem::path root_;
  std::vector<Family> families_;
  std::vector<Known> known_;
  std::vector<Known> tools_;
};

}  // namespace parallax
