// Embedding bags, row by row.
#include <algorithm>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

double reduced(const Perturbed& p, const PlainCall& call, const PlainTensor& rows, const PlainTensor& scales) {
  if (rows.empty()) return 0;
  if (call.integer(arg::mode) == 2) {
    double most = rows[0];
    for (const double x : rows) most = p.maximum(most, x);
    return most;
  }
  const double sum = scales.empty() ? p.sum(rows) : p.dot(rows, scales);
  return call.integer(arg::mode) == 1 ? p.div(p.kept(sum), static_cast<double>(rows.size())) : sum;
}

void bags(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  const auto width = static_cast<std::size_t>(call.sizes(arg::weight)[1]);
  const PlainTensor& indices = call.elements(arg::indices);
  PlainTensor bounds = call.elements(arg::offsets);
  if (!call.boolean(arg::include_last_offset)) bounds.push_back(static_cast<double>(indices.size()));
  double padding = call.has(arg::padding_idx) ? static_cast<double>(call.integer(arg::padding_idx)) : -1;
  if (padding < 0 && call.has(arg::padding_idx) && call.op().schema.overload == "padding_idx") {
    padding += static_cast<double>(call.sizes(arg::weight)[0]);
  }
  for (std::size_t bag = 0; bag + 1 < bounds.size(); ++bag) {
    for (std::size_t column = 0; column < width; ++column) {
      PlainTensor rows;
      PlainTensor scales;
      for (auto i = static_cast<std::size_t>(bounds[bag]); i < static_cast<std::size_t>(bounds[bag + 1]); ++i) {
        if (indices[i] == padding) continue;
        rows.push_back(call.elements(arg::weight)[static_cast<std::size_t>(indices[i]) * width + column]);
        if (call.has(arg::per_sample_weights)) scales.push_back(call.elements(arg::per_sample_weights)[i]);
      }
      results[0][bag * width + column] = reduced(p, call, rows, scales);
    }
  }
}

PlainOp bag(std::string_view name) { return {.family = "bag", .name = name, .function = bags, .carries_halves = true}; }

}  // namespace

std::vector<PlainOp> plain_bag_ops() {
  return {bag("aten.embedding_bag.padding_idx"), bag("aten.embedding_bag.default"), bag("aten._embedding_bag.default"),
          bag("aten._embedding_bag_forward_only.default")};
}

}  // namespace parallax
