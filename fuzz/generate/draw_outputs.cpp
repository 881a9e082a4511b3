#include "fuzz/generate/draw_outputs.h"

#include <array>
#include <cstdint>
#include <vector>

namespace parallax {

void draw_outputs(Choices& choices, int drop_unread, std::span<const Pool::Entry> entries, GraphBuilder& builder) {
  const Choices::Scope scope(choices, "outputs");
  std::vector<ValueId> outputs;
  outputs.reserve(builder.graph().metas.size());
  for (const Pool::Entry& entry : entries) {
    if (!entry.source && entry.readers == 0 && !choices.chance(drop_unread)) outputs.push_back(entry.value);
  }
  static constexpr std::array<uint32_t, 4> extra_weights = {50, 30, 14, 6};
  const std::size_t extras = choices.weighted(extra_weights);
  for (std::size_t i = 0; i < extras; ++i) {
    const ValueId extra = !outputs.empty() && choices.chance(25) ? choices.pick(outputs) : choices.pick(entries).value;
    const auto place = static_cast<std::ptrdiff_t>(choices.below(outputs.size() + 1));
    outputs.insert(outputs.end() - place, extra);
  }
  if (outputs.empty()) outputs.push_back(entries.back().value);
  for (ValueId output : outputs) builder.add_output(output);
}

}  // namespace parallax
