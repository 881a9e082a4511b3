#include "backends/open_target.h"

#include <cstdlib>

#include "backends/portable/portable_target.h"
#include "backends/recorded_target.h"

namespace parallax {
namespace {

Result<PassSelection> selection_of(const TargetSpec& spec, PassSelection selection) {
  for (const auto& [key, value] : spec.options) {
    if (key == "passes") {
      selection.passes = split_names(value);
    } else if (key == "stop-after") {
      selection.stop_after = value;
    } else {
      return fail("target portable has no option '{}'; it has passes and stop-after", key);
    }
  }
  return selection;
}

Result<PortableOptions> portable_options(const TargetSpec& spec, const TargetOptions& options) {
  PortableOptions portable;
  TRY(portable.faults, FaultSet::of(options.faults));
  TRY(portable.selection, selection_of(spec, options.selection));
  const bool all = options.detect == "all";
  portable.detect.plan = all || options.detect == "plan";
  portable.detect.sanitizer = all || options.detect == "sanitizer";
  portable.detect.passes = all || options.detect == "passes";
  return portable;
}

bool is_portable(const std::string& name) { return name == "portable" || name.starts_with("portable?"); }

}  // namespace

std::filesystem::path root_folder() {
  const char* root = std::getenv("PARALLAX_ROOT");
  return root ? root : ".";
}

Result<Catalogue> open_catalogue() { return Catalogue::read(root_folder()); }

std::string control_target(const std::string& name) {
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->control_of(name) : "";
}

std::string newest_target(const std::string& name) {
  const Result<Catalogue> catalogue = open_catalogue();
  return catalogue ? catalogue->newest_of(name) : "";
}

bool runs_in_process(const std::string& name) { return is_portable(name) || name == "recorded"; }

Result<std::unique_ptr<Target>> open_target(const std::string& name, const TargetOptions& options) {
  if (name == "recorded") return make_recorded_target();
  if (is_portable(name)) {
    TRY(const TargetSpec spec, parse_target_spec(name));
    TRY(const PortableOptions portable, portable_options(spec, options));
    return make_portable_target(name, portable);
  }
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
