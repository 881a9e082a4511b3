// Device share: how many cases a Vulkan device computed wholly, and what the others left to the portable kernels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "backends/delegate.h"
#include "backends/examine.h"

namespace parallax {

class DeviceShare {
 public:
  // Nothing for a target that is not "vulkan", or where there is no device.
  static std::optional<DeviceShare> of(const std::string& target);

  void add(const Case& test, const Examination& examination);
  // A line with the shares, and one for each op that was not always the device's, by group, with the reason.
  std::string text() const;

 private:
  explicit DeviceShare(const DelegateSet& delegates) : delegates_(&delegates) {}

  const DelegateSet* delegates_;
  int64_t wholly_ = 0, partly_ = 0, not_at_all_ = 0;
  int64_t views_ = 0;    // cases with nothing to compute
  int64_t not_run_ = 0;  // cases without values
  // By group, op and reason: the cases that have such a call.
  std::map<std::string, int64_t> left_;
};

}  // namespace parallax
