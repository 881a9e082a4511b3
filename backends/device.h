// Device: a processor beside the host that runs partitions step by step, where the plan says.
//
// A delegate sees tensors and nothing of the plan (backends/delegate.h). A device works in the plan's own memory, which
// the host sees too: what the plan gets wrong goes wrong there as well, and what the device does not take may run on
// the host between two of its partitions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/portable/elements.h"
#include "compiler/device_rules.h"
#include "compiler/program.h"
#include "oracle/detector.h"

namespace parallax {

// A partition as one load of a program has it run.
class DevicePartition {
 public:
  virtual ~DevicePartition() = default;
  // Runs all of its nodes; `tensors` goes by value. An error is what the data makes an op raise, or what the device
  // fails with.
  virtual Result<void> run(std::span<const portable::TensorRef> tensors) = 0;
  // How many nodes that compute something the last run had the device do.
  virtual int nodes_done() const = 0;
};

// How one load of a program is to be run.
struct DeviceTask {
  DeviceRules rules;
  uint64_t seed = 0;  // draws what the device's options leave open
};

// Something wrong that the values need not show.
struct Complaint {
  Detector detector;
  std::string text;
};

class Device {
 public:
  virtual ~Device() = default;

  // Memory that the host and the device see alike, for as long as somebody holds it.
  virtual Result<std::shared_ptr<std::byte[]>> allocate(int64_t bytes) = 0;

  // Prepares a partition of a program, which must outlive what is made. `inner` says by value what never leaves the
  // group that makes it.
  virtual Result<std::unique_ptr<DevicePartition>> prepare(const Program& program, const Partition& partition,
                                                           const std::vector<bool>& inner, const DeviceTask& task) = 0;

  void complain(Complaint complaint) { complaints_.push_back(std::move(complaint)); }
  // All complaints since the last call, those of layers between the program and the device among them.
  virtual std::vector<Complaint> take_complaints() { return std::exchange(complaints_, {}); }

 private:
  std::vector<Complaint> complaints_;
};

// The device that runs the partitions of one of a compilation's backends.
struct DeviceOfBackend {
  std::shared_ptr<Device> device;
  std::size_t backend = 0;
  DeviceTask task = {};

  bool runs(const Partition& partition) const { return device && partition.backend == backend; }
};

}  // namespace parallax
