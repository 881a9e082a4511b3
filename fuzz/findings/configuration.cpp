#include "fuzz/findings/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/faults.h"

namespace parallax {
namespace {

// Whether a target of that name takes a selection of passes, and has none in its name.
bool takes_passes(std::string_view target) {
  const std::string_view family = target.substr(0, target.find('?'));
  return (family == "portable" || family == "xnnpack") && !target.contains("passes=") &&
         !target.contains("stop-after=");
}

}  // namespace

std::string least_configuration(const std::string& target, const TargetOptions& options,
                                const std::vector<Diagnosis>& diagnoses,
                                const std::function<bool(Target& with_less)>& diverges) {
  const Result<FaultSet> faults = FaultSet::of(options.faults);
  const bool all = options.selection.passes.empty() && options.selection.stop_after.empty();
  if (!all || !faults || !takes_passes(target)) return "";
  const auto diverges_with = [&](std::vector<std::string> passes) {
    TargetOptions with_less = options;
    with_less.selection.passes = std::move(passes);
    const auto opened = open_target(target, with_less);
    return opened && diverges(**opened);
  };
  // A fault may move a pass to the front: it runs where the fault puts it.
  std::vector<std::string> kept;
  for (const Pass& pass : faults->parts().passes) kept.emplace_back(pass.name);
  for (std::size_t i = kept.size(); i-- > 0 && kept.size() > 1;) {
    std::vector<std::string> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (diverges_with(fewer)) kept = std::move(fewer);
  }
  // No selection has no pass. What one pass shows and another one too needs neither.
  const std::string& last = kept.back();
  const std::string_view instead = faults->parts().passes[last == faults->parts().passes[0].name ? 1 : 0].name;
  std::string text = kept.size() > 1                         ? fmt::format("passes {}", fmt::join(kept, ", "))
                     : diverges_with({std::string(instead)}) ? "any one pass"
                                                             : "pass " + last;
  const auto ladder = std::ranges::find(diagnoses, Detector::Builds, &Diagnosis::detector);
  if (ladder != diagnoses.end()) text += ", then the " + ladder->blame;
  return text;
}

}  // namespace parallax
