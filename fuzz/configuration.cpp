#include "fuzz/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/faults.h"

namespace parallax {

std::string least_configuration(const std::string& target, const TargetOptions& options,
                                const std::function<bool(Target& with_less)>& diverges) {
  const bool ours = target == "portable" && options.selection.passes.empty() && options.selection.stop_after.empty();
  const Result<FaultSet> faults = FaultSet::of(options.faults);
  if (!ours || !faults) return "";
  // A fault may move a pass to the front: it runs where the fault puts it.
  std::vector<std::string> kept;
  for (const Pass& pass : faults->parts().passes) kept.emplace_back(pass.name);
  for (std::size_t i = kept.size(); i-- > 0 && kept.size() > 1;) {
    TargetOptions with_less = options;
    with_less.selection.passes = kept;
    with_less.selection.passes.erase(with_less.selection.passes.begin() + static_cast<std::ptrdiff_t>(i));
    const auto opened = open_target(target, with_less);
    if (opened && diverges(**opened)) kept = with_less.selection.passes;
  }
  return fmt::format("{} {}", kept.size() == 1 ? "pass" : "passes", fmt::join(kept, ", "));
}

}  // namespace parallax
