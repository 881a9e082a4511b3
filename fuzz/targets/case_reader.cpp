// The case reader: any bytes are refused with an error or are a case, which is then the same after it was written and
// read again.
#include <string_view>

#include "fuzz/findings/fuzzer_hash.h"
#include "fuzz/targets/shared/entry.h"
#include "graph/case.h"
#include "graph/case_json.h"
#include "graph/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace parallax;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Case> test = parse_case(text);
  if (!test) return 0;
  const std::string written = to_json(*test);
  const Result<Case> again = parse_case(written);
  if (!again) stop_with("case_reader | what is written is not read", written + "\n" + again.error().text());
  const std::string rewritten = to_json(*again);
  if (rewritten != written) stop_with("case_reader | what is read again is another case", written + "\n" + rewritten);
  if (print(*test) != print(*again)) stop_with("case_reader | what is read again prints otherwise", written);
  return 0;
}
