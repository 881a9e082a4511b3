#include "cli/redaction.h"

#include <fmt/format.h>

#include "backends/examine.h"
#include "cli/command.h"
#include "corpus/signature.h"

namespace parallax {
namespace {

void tell(const Redaction& redaction, const std::string& target) {
  const std::string where = target.empty() ? "not run anywhere: --target says where it must stay the same"
                                           : fmt::format("it shows the same on {}", target);
  print_note(fmt::format("redacted: {} of {} values are random ones now; {}", redaction.values - redaction.left,
                         redaction.values, where));
  if (redaction.left == 0) return;
  print_note(fmt::format("{} values of yours remain, in {}: without them it shows something else", redaction.left,
                         fmt::join(redaction.kept, ", ")));
}

}  // namespace

Result<Redaction> redact_on(const Case& test, const std::string& target, const TargetOptions& options) {
  if (!test.methods.empty()) return fail("--redact takes no case with several methods");
  Redaction redaction;
  if (target.empty()) {
    redaction = redact(test, [](const Case&) { return true; });
  } else {
    TRY(const std::unique_ptr<Target> opened, open_target(target, options));
    const auto shown = [&](const Case& candidate) {
      const Examination seen = examine(*opened, candidate);
      return failure_class(target, seen.judgement, seen.outcome, candidate.graph);
    };
    const std::string wanted = shown(test);
    redaction = redact(test, [&](const Case& candidate) { return shown(candidate) == wanted; });
  }
  tell(redaction, target);
  return redaction;
}

}  // namespace parallax
