// Opens a target by the name a user gives: "portable", "xnnpack", "recorded", an installed system, "cmd:COMMAND LINE".
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/catalogue.h"
#include "backends/target.h"
#include "compiler/pass_selection.h"

namespace parallax {

struct TargetOptions {
  std::vector<std::string> faults;           // ids to plant in our own compiler ("F01")
  DetectorSet detect = {};                   // what may raise a finding beside the values
  PassSelection selection = {};              // of our own compiler's passes
  int threads = 1;                           // that run each case at once, an instance each
  std::function<bool()> given_up = nullptr;  // asked while a worker is waited for: true ends the wait

  // Whether our own compiler runs without a planted fault and with all of its passes.
  bool is_unaltered() const { return faults.empty() && selection.passes.empty() && selection.stop_after.empty(); }
};

// Our own targets take the selection of passes as options of their names too: "portable?passes=functionalize,simplify"
// and "portable?stop-after=simplify". One that calls a library runs in a worker process, but for "…?in-process=yes". An
// error names the target and what to do about it; the caller exits with 3 for it.
Result<std::unique_ptr<Target>> open_target(const std::string& name, const TargetOptions& options);

// The same where no earlier case has been: a target that runs in this process is opened in a worker of it.
Result<std::unique_ptr<Target>> open_in_fresh_process(const std::string& name, const TargetOptions& options);

// Whether what a target runs is a model that our own ONNX writer wrote.
bool goes_through_our_writer(const std::string& name);

// Where adapters/ and .targets/ lie: PARALLAX_ROOT says it, as the script sets it; else the working folder, or the
// folder above the program that has them.
std::filesystem::path root_folder();

// The systems that adapters/targets.json lists.
Result<Catalogue> open_catalogue();

// The target whose verdict on the same case is a finding's control (targets.json, "control"), its version and options
// kept where they are the same family's; empty where there is none.
std::string control_target(const std::string& name);
// The target in its newest release that is installed here, where the name gives an older version; else empty.
std::string newest_target(const std::string& name);

// Our own targets and `recorded`, each with one line for a person.
std::vector<std::pair<std::string_view, std::string_view>> own_targets();

// Whether it is made of our own compiler.
bool is_own_target(const std::string& name);

// Whether a target of that name runs inside this process: cheap enough for one instance a thread.
bool runs_in_process(const std::string& name);

}  // namespace parallax
