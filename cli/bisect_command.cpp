// parallax bisect: in which version of a system a divergence came, and in which it went.
#include <fmt/format.h>

#include <filesystem>

#include "backends/examine.h"
#include "cli/command.h"
#include "cli/installer.h"
#include "cli/one_case.h"
#include "cli/option_checks.h"
#include "cli/target_options.h"
#include "corpus/known.h"
#include "corpus/store.h"
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

Judged judge_version(const std::string& target, const std::string& version, const Case& test) {
  const std::string name = at_version(target, version);
  const std::string installable = name.substr(0, name.find('?'));
  if (const Result<int> installed = install_targets({installable}, true); !installed || *installed != 0) {
    return {VersionState::Untestable, "does not install"};
  }
  const Result<std::unique_ptr<Target>> opened = open_target(name, {});
  if (!opened) return {VersionState::Untestable, opened.error().text()};
  const Judgement judgement = examine(**opened, test).judgement;
  std::string what(parallax::name(judgement.verdict));
  if (!judgement.reason.empty()) what += " · " + judgement.reason;
  if (is_finding(judgement.verdict)) return {VersionState::Bad, what};
  const bool good = judgement.verdict == Verdict::Match || judgement.verdict == Verdict::Rejected;
  return {good ? VersionState::Good : VersionState::Untestable, what};
}

// What is looked at: a case file, or a finding's folder, which names its target and keeps what is found out.
struct Bisected {
  Case test;
  std::string target;
  std::optional<std::filesystem::path> folder;
};

Result<Bisected> read_bisected(const BisectFlags& flags) {
  const std::filesystem::path path = flags.path;
  if (std::filesystem::exists(path / "finding.json")) {
    TRY(Finding finding, load_finding(path));
    // The finding's own version is one of those that are tried.
    std::string target = flags.target.empty() ? without_version(finding.target) : flags.target;
    return Bisected{std::move(finding.reduced), std::move(target), path};
  }
  if (flags.target.empty()) return fail("--target is wanted: a case file does not say where it diverges");
  TRY(Case test, read_one_case(flags.path));
  return Bisected{std::move(test), flags.target, std::nullopt};
}

Result<int> bisect_versions(const BisectFlags& flags) {
  const std::size_t dots = flags.versions.find("..");
  if (dots == std::string::npos) return fail("--versions {}: a range is written A..B", flags.versions);
  TRY(const Bisected bisected, read_bisected(flags));
  TRY(const TargetSpec spec, parse_target_spec(bisected.target));
  if (!spec.version.empty()) return fail("--target {}: the versions are given by --versions", bisected.target);
  TRY(const std::vector<std::string> versions,
      released_versions(spec.name, flags.versions.substr(0, dots), flags.versions.substr(dots + 2)));
  if (versions.empty()) return fail("no released version of {} lies in {}", spec.name, flags.versions);
  VersionHistory history;
  history.system = spec.name;
  const Bisection found = bisect(versions.size(), [&](std::size_t i) {
    fmt::print(stderr, "{} {} … ", spec.name, versions[i]);
    std::fflush(stderr);
    const Judged judged = judge_version(bisected.target, versions[i], bisected.test);
    fmt::print(stderr, "{}\n", judged.what);
    history.judged.push_back({versions[i], judged.what, judged.standing == VersionState::Bad});
    return judged.standing;
  });
  const auto last = std::ranges::find_if(found.standings.rbegin(), found.standings.rend(), [](const auto& standing) {
    return standing && *standing != VersionState::Untestable;
  });
  if (last == found.standings.rend()) {
    return std::unexpected(
        Error{ErrorKind::NoTarget, "", "", fmt::format("no version of {} judged the case", spec.name)});
  }
  history.still_there = **last == VersionState::Bad;
  if (found.first_bad) history.first_bad = versions[*found.first_bad];
  if (found.first_fixed) history.first_fixed = versions[*found.first_fixed];
  if (bisected.folder) TRY_VOID(store_releases(*bisected.folder, history));
  if (flags.json) {
    fmt::print("{}", version_history_json(history));
  } else {
    const auto told = [](const std::string& version) { return version.empty() ? "none in this range" : version; };
    fmt::print("first bad version: {}\nfirst fixed version: {}\n{} in {}\n", told(history.first_bad),
               told(history.first_fixed), history.still_there ? "still there" : "not there",
               versions[static_cast<std::size_t>(found.standings.rend() - last) - 1]);
  }
  return history.still_there ? diverged : nothing_new;
}

}  // namespace

void add_bisect_command(CLI::App& program, int& exit_code) {
  auto flags = std::make_shared<BisectFlags>();
  CLI::App* command = program.add_subcommand(
      "bisect", "In which version of a system a case began to diverge, and in which it stopped.");
  command->footer(
      "Installs the versions it looks at, side by side. Exit code 1 where the newest one judged still diverges.\n"
      "A finding's folder keeps what is found out: its page and its issue text tell of it.\n"
      "\nExamples:\n  parallax bisect case.json --target onnxruntime --versions 1.17.0..1.22.0\n"
      "  parallax bisect findings/7KQ2 --versions 1.17.0..1.22.0");
  command->add_option("case", flags->path, "A case file, or a finding's folder")
      ->required()
      ->transform(existing_path());
  command->add_option("--target", flags->target, "The system, without a version (default: that of the finding)")
      ->type_name("TARGET");
  command->add_option("--versions", flags->versions, "A..B, both included")->required();
  command->add_flag("--json", flags->json, "As JSON on standard output");
  command->callback([flags, &exit_code] { exit_code = code_of(bisect_versions(*flags)); });
}

}  // namespace parallax
