// Device rules: what a device goes by while it writes a partition down. What a fault of a device replaces.
#pragma once

#include <cstdint>

#include "core/layout.h"

namespace parallax {

// What a dispatch does to bytes that one before it has accessed.
enum class Hazard : uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };

// Whether a dispatch waits for those before it: where there is a hazard, the number-th of its partition.
using BarrierRule = bool (*)(Hazard hazard, int number);
constexpr bool wait_always(Hazard, int) { return true; }

// So many elements are read along the innermost of the dims that a reduction reduces.
constexpr int64_t each_element(int64_t size) { return size; }

// How a kernel steps through a tensor.
inline Layout own_layout(const Layout& layout) { return layout; }

struct DeviceRules {
  BarrierRule waits = wait_always;
  int64_t (*lanes)(int64_t size) = each_element;
  Layout (*steps)(const Layout& layout) = own_layout;
  // A dispatch of more workgroups than the device takes becomes several.
  bool splits_dispatches = true;

  friend bool operator==(const DeviceRules&, const DeviceRules&) = default;
};

}  // namespace parallax
