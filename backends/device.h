// Device: a processor beside the host that runs partitions step by step, where the plan says.
//
// A delegate sees tensors and nothing of the plan (backends/delegate.h). A device works in the plan's own memory, which
// the host sees too: what the plan gets wrong goes wrong there as well, and what the device does not take may run on
// the host between two of its partitions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/portable/elements.h"
#include "compiler/program.h"

namespace parallax {

// A partition as one load of a program has it run.
class DevicePartition {
 public:
  virtual ~DevicePartition() = default;
  // Runs all of its nodes; `tensors` goes by value. An error is what the data makes an op raise, or what the device
  // fails with.
  virtual Result<void> run(std::span<const portable::TensorRef> tensors) = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  // Memory that the host and the device see alike, for as long as somebody holds it.
  virtual Result<std::shared_ptr<std::byte[]>> allocate(int64_t bytes) = 0;

  // Prepares a partition of a program, which must outlive what is made. `inner` says by value what never leaves the
  // group that makes it.
  virtual Result<std::unique_ptr<DevicePartition>> prepare(const Program& program, const Partition& partition,
                                                           const std::vector<bool>& inner) = 0;

  // What layers between the program and the device said of it since the last call.
  virtual std::vector<std::string> take_complaints() { return {}; }
};

// The device that runs the partitions of one of a compilation's backends.
struct DeviceOfBackend {
  std::shared_ptr<Device> device;
  std::size_t backend = 0;

  bool runs(const Partition& partition) const { return device && partition.backend == backend; }
};

}  // namespace parallax
