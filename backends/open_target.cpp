#include "backends/open_target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "backends/contained_target.h"
#include "backends/option_number.h"
#include "backends/portable/portable_target.h"
#include "backends/recorded_target.h"
#include "backends/vulkan/device_options.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/xnnpack/backends.h"
#include "compiler/decomposition.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// A target that is made of our own compiler.
struct OwnTarget {
  std::string_view name;
  std::string_view what;
  // Lets another backend run what it takes, as the target's options say; null: the kernels alone.
  Result<void> (*equip)(const vulkan::DeviceOptions& device, PortableOptions& portable);
  std::span<const std::string_view> device_options = {};

  // A library or a driver might bring the process down.
  bool is_contained() const { return equip != nullptr; }
};

Result<void> equip_with_xnnpack(const vulkan::DeviceOptions&, PortableOptions& portable) {
  portable.delegates = &xnnpack::delegates();
  return {};
}

Result<void> equip_with_vulkan(const vulkan::DeviceOptions& options, PortableOptions& portable) {
  TRY(const std::shared_ptr<vulkan::VulkanDevice> device, vulkan::VulkanDevice::open(options));
  portable.delegates = &vulkan::delegates(device->context());
  portable.alignment = static_cast<int64_t>(device->context().limits().offset_alignment);
  portable.redzone = portable.alignment;
  portable.device = device;
  return {};
}

constexpr std::array our_own = {
    OwnTarget{"portable", "our own compiler on its CPU kernels", nullptr},
    OwnTarget{"xnnpack", "the same, with what Debian's XNNPACK computes delegated to it", equip_with_xnnpack},
    OwnTarget{"vulkan", "the same, with what a Vulkan device has kernels for run there", equip_with_vulkan,
              vulkan::device_option_names}};

const OwnTarget* find_own(std::string_view name) {
  const auto found = std::ranges::find(our_own, name.substr(0, name.find('?')), &OwnTarget::name);
  return found == our_own.end() ? nullptr : &*found;
}

// What the options of a target's name say.
struct OwnOptions {
  PortableOptions portable;
  bool in_process = false;  // even where it might bring the process down
  vulkan::DeviceOptions device = vulkan::default_device_options();
};

// Ops that no delegate is to take. One that is made of others would not come to a delegate as itself.
Result<std::vector<const Op*>> ops_named(const std::string& list) {
  std::vector<const Op*> ops;
  for (const std::string& name : split_names(list)) {
    const Op* op = find_op(name);
    if (!op) return fail("leave names '{}', which is no op; `parallax ops` lists them", name);
    if (is_decomposed(*op)) return fail("leave names '{}', which is made of other ops: name those", name);
    ops.push_back(op);
  }
  return ops;
}

// One of two words.
Result<bool> is_first(const std::string& key, const std::string& value, std::string_view first,
                      std::string_view second) {
  if (value != first && value != second) return fail("{} is {} or {}", key, first, second);
  return value == first;
}

Result<void> set_own_option(const OwnTarget& own, const std::string& key, const std::string& value,
                            OwnOptions& options) {
  if (key == "passes") {
    options.portable.selection.passes = split_names(value);
  } else if (key == "stop-after") {
    options.portable.selection.stop_after = value;
  } else if (key == "order") {
    TRY(options.portable.draws_order, is_first(key, value, "random", "kept"));
  } else if (key == "memory") {
    TRY(const bool zeros, is_first(key, value, "zeros", "poison"));
    options.portable.memory = zeros ? portable::zeros_for_both : portable::FreshMemory();
  } else if (key == "arena-limit") {
    TRY(options.portable.arena_limit, positive_number(key, value));
  } else if (key == "leave" && own.is_contained()) {
    TRY(options.portable.left, ops_named(value));
  } else if (key == "in-process" && own.is_contained()) {
    TRY(options.in_process, is_first(key, value, "yes", "no"));
  } else if (std::ranges::find(own.device_options, key) != own.device_options.end()) {
    return vulkan::set_device_option(key, value, options.device);
  } else {
    std::string known = "passes, stop-after, order, memory, arena-limit";
    if (own.is_contained()) known += ", leave, in-process";
    for (std::string_view option : own.device_options) known.append(", ").append(option);
    return fail("no option '{}'; there are {}", key, known);
  }
  return {};
}

Result<OwnOptions> own_options(const OwnTarget& own, const TargetSpec& spec, const PassSelection& selection) {
  OwnOptions options = {.portable = {.selection = selection}};
  for (const auto& [key, value] : spec.options) {
    if (const auto set = set_own_option(own, key, value, options); !set) {
      return fail("target {}: {}", own.name, set.error().reason);
    }
  }
  return options;
}

// The same target in a process of its own.
std::vector<std::string> worker_command(const std::string& name, const TargetOptions& options) {
  std::error_code unknown;  // of a system without /proc; then the error is that of the command that does not start
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe", unknown).string(), "worker",
                                      name + (name.contains('?') ? "&" : "?") + "in-process=yes"};
  for (const std::string& fault : options.faults) command.insert(command.end(), {"--plant", fault});
  command.insert(command.end(), {"--detect", options.detect});
  for (const std::string& pass : options.selection.passes) command.insert(command.end(), {"--passes", pass});
  if (!options.selection.stop_after.empty()) {
    command.insert(command.end(), {"--stop-after", options.selection.stop_after});
  }
  return command;
}

Result<std::unique_ptr<Target>> open_own(const OwnTarget& own, const std::string& name, const TargetOptions& options) {
  TRY(const TargetSpec spec, parse_target_spec(name));
  TRY(OwnOptions asked, own_options(own, spec, options.selection));
  PortableOptions& portable = asked.portable;
  TRY(portable.faults, FaultSet::of(options.faults));
  const bool all = options.detect == "all";
  portable.detect.plan = all || options.detect == "plan";
  portable.detect.sanitizer = all || options.detect == "sanitizer";
  portable.detect.passes = all || options.detect == "passes";
  if (own.equip) TRY_VOID(own.equip(asked.device, portable));
  TRY(std::unique_ptr<Target> target, make_portable_target(name, portable));
  if (!own.is_contained() || asked.in_process) return target;
  auto contained = make_contained_target(std::move(target), worker_command(name, options));
  if (!contained) contained.error().kind = ErrorKind::NoTarget;
  return contained;
}

}  // namespace

std::filesystem::path root_folder() {
  const char* root = std::getenv("PARALLAX_ROOT");
  return root ? root : ".";
}

Result<Catalogue> open_catalogue() { return Catalogue::read(root_folder()); }

std::string control_target(const std::string& name) {
  if (const OwnTarget* own = find_own(name)) return own->is_contained() ? "portable" : "";
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->control_of(name) : "";
}

std::string newest_target(const std::string& name) {
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->newest_of(name) : "";
}

std::vector<std::pair<std::string_view, std::string_view>> own_targets() {
  std::vector<std::pair<std::string_view, std::string_view>> targets;
  for (const OwnTarget& own : our_own) targets.emplace_back(own.name, own.what);
  targets.emplace_back("recorded", "the case's own expectation: holds the oracle against what was recorded");
  return targets;
}

bool runs_in_process(const std::string& name) {
  const OwnTarget* own = find_own(name);
  return name == "recorded" || (own && !own->is_contained());
}

Result<std::unique_ptr<Target>> open_target(const std::string& name, const TargetOptions& options) {
  if (name == "recorded") return make_recorded_target();
  if (const OwnTarget* own = find_own(name)) return open_own(*own, name, options);
  if (!options.is_unaltered()) {
    return fail("--plant, --passes and --stop-after work in our own compiler; {} is not ours", name);
  }
  Result<std::unique_ptr<Target>> target = fail("");
  if (Result<Catalogue> catalogue = open_catalogue()) {
    target = catalogue->open(name);
  } else {
    target = std::unexpected(catalogue.error());
  }
  if (!target) target.error().kind = ErrorKind::NoTarget;
  return target;
}

}  // namespace parallax
