// Rewriter: how a pass makes its new graph from an old one.
//
// It starts with the old graph's storages and sources and maps old values to new ones while the pass walks the nodes.
// Names of the old graph are kept for what stays, so that two printed graphs can be read side by side, and so is what
// was inferred of it: a call that is copied with operands like its old ones makes what it made.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.h"

namespace parallax {

using NamedArguments = std::vector<std::pair<std::string, Argument>>;

// Whether a rewriter takes the old graph's word for what its calls make, or infers every one of them.
enum class OldMetas : uint8_t { Trusted, InferredAnew };

class Rewriter {
 public:
  // `old` must outlive the rewriter.
  explicit Rewriter(const Graph& old, OldMetas metas = OldMetas::Trusted);

  const Graph& old() const { return *old_; }
  GraphBuilder& builder() { return builder_; }
  const TensorMeta& meta(ValueId now) const { return builder_.graph().meta(now); }

  // The new value of an old one; invalid if there is none yet.
  ValueId operator[](ValueId old) const { return mapped_[old.index]; }
  void map(ValueId old, ValueId now) { mapped_[old.index] = now; }
  // Maps an old value to one that this rewriter has made in another way; it is called as the old one in the end.
  void stand_in(ValueId old, ValueId now);

  // The node's arguments with each old value replaced by its new one.
  std::vector<Argument> mapped_arguments(const Node& node) const;
  // Adds the old node, its names kept and its arguments as given, and maps its results.
  Result<void> add(const Node& node, std::vector<Argument> arguments);
  Result<void> copy(const Node& node) { return add(node, mapped_arguments(node)); }

  // A name that neither graph uses: the stem itself if it is free, else the stem and a number.
  std::string fresh_name(std::string_view stem);

  // The new graph, with the new values of the old outputs as its outputs.
  Graph finish();

 private:
  bool know_results(const Node& node, std::span<const Argument> arguments);
  std::optional<ResultMeta> known_result(ValueId result) const;

  const Graph* old_;
  OldMetas metas_;
  GraphBuilder builder_;
  std::vector<ValueId> mapped_;
  std::vector<std::pair<ValueId, ValueId>> operands_;   // old and new, of the node that is added
  std::vector<ResultMeta> known_;                       // its results
  std::vector<std::pair<ValueId, ValueId>> stand_ins_;  // old and new
  NameSet reserved_;                                    // names of the old graph, once one is asked for
};

// The graph with its values numbered as a rewriter does, sources first, so that a rebuilt graph has the same numbers.
Result<Graph> renumbered(const Graph& graph, OldMetas metas = OldMetas::Trusted);

// Whether two calls of an op are the same: NaN is the same as itself, and the zeros differ.
bool same_arguments(std::span<const Argument> a, std::span<const Argument> b);
// Likewise, of values that are `alike` instead of the same.
bool same_arguments(std::span<const Argument> a, std::span<const Argument> b,
                    const std::function<bool(ValueId, ValueId)>& alike);
// Whether two graphs are the same in everything: names, calls, metadata, sources with their data, outputs.
bool same_graph(const Graph& a, const Graph& b);

}  // namespace parallax
