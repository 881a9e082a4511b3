#include "backends/open_target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "backends/contained_target.h"
#include "backends/portable/portable_target.h"
#include "backends/recorded_target.h"
#include "backends/xnnpack/backends.h"

namespace parallax {
namespace {

// A target that is made of our own compiler.
struct OwnTarget {
  std::string_view name;
  const DelegateSet& (*delegates)();  // null: the kernels alone
};
constexpr std::array own_targets = {OwnTarget{"portable", nullptr}, OwnTarget{"xnnpack", xnnpack::delegates}};

const OwnTarget* find_own(std::string_view name) {
  const auto found = std::ranges::find(own_targets, name.substr(0, name.find('?')), &OwnTarget::name);
  return found == own_targets.end() ? nullptr : &*found;
}

// What the options of a target's name say.
struct OwnOptions {
  PassSelection selection;
  bool in_process = false;  // even where a library might bring the process down
};

Result<OwnOptions> own_options(const OwnTarget& own, const TargetSpec& spec, PassSelection selection) {
  OwnOptions options = {std::move(selection), false};
  for (const auto& [key, value] : spec.options) {
    if (key == "passes") {
      options.selection.passes = split_names(value);
    } else if (key == "stop-after") {
      options.selection.stop_after = value;
    } else if (key == "in-process" && own.delegates) {
      if (value != "yes" && value != "no") return fail("target {}: in-process is yes or no", own.name);
      options.in_process = value == "yes";
    } else {
      return fail("target {} has no option '{}'; it has passes{} stop-after", own.name, key,
                  own.delegates ? ", in-process and" : " and");
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
  PortableOptions portable;
  TRY(portable.faults, FaultSet::of(options.faults));
  portable.selection = std::move(asked.selection);
  const bool all = options.detect == "all";
  portable.detect.plan = all || options.detect == "plan";
  portable.detect.sanitizer = all || options.detect == "sanitizer";
  portable.detect.passes = all || options.detect == "passes";
  if (own.delegates) portable.delegates = &own.delegates();
  TRY(std::unique_ptr<Target> target, make_portable_target(name, portable));
  if (!own.delegates || asked.in_process) return target;
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
  if (const OwnTarget* own = find_own(name)) return own->delegates ? "portable" : "";
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->control_of(name) : "";
}

std::string newest_target(const std::string& name) {
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->newest_of(name) : "";
}

bool runs_in_process(const std::string& name) {
  const OwnTarget* own = find_own(name);
  return name == "recorded" || (own && !own->delegates);
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
