// CellCase: the case of one call that a cell of a heat map opens, and the command that prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/generate/single_op.h"
#include "reports/cell_cases.h"

namespace parallax {

// The streams that are looked through for a call that fits.
inline constexpr uint64_t most_streams = 40;

// A case of a call, and the stream that it is drawn from.
struct StreamCase {
  uint64_t stream = 0;
  Case test;
};

// The first call of an op at a dtype that fits, from stream `first` on.
std::optional<StreamCase> draw_single_op(const Op& op, DType dtype, uint64_t first);

// The command that prints that call: "parallax gen --op aten.neg.default --dtype f32 --seed 3".
std::string gen_line(const Op& op, DType dtype, uint64_t stream);

// What a heat map says of it; nothing where no call fits.
std::optional<CellCase> cell_case(const Op& op, DType dtype, uint64_t first, std::string said);

}  // namespace parallax
