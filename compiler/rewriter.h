// Rewriter: how a pass makes its new graph from an old one.
//
// It starts with the old graph's storages and sources and maps old values to new ones while the pass walks the nodes.
// Names of the old graph are kept for what stays, so that two printed graphs can be read side by side.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "graph/builder.h"

namespace parallax {

using NamedArguments = std::vector<std::pair<std::string, Argument>>;

class Rewriter {
 public:
  // `old` must outlive the rewriter.
  explicit Rewriter(const Graph& old);

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
  const Graph* old_;
  GraphBuilder builder_;
  std::vector<ValueId> mapped_;
  std::vector<std::pair<ValueId, ValueId>> stand_ins_;  // old and new
  std::unordered_set<std::string_view> reserved_;       // names of the old graph, once one is asked for
};

// The graph with its values numbered as a rewriter does, sources first, so that a rebuilt graph has the same numbers.
Result<Graph> renumbered(const Graph& graph);

// Whether two calls of an op are the same: NaN is the same as itself, and the zeros differ.
bool same_arguments(std::span<const Argument> a, std::span<const Argument> b);
// Whether two graphs are the same in everything: names, calls, metadata, sources with their data, outputs.
bool same_graph(const Graph& a, const Graph& b);

}  // namespace parallax
