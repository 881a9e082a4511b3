// Strong ids: an index that cannot be mistaken for another table's.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace parallax {

template <class Tag>
struct Id {
  uint32_t index = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<uint32_t>(i)) {}
  constexpr bool valid() const { return index != UINT32_MAX; }
  constexpr auto operator<=>(const Id&) const = default;
};

using ValueId = Id<struct ValueTag>;      // an SSA name of a graph
using StorageId = Id<struct StorageTag>;  // the bytes that a value is a view of
using NodeId = Id<struct NodeTag>;        // a node of a graph, in execution order

}  // namespace parallax

template <class Tag>
struct std::hash<parallax::Id<Tag>> {
  std::size_t operator()(parallax::Id<Tag> id) const { return id.index; }
};
