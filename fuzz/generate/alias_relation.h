// Alias relations: which ways of sharing memory a graph holds. A closed list that campaigns count by.
#pragma once

#include <array>
#include <bitset>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace parallax {

enum class AliasRelation : uint8_t {
  ViewOfInput,
  ViewOfConstant,
  ViewOfBuffer,
  ViewOfIntermediate,
  ViewOfView,
  ViewOfCopyOfView,
  GappedView,    // a view that does not fill one block: a step, one column, a diagonal
  ExpandedView,  // elements are repeated
  ListOfViews,   // one node gives several views: split, unbind
  UnusedListResult,
  MetadataWrite,  // t_, squeeze_: the object's own sizes change
  WriteToInput,
  WriteToBuffer,
  WriteToIntermediate,
  WriteThroughView,
  WriteThroughGappedView,
  WriteThenReadAlias,  // another object on the storage is read after the write
  ReadWriteRead,       // a storage is read, written and read again
  StateReadWriteRead,  // likewise, a buffer's
  UnusedWriteResult,
  ElidableCopy,        // a copy of the same dtype and shape
  CopyWithTwoReaders,  // both the copy and its source are read after the copy
  WriteAfterCopy,      // the copy or its source is written after the copy
  FanOutIntoWrite,     // a value with another reader is written in place later
  OperandUsedTwice,
  OperandsAlias,  // two different operands of one node share a storage
  ReturnedView,   // an output is a view of an intermediate's storage
  ReturnedInput,
  ReturnedInputView,
  ReturnedConstant,
  ReturnedBuffer,
  ReturnedAndConsumed,  // an output that a node reads
  ReturnedElidableCopy,
  SameOutputTwice,
  OutputsShareStorage,  // two different outputs
  SharedInputStorage,
  SharedBufferStorage,
  StridedSource,
  UnusedSource,
  UnusedResult,  // a result that nobody reads or returns, of a node that writes nothing
};
inline constexpr std::size_t alias_relation_count = 40;

// "view-of-input" and so on.
std::string_view name(AliasRelation relation);

using AliasRelations = std::bitset<alias_relation_count>;

// The relations that occur in a graph.
AliasRelations alias_relations(const Graph& graph);

struct RelationsOfNodes {
  AliasRelations all;                   // of the graph
  std::vector<AliasRelations> by_node;  // what each brings about; what outputs, sources or missing readers make: none
};
RelationsOfNodes alias_relations_by_node(const Graph& graph);

// Whether a node's one result is a copy that a compiler may elide: a fresh storage, the operand's dtype and sizes.
bool is_elidable_copy(const Graph& graph, const Node& node);

}  // namespace parallax
