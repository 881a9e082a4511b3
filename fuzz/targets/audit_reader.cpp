// What is judged of a .pte and of an .mlpackage. Scripts in adapters/ read those files and answer in JSON
// (docs/audits.md); any answer is refused with an error or judged.
#include <string_view>

#include "backends/audit.h"
#include "fuzz/findings/fuzzer_hash.h"
#include "fuzz/targets/shared/entry.h"
#include "fuzz/targets/shared/plan_document.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace parallax;
  const Result<Json> answer = parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!answer || !has_small_numbers(*answer)) return 0;
  const auto findings = audit_answer(Field(*answer, ""));
  if (!findings) return 0;
  for (const AuditFinding& finding : *findings) {
    if (finding.where.empty() && finding.what.empty()) stop_with("audit_reader | a finding without words", "");
  }
  return 0;
}
