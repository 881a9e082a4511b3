#include "cli/redaction.h"

#include <fmt/format.h>

#include <cstdio>

#include "backends/examine.h"
#include "corpus/signature.h"

namespace parallax {
namespace {

void tell(const Redaction& redaction, const std::string& target) {
  const std::string where = target.empty() ? "not run anywhere: --target says where it must stay the same"
                                           : fmt::format("it shows the same on {}", target);
  fmt::print(stderr, "redacted: {} of {} values are random ones now; {}\n", redaction.values - redaction.left,
             redaction.values, where);
  if (redaction.left == 0) return;
  fmt::print(stderr, "{} values of yours remain, in {}: without them it shows something else\n", redaction.left,
             fmt::join(redaction.kept, ", "));
}

}  // namespace

Result<Redaction> redact_on(const Case& test, const std::string& target, const TargetOptions& options) {
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
