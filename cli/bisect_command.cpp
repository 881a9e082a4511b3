// parallax bisect: in which version of a system a divergence came, and in which it went.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backends/examine.h"
#include "cli/command.h"
#include "cli/installer.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "fuzz/findings/bisect.h"

namespace parallax {
namespace {

struct BisectFlags {
  std::string path;
  std::string target;
  std::string versions;
  bool json = false;
};

// One version's verdict, or why there is none.
struct Judged {
  VersionState standing = VersionState::Untestable;
  std::string what;
};

// The target of that name in a version, options kept: NAME?key=value becomes NAME@VERSION?key=value.
std::string at_version(const std::string& target, const std::string& version) {
  const std::size_t options = target.find('?');
  const std::string name = target.substr(0, options);
  return name + "@" + version + (options == std::string::npos ? "" : target.substr(options));
}

Judged judge_version(const BisectFlags& flags, const std::string& version, const Case& test) {
  const std::string name = at_version(flags.target, version);
  const std::string installable = name.substr(0, name.find('?'));
  if (const Result<int> installed = install_targets({installable}, true); !installed || *installed != 0) {
    return {VersionState::Untestable, "does not install"};
  }
  const Result<std::unique_ptr<Target>> target = open_target(name, {});
  if (!target) return {VersionState::Untestable, target.error().text()};
  const Judgement judgement = examine(**target, test).judgement;
  std::string what(parallax::name(judgement.verdict));
  if (!judgement.reason.empty()) what += " · " + judgement.reason;
  if (is_finding(judgement.verdict)) return {VersionState::Bad, what};
  const bool good = judgement.verdict == Verdict::Match || judgement.verdict == Verdict::Rejected;
  return {good ? VersionState::Good : VersionState::Untestable, what};
}

Result<int> bisect_versions(const BisectFlags& flags) {
  const std::size_t dots = flags.versions.find("..");
  if (dots == std::string::npos) return fail("--versions {}: a range is written A..B", flags.versions);
  TRY(const Case test, read_one_case(flags.path));
  TRY(const TargetSpec spec, parse_target_spec(flags.target));
  if (!spec.version.empty()) return fail("--target {}: the versions are given by --versions", flags.target);
  TRY(const std::vector<std::string> versions,
      released_versions(spec.name, flags.versions.substr(0, dots), flags.versions.substr(dots + 2)));
  if (versions.empty()) return fail("no released version of {} lies in {}", spec.name, flags.versions);
  auto rows = nlohmann::ordered_json::array();
  const Bisection found = bisect(versions.size(), [&](std::size_t i) {
    fmt::print(stderr, "{} {} … ", spec.name, versions[i]);
    std::fflush(stderr);
    const Judged judged = judge_version(flags, versions[i], test);
    fmt::print(stderr, "{}\n", judged.what);
    rows.push_back({{"version", versions[i]}, {"verdict", judged.what}, {"bad", judged.standing == VersionState::Bad}});
    return judged.standing;
  });
  const auto version = [&](const std::optional<std::size_t>& i) {
    return i ? nlohmann::ordered_json(versions[*i]) : nlohmann::ordered_json();
  };
  const auto last = std::ranges::find_if(found.standings.rbegin(), found.standings.rend(), [](const auto& standing) {
    return standing && *standing != VersionState::Untestable;
  });
  if (last == found.standings.rend()) {
    return std::unexpected(
        Error{ErrorKind::NoTarget, "", "", fmt::format("no version of {} judged the case", spec.name)});
  }
  const bool still_there = **last == VersionState::Bad;
  if (flags.json) {
    const nlohmann::ordered_json result = {{"first_bad", version(found.first_bad)},
                                           {"first_fixed", version(found.first_fixed)},
                                           {"still_there", still_there},
                                           {"judged", rows}};
    fmt::print("{}\n", result.dump(2));
  } else {
    const auto told = [&](const std::optional<std::size_t>& i) { return i ? versions[*i] : "none in this range"; };
    fmt::print("first bad version: {}\nfirst fixed version: {}\n{} in {}\n", told(found.first_bad),
               told(found.first_fixed), still_there ? "still there" : "not there",
               versions[static_cast<std::size_t>(found.standings.rend() - last) - 1]);
  }
  return still_there ? diverged : nothing_new;
}

}  // namespace

void add_bisect_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<BisectFlags>();
  CLI::App* command = program.add_subcommand(
      "bisect", "In which version of a system a case began to diverge, and in which it stopped.");
  command->footer(
      "Installs the versions it looks at, side by side. Exit code 1 where the newest one judged still diverges.\n"
      "\nExamples:\n  parallax bisect case.json --target onnxruntime --versions 1.17.0..1.22.0");
  command->add_option("case", flags->path, "A case file")->required()->transform(existing_file());
  command->add_option("--target", flags->target, "The system, without a version")->type_name("TARGET")->required();
  command->add_option("--versions", flags->versions, "A..B, both included")->required();
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(bisect_versions(*flags)); });
}

}  // namespace parallax
