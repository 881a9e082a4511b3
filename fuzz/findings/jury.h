// Jury: others are asked whether a finding is one before it is reported.
//
// The oracle's proof stands on what we believe of PyTorch and on what we handed to the target. A juror looks at one of
// them without the other: a fresh process at what the target's earlier programs left behind, the script at our adapter,
// eager in f32 and in f64 at the oracle, another system and the control at both. What a juror says is kept with the
// finding (corpus/juror.h). One that is not installed or does not take the case is not asked, and decides nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/open_target.h"
#include "corpus/finding.h"

namespace parallax {

// How a script ended.
struct ScriptEnd {
  int exit_code = -1;  // -1: a signal, or it was waited for in vain
  bool traceback = false;
  std::string said;  // the last line that it wrote, or what ended it
};

struct JuryOptions {
  TargetOptions target_options = {};
  std::optional<Case> earlier = {};  // what the process ran before the finding's case, where that is known
  // Opens a target in a process of its own; null: open_in_fresh_process.
  std::function<Result<std::unique_ptr<Target>>(const std::string& name)> open = nullptr;
  // Other systems that may be asked; nothing: those that are installed.
  std::optional<std::vector<std::string>> others = {};
  // Runs a script with the Python of a target's environment; null: run_script.
  std::function<Result<ScriptEnd>(const std::string& target, const std::string& script)> run = nullptr;
};

// Asks every juror and keeps the answers, eager's errors and what must run before the case in the finding.
void put_to_jury(Finding& finding, const JuryOptions& options);

// Runs a script with the Python that a target's worker runs with.
Result<ScriptEnd> run_script(const std::string& target, const std::string& script);

// The same with the Python that these words start.
Result<ScriptEnd> run_python(std::vector<std::string> python, const std::string& script);

// Systems that are installed beside a target: not itself, not eager, not its control; those that get their models from
// our ONNX writer first where it is one.
std::vector<std::string> other_systems(const std::string& target);

}  // namespace parallax
