#include "compiler/decomposition.h"

namespace parallax {

DecompositionTable::DecompositionTable(std::initializer_list<Rows> groups) {
  for (Rows rows : groups) {
    for (const Decomposition& row : rows) PARALLAX_CHECK(rows_.emplace(row.op, row).second);
  }
}

const Decomposition* DecompositionTable::find(std::string_view op) const {
  const auto found = rows_.find(op);
  return found == rows_.end() ? nullptr : &found->second;
}

DecompositionTable DecompositionTable::with(const Decomposition& row) const {
  DecompositionTable table = *this;
  table.rows_.at(row.op) = row;
  return table;
}

const DecompositionTable& write_decompositions() {
  static const DecompositionTable table({batch_norm_decompositions()});
  return table;
}

const DecompositionTable& decompositions() {
  static const DecompositionTable table(
      {activation_decompositions(), arithmetic_decompositions(), creation_decompositions(), division_decompositions(),
       normalization_decompositions(), product_decompositions(), reduction_decompositions(), synonym_decompositions(),
       attention_decompositions(), recurrence_decompositions()});
  return table;
}

bool is_decomposed(const Op& op) {
  return write_decompositions().find(op.name) != nullptr || decompositions().find(op.name) != nullptr;
}

Result<std::optional<std::vector<ValueId>>> composed(Rewriter& rewriter, const DecompositionTable& table, const Op& op,
                                                     const std::vector<Argument>& arguments, const std::string& stem) {
  const Decomposition* row = table.find(op.name);
  if (!row) return std::nullopt;
  TRY(std::vector<ResultMeta> results, op.infer(Call(op, arguments, rewriter.builder().graph().metas)));
  Composer composer(rewriter, table, op, arguments, std::move(results), stem);
  const Terms terms = row->parts(composer);
  if (!composer.failed() && terms.empty()) return std::nullopt;
  TRY(std::vector<ValueId> values, composer.finish(terms));
  return values;
}

}  // namespace parallax
