// Pool: the tensor objects that the next node may read or write, the most recently made or written ones last.
#pragma once

#include <span>
#include <vector>

#include "graph/builder.h"

namespace parallax {

// What a tensor that is fed to a node may have at most: joins and expansions would let tensors grow without end.
struct OperandLimits {
  int64_t elements = 32;
  int rank = 4;

  bool admit(const TensorMeta& meta) const { return meta.layout.rank() <= rank && meta.layout.numel() <= elements; }
};

class Pool {
 public:
  Pool() = default;
  explicit Pool(const OperandLimits& limits) : limits_(limits) {}

  struct Entry {
    ValueId value;  // the newest metadata of the object
    bool writable = false;
    bool source = false;
    bool gapped = false;   // made by a node with holes in between: a view of some elements
    bool operand = false;  // small enough to be fed to a node
    int readers = 0;       // nodes that read it since it was made or written
  };

  // Makes room for that many values.
  void reserve(std::size_t values);

  // Takes a source's value in.
  void add_source(ValueId value, const TensorMeta& meta, bool read_only);
  // Takes a node's operands and results into account: operands are read, results are new objects or newer metadata of
  // old ones.
  void add_node(const Graph& graph, const Node& node);

  // Candidates for one node's operands: a few recent objects, the unread and the gapped ones counted several times, and
  // an older one; every object where `wide`. Objects that are too large to grow further are left out. Valid until the
  // next call.
  std::span<const Candidate> draw_candidates(Choices& choices, bool wide);

  std::span<const Entry> entries() const { return entries_; }
  const OperandLimits& limits() const { return limits_; }

 private:
  void add_result(const Graph& graph, ValueId result);
  Entry* find(const Graph& graph, ValueId value);

  OperandLimits limits_;
  std::vector<Entry> entries_;
  std::vector<bool> read_only_;  // by storage; those of nodes are not
  std::vector<Candidate> candidates_;
};

}  // namespace parallax
