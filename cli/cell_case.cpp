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

std::string gen_line(const Op& op, DType dtype, uint64_t stream) {
  const std::string line = fmt::format("parallax gen --op {} --dtype {}", op.name, name(dtype));
  return stream > 0 ? fmt::format("{} --seed {}", line, stream) : line;
}

std::optional<CellCase> cell_case(const Op& op, DType dtype, uint64_t first, std::string said) {
  const auto drawn = draw_single_op(op, dtype, first);
  if (!drawn) return std::nullopt;
  return CellCase{std::move(said), print(drawn->test), "", gen_line(op, dtype, drawn->stream) + " > case.json"};
}

}  // namespace parallax
