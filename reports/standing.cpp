#include "reports/standing.h"

namespace parallax {

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::New:
      return "new";
    case Standing::Known:
      return "known";
    case Standing::NewlyFlaky:
      return "newly flaky";
    case Standing::Gone:
      return "gone";
    case Standing::Unknown:
      break;
  }
  return "";
}

}  // namespace parallax
