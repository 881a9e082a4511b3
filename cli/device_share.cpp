#include "cli/device_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backends/runtime/builds.h"
#include "backends/runtime/computing.h"
#include "backends/runtime/executor.h"
#include "backends/vulkan/device_kernel.h"
#include "backends/vulkan/device_options.h"
#include "backends/vulkan/vulkan_backend.h"
#include "core/grouped_digits.h"

namespace parallax {
namespace {

std::string_view group_name(OpGroup group) {
  constexpr std::array<std::string_view, op_group_count> names = {
      "view", "copy", "write", "pointwise", "comparison", "reduction", "join", "scatter", "fill"};
  return names[static_cast<std::size_t>(group)];
}

std::string row_of(const Op& op) {
  const bool known = vulkan::has_kernel(op);
  return fmt::format("{:10} {:44} {}", group_name(op.group), op.name,
                     known ? "not with these dtypes or arguments" : "no kernel on the device");
}

}  // namespace

std::optional<DeviceShare> DeviceShare::of(const std::string& target) {
  if (target.substr(0, target.find('?')) != "vulkan") return std::nullopt;
  const auto context = vulkan::Context::open(vulkan::default_device_options().context);
  if (!context) return std::nullopt;
  return DeviceShare(vulkan::delegates(**context));
}

void DeviceShare::add(const Case& test, const Examination& examination) {
  CompileOptions options = runtime::compile_options(runtime::plain_delegating_build, delegates_);
  options.evaluate = runtime::evaluate;
  const Result<Program> program = compile(test.graph, options);
  if (!program) {
    ++not_run_;
    return;
  }
  const auto makers = storage_makers(program->graph);
  int on_device = 0;
  std::set<std::string> left;
  for (const Partition& partition : program->partitions) {
    for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
      if (!computes(program->graph, makers, NodeId(n))) continue;
      if (partition.backend == 0) {
        ++on_device;
      } else {
        left.insert(row_of(*program->graph.nodes[n].op));
      }
    }
  }
  for (const std::string& row : left) ++left_[row];
  if (examination.outcome.status != Status::Ok) {
    ++not_run_;
  } else if (left.empty() && on_device == 0) {
    ++views_;
  } else if (left.empty() && examination.outcome.delegated == on_device) {
    ++wholly_;
  } else {
    ++(examination.outcome.delegated > 0 ? partly_ : not_at_all_);
  }
}

std::string DeviceShare::text() const {
  const int64_t computed = wholly_ + partly_ + not_at_all_;
  const double share = computed == 0 ? 0 : 100.0 * static_cast<double>(wholly_) / static_cast<double>(computed);
  std::string text = fmt::format(
      "  of {} with something to compute {} ran wholly on the device ({:.1f} %), {} in part, {} not at all; {} only "
      "look at what they are given, {} did not run\n",
      counted(computed, "case"), wholly_, share, partly_, not_at_all_, views_, not_run_);
  for (const auto& [row, cases] : left_) text += fmt::format("    {:5}  {}\n", cases, row);
  return text;
}

}  // namespace parallax
