#include "cli/cell_case.h"

#include <fmt/format.h>

#include "graph/print.h"

namespace parallax {

std::optional<StreamCase> draw_single_op(const Op& op, DType dtype, uint64_t first) {
  for (uint64_t stream = first; stream < first + most_streams; ++stream) {
    if (auto test = SingleOpPool::of(dtype).draw_case(op, stream)) return StreamCase{stream, *std::move(test)};
  }
  return std::nullopt;
}

std::optional<CellCase> cell_case(const Op& op, DType dtype, uint64_t first, std::string said) {
  const auto drawn = draw_single_op(op, dtype, first);
  if (!drawn) return std::nullopt;
  std::string command = fmt::format("parallax gen --op {} --dtype {}", op.name, name(dtype));
  if (drawn->stream > 0) command += fmt::format(" --seed {}", drawn->stream);
  return CellCase{std::move(said), print(drawn->test), "", command + " > case.json"};
}

}  // namespace parallax
