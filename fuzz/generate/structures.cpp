#include "fuzz/generate/structures.h"

#include <algorithm>
#include <array>

#include "ops/registry.h"

namespace parallax {
namespace {

bool names_nothing(const Argument& argument) {
  const auto* value = std::get_if<ValueId>(&argument);
  return value != nullptr && !value->valid();
}

}  // namespace

ValueId StructureSite::call(std::string_view name, std::vector<Argument> positional,
                            std::vector<std::pair<std::string, Argument>> named) {
  results_.clear();
  const Op* op = find_op(name);
  if (op == nullptr || std::ranges::any_of(positional, names_nothing)) return {};
  Result<std::vector<Argument>> arguments = bind_arguments(*op, std::move(positional), std::move(named));
  if (!arguments || !add_call_(*op, *std::move(arguments))) return {};
  results_ = builder_.graph().nodes.back().results;
  return result(0);
}

std::vector<ValueId> StructureSite::tensors(const std::function<bool(const Dims& sizes)>& fits) const {
  const Graph& graph = builder_.graph();
  std::vector<ValueId> fitting;
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    const bool is_newest = builder_.current(ValueId(v)) == ValueId(v);
    if (is_newest && graph.metas[v].dtype == dtype_ && fits(graph.metas[v].layout.sizes)) fitting.push_back(ValueId(v));
  }
  return fitting;
}

ValueId StructureSite::activations(const Dims& sizes) {
  const std::vector<ValueId> alike = tensors([&](const Dims& one) { return one == sizes; });
  return alike.empty() || choices_.chance(30) ? input(sizes) : choices_.pick(alike);
}

Dims StructureSite::small_sizes() {
  Dims sizes;
  for (int64_t rank = choices_.between(1, 3); rank > 0; --rank) sizes.push_back(choices_.between(1, 5));
  return sizes;
}

ValueId StructureSite::any_of_rank(int fewest, int most) {
  const auto fitting = tensors([&](const Dims& sizes) { return sizes.size() >= fewest && sizes.size() <= most; });
  return fitting.empty() ? ValueId() : choices_.pick(fitting);
}

void draw_structure(StructureKind kind, StructureSite& site) {
  if (kind == StructureKind::Quantized) return site.choices().pick(quantized_structures()).draw(site);
  if (kind == StructureKind::Dynamic) return site.choices().pick(dynamic_structures()).draw(site);
  if (kind == StructureKind::Numeric) return site.choices().pick(numeric_structures()).draw(site);
  static const std::array files = {attention_structures(), layer_structures(), routing_structures(), state_structures(),
                                   fusion_structures()};
  // The last has many kinds, most of them short.
  static constexpr std::array<uint32_t, files.size()> shares = {18, 18, 14, 18, 32};
  site.choices().pick(files[site.choices().weighted(shares)]).draw(site);
}

}  // namespace parallax
