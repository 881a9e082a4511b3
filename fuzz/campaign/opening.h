// Opening: the targets of a campaign, started side by side, since each of them may take many seconds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fuzz/campaign/lane.h"

namespace parallax {

// What became of one target: an instance of it, or why there is none.
struct OpenedTarget {
  std::string name;
  Result<Instance> instance;
};

// Opens each target, as many at once as there are jobs and at least two. Gives them in the order of their names in
// `names`. `open` is called from several threads; `on_opening`, which may be null, is told one at a time which targets
// are being started.
std::vector<OpenedTarget> open_side_by_side(const std::vector<std::string>& names, int jobs,
                                            const std::function<Result<Instance>(const std::string& name)>& open,
                                            const std::function<void(const std::vector<std::string>& now)>& on_opening);

}  // namespace parallax
