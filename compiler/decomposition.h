// Decompositions: which ops are made of others, one table row each.
//
// Rows are grouped in files of compiler/decompositions/. A new one is a row there: the op and a formula (composer.h).
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "compiler/composer.h"
#include "compiler/passes.h"

namespace parallax {

struct Decomposition {
  std::string_view op;
  // The results, in order; none where this call is not one that the formula is for.
  Terms (*parts)(Composer& composer);
};

// Rows by op.
class DecompositionTable {
 public:
  using Rows = std::span<const Decomposition>;
  explicit DecompositionTable(std::initializer_list<Rows> groups);

  // Null where the op is not made of others.
  const Decomposition* find(std::string_view op) const;
  // The table with a row in another row's place.
  DecompositionTable with(const Decomposition& row) const;

 private:
  std::unordered_map<std::string_view, Decomposition> rows_;
};

// The files of compiler/decompositions/.
DecompositionTable::Rows activation_decompositions();
DecompositionTable::Rows arithmetic_decompositions();
DecompositionTable::Rows batch_norm_decompositions();
DecompositionTable::Rows creation_decompositions();
DecompositionTable::Rows division_decompositions();
DecompositionTable::Rows normalization_decompositions();
DecompositionTable::Rows product_decompositions();
DecompositionTable::Rows reduction_decompositions();
DecompositionTable::Rows synonym_decompositions();
DecompositionTable::Rows attention_decompositions();
DecompositionTable::Rows recurrence_decompositions();

// What writes several tensors, which functionalize cannot take apart: these are made into single writes before it.
const DecompositionTable& write_decompositions();
// All others, which run after it.
const DecompositionTable& decompositions();

// Whether one of the passes takes the op apart.
bool is_decomposed(const Op& op);

// Adds the parts of an op to the new graph: the values that stand for its results, or nothing where the table has no
// row that takes this call. `arguments` are values of the new graph.
Result<std::optional<std::vector<ValueId>>> composed(Rewriter& rewriter, const DecompositionTable& table, const Op& op,
                                                     const std::vector<Argument>& arguments, const std::string& stem);

// Every op of the table replaced by its parts, but for calls that a backend keeps (passes/decompose.cpp).
Result<Graph> decompose_with(const Graph& graph, const DecompositionTable& table, KeepFn keeps = nullptr);

}  // namespace parallax
