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

ValueId StructureSite::activations(const Dims& sizes) {
  const Graph& graph = builder_.graph();
  std::vector<ValueId> alike;
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    const ValueId newest = builder_.current(ValueId(v));
    if (newest == ValueId(v) && graph.metas[v].dtype == dtype_ && graph.metas[v].layout.sizes == sizes) {
      alike.push_back(newest);
    }
  }
  return alike.empty() || choices_.chance(30) ? input(sizes) : choices_.pick(alike);
}

std::optional<ValueId> StructureSite::any_of_rank(int fewest, int most) {
  const Graph& graph = builder_.graph();
  std::vector<ValueId> fitting;
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    const int rank = graph.metas[v].layout.rank();
    const bool is_newest = builder_.current(ValueId(v)) == ValueId(v);
    if (is_newest && graph.metas[v].dtype == dtype_ && rank >= fewest && rank <= most) fitting.push_back(ValueId(v));
  }
  if (fitting.empty()) return std::nullopt;
  return choices_.pick(fitting);
}

void draw_structure(StructureKind kind, StructureSite& site) {
  if (kind == StructureKind::Quantized) return site.choices().pick(quantized_structures()).draw(site);
  if (kind == StructureKind::Dynamic) return site.choices().pick(dynamic_structures()).draw(site);
  static const std::array files = {attention_structures(), layer_structures(), routing_structures(), state_structures(),
                                   fusion_structures()};
  site.choices().pick(site.choices().pick(files)).draw(site);
}

}  // namespace parallax
