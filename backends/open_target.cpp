#include "backends/open_target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "backends/contained_target.h"
#include "backends/external/protocol.h"
#include "backends/recorded_target.h"
#include "backends/runtime/compiled_options.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/xnnpack/backends.h"

namespace parallax {
namespace {

// Targets that are made of our own compiler: its CPU kernels alone, and with a backend beside them.
constexpr OwnBackend kernels_alone = {.name = "portable", .what = "our own compiler on its CPU kernels"};
const std::array own_backends = {&kernels_alone, &xnnpack::own_backend, &vulkan::own_backend};

const OwnBackend* find_own(std::string_view name) {
  const auto found = std::ranges::find(own_backends, name.substr(0, name.find('?')), &OwnBackend::name);
  return found == own_backends.end() ? nullptr : *found;
}

// A library or a driver might bring the process down.
bool is_contained(const OwnBackend& own) { return own.equip != nullptr; }

// What the options of a target's name say.
struct OwnOptions {
  CompiledTargetOptions target;
  std::vector<NamedOption> of_backend = {};
  bool in_process = false;  // even where it might bring the process down
};

Result<void> set_own_option(const OwnBackend& own, const NamedOption& given, OwnOptions& options) {
  const auto& [key, value] = given;
  if (std::ranges::find(own.options, key) != own.options.end()) {
    options.of_backend.push_back(given);
    return {};
  }
  if (key == "in-process" && is_contained(own)) {
    TRY(options.in_process, is_first(key, value, "yes", "no"));
    return {};
  }
  if (key != "leave" || is_contained(own)) {
    TRY(const bool known, set_compiled_option(key, value, options.target));
    if (known) return {};
  }
  std::string known(compiled_option_names);
  if (is_contained(own)) known.append(", ").append(delegating_option_names);
  for (std::string_view option : own.options) known.append(", ").append(option);
  return fail("no option '{}'; there are {}", key, known);
}

Result<OwnOptions> own_options(const OwnBackend& own, const TargetSpec& spec, const PassSelection& selection) {
  OwnOptions options = {.target = {.selection = selection}};
  for (const NamedOption& given : spec.options) {
    if (const auto set = set_own_option(own, given, options); !set) {
      return fail("target {}: {}", own.name, set.error().reason);
    }
  }
  return options;
}

bool is_root(const std::filesystem::path& folder) {
  std::error_code unreadable;
  return std::filesystem::exists(folder / "adapters" / "targets.json", unreadable);
}

// This program as a worker for that target.
std::vector<std::string> own_worker(const std::string& name, const TargetOptions& options) {
  std::error_code unknown;  // of a system without /proc; then the error is that of the command that does not start
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe", unknown).string(), "worker",
                                      name};
  for (const std::string& fault : options.faults) command.insert(command.end(), {"--plant", fault});
  command.insert(command.end(), {"--detect", detect_text(options.detect)});
  for (const std::string& pass : options.selection.passes) command.insert(command.end(), {"--passes", pass});
  if (!options.selection.stop_after.empty()) {
    command.insert(command.end(), {"--stop-after", options.selection.stop_after});
  }
  if (options.threads > 1) command.insert(command.end(), {"--threads", std::to_string(options.threads)});
  return command;
}

// The same target in a process of its own.
std::vector<std::string> worker_command(const std::string& name, const TargetOptions& options) {
  return own_worker(name + (name.contains('?') ? "&" : "?") + "in-process=yes", options);
}

ExternalOptions waiting_by(const TargetOptions& options) {
  ExternalOptions waiting;
  waiting.limits.given_up = options.given_up;
  waiting.threads = options.threads;
  return waiting;
}

Result<std::unique_ptr<Target>> open_own(const OwnBackend& own, const std::string& name, const TargetOptions& options) {
  TRY(const TargetSpec spec, parse_target_spec(name));
  TRY(OwnOptions asked, own_options(own, spec, options.selection));
  CompiledTargetOptions& compiled = asked.target;
  TRY(compiled.faults, FaultSet::of(options.faults));
  compiled.detect = options.detect;
  if (options.threads > 1 && is_contained(own))
    return fail("{} runs on one thread at a time; --threads is for portable and for installed systems", own.name);
  compiled.threads = options.threads;
  if (own.equip) TRY_VOID(own.equip(asked.of_backend, compiled));
  TRY(std::unique_ptr<Target> target, make_compiled_target(name, compiled));
  if (!is_contained(own) || asked.in_process) return target;
  auto contained = make_contained_target(std::move(target), worker_command(name, options), waiting_by(options));
  if (!contained) contained.error().kind = ErrorKind::NoTarget;
  return contained;
}

}  // namespace

std::filesystem::path root_folder() {
  if (const char* root = std::getenv("PARALLAX_ROOT")) return root;
  if (is_root(".")) return ".";
  std::error_code unknown;  // of a system without /proc
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  while (folder.has_relative_path() && !is_root(folder)) folder = folder.parent_path();
  return is_root(folder) ? folder : ".";
}

Result<Catalogue> open_catalogue() {
  auto catalogue = Catalogue::read(root_folder());
  if (!catalogue && std::getenv("PARALLAX_ROOT") == nullptr && !is_root(root_folder()))
    catalogue.error().reason += "; set PARALLAX_ROOT to the folder of Parallax that adapters/ lies in";
  return catalogue;
}

std::string control_target(const std::string& name) {
  if (const OwnBackend* own = find_own(name)) return is_contained(*own) ? "portable" : "";
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->control_of(name) : "";
}

std::string newest_target(const std::string& name) {
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->newest_of(name) : "";
}

std::vector<std::pair<std::string_view, std::string_view>> own_targets() {
  std::vector<std::pair<std::string_view, std::string_view>> targets;
  for (const OwnBackend* own : own_backends) targets.emplace_back(own->name, own->what);
  targets.emplace_back("recorded", "the case's own expectation: holds the oracle against what was recorded");
  return targets;
}

bool is_own_target(const std::string& name) { return find_own(name) != nullptr; }

bool runs_in_process(const std::string& name) {
  const OwnBackend* own = find_own(name);
  return name == "recorded" || (own && !is_contained(*own));
}

bool goes_through_our_writer(const std::string& name) {
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue && catalogue->goes_through_our_writer(name);
}

Result<std::unique_ptr<Target>> open_in_fresh_process(const std::string& name, const TargetOptions& options) {
  if (!runs_in_process(name) || name == "recorded") return open_target(name, options);
  TRY(std::unique_ptr<Target> inside, open_target(name, options));
  auto contained = make_contained_target(std::move(inside), own_worker(name, options), waiting_by(options));
  if (!contained) contained.error().kind = ErrorKind::NoTarget;
  return contained;
}

Result<std::unique_ptr<Target>> open_target(const std::string& name, const TargetOptions& options) {
  if (name == "recorded") return make_recorded_target();
  if (const OwnBackend* own = find_own(name)) return open_own(*own, name, options);
  if (!options.is_unaltered()) {
    return fail("--plant, --passes and --stop-after work in our own compiler; {} is not ours", name);
  }
  Result<std::unique_ptr<Target>> target = fail("");
  if (Result<Catalogue> catalogue = open_catalogue()) {
    target = catalogue->open(name, waiting_by(options));
  } else {
    target = std::unexpected(catalogue.error());
  }
  if (!target && !is_of_profile(target.error())) target.error().kind = ErrorKind::NoTarget;
  return target;
}

}  // namespace parallax
