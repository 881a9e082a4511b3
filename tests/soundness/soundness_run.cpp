#include "tests/soundness/soundness_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/limits.h"
#include "ops/profiles.h"
#include "oracle/acceptance.h"

namespace parallax {
namespace {

// Ops draw differently in one stream.
uint64_t name_seed(std::string_view text) {
  uint64_t seed = 0;
  for (const char c : text) seed = mix(seed, static_cast<unsigned char>(c));
  return seed;
}

std::vector<Profile> make_profiles() {
  const Profile eager = *find_profile("eager");
  Profile open = eager;
  open.name = "eager, rounding open, subnormals flushed";
  open.rounding_mode_open = true;
  open.flush_to_zero = true;
  Profile halves = eager;
  halves.name = "eager, halves summed as halves";
  allow(halves, Form::AccumulateInHalf);
  return {eager, eager, *find_profile("executorch"), open, halves};
}

}  // namespace

void RatioHistogram::add(double ratio) {
  const double step = std::isfinite(ratio) && ratio > 0 ? (std::log2(ratio) + octaves / 2.0) * steps_an_octave
                      : ratio > 0                       ? infinity
                                                        : 0;
  counts_[static_cast<std::size_t>(std::clamp<double>(step, 0, steps_an_octave * octaves - 1))] += 1;
  count_ += 1;
}

double RatioHistogram::median() const {
  int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (2 * seen >= count_ && count_ > 0) {
      return i + 1 == counts_.size() ? infinity
                                     : std::exp2((static_cast<double>(i) + 0.5) / steps_an_octave - octaves / 2.0);
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::span<const DType> soundness_dtypes() {
  static constexpr std::array dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64};
  return dtypes;
}

std::span<const Profile> soundness_profiles() {
  static const std::vector<Profile> profiles = make_profiles();
  return profiles;
}

void SoundnessRun::run(const PlainOp& op, uint64_t stream) {
  const DType dtype = soundness_dtypes()[stream % soundness_dtypes().size()];
  const Profile& profile = soundness_profiles()[stream / soundness_dtypes().size() % soundness_profiles().size()];
  const auto drawn = CheckedCall::draw(op, dtype, profile, mix(seed_, name_seed(op.name)), stream);
  if (drawn) hold(op, *drawn, profile, op.family, stream);
}

void SoundnessRun::hold(const PlainOp& op, const CheckedCall& call, const Profile& profile, std::string_view family,
                        uint64_t stream) {
  const DType dtype = call.dtype();
  const CallProfile seen = call.seen(profile);
  const CallProfile kept = op.carries_halves ? seen.with(Form::AccumulateInHalf) : seen;
  FamilyFigures& figures = families_[std::string(family)];
  figures.calls += 1;
  const std::vector<std::vector<Ball>> balls = call.result_balls();
  // The largest errors met.
  std::vector<std::vector<double>> errors;
  for (const std::vector<Ball>& result : balls) errors.emplace_back(result.size(), 0);
  for (int implementation = 0; implementation < implementations_; ++implementation) {
    const uint64_t seed = mix(mix(seed_, stream), static_cast<uint64_t>(implementation));
    std::mt19937_64 random(seed);
    Perturbed p(dtype, kept, seed);
    const std::vector<PlainTensor> results = call.run(op, p, call.draw_members(random));
    for (std::size_t k = 0; k < balls.size(); ++k) {
      for (std::size_t i = 0; i < balls[k].size(); ++i) {
        const Ball& ball = balls[k][i];
        const double got = results[k][i];
        checks_ += 1;
        figures.checks += 1;
        figures.undecided += !ball.decided();
        if (std::isfinite(got)) errors[k][i] = std::max(errors[k][i], std::fabs(got - ball.mid));
        if (accepts(dtype, ball, got)) continue;
        figures.violations += 1;
        if (++shown_[op.name] > 2 || violations_.size() >= 60) continue;
        violations_.push_back(
            fmt::format("{}: {} into {} under '{}', seed {}, stream {}, implementation {}, result {}, element {}: "
                        "{:.17g} is not in "
                        "{:.17g} ± {:.6g}{}{}",
                        op.family, op.name, name(dtype), profile.name, seed_, stream, implementation, k, i, got,
                        ball.mid, ball.radius, ball.may_nan ? " or nan" : "", ball.may_inf ? " or inf" : ""));
      }
    }
  }
  if (!call.exact()) return;
  for (std::size_t k = 0; k < balls.size(); ++k) {
    for (std::size_t i = 0; i < balls[k].size(); ++i) {
      const Ball& ball = balls[k][i];
      if (!ball.decided() || ball.radius == 0 || !std::isfinite(ball.radius)) continue;
      figures.tightness.add(errors[k][i] > 0 ? ball.radius / errors[k][i] : infinity);
    }
  }
}

std::string SoundnessRun::table() const {
  std::string text = fmt::format("{:<18} {:>9} {:>13} {:>11} {:>11} {:>10}\n", "family", "calls", "checks", "undecided",
                                 "violations", "tightness");
  FamilyFigures all;
  for (const auto& [family, figures] : families_) {
    text += fmt::format("{:<18} {:>9} {:>13} {:>11} {:>11} {:>10.3g}\n", family, figures.calls, figures.checks,
                        figures.undecided, figures.violations, figures.tightness.median());
    all.calls += figures.calls;
    all.checks += figures.checks;
    all.undecided += figures.undecided;
    all.violations += figures.violations;
  }
  return text + fmt::format("{:<18} {:>9} {:>13} {:>11} {:>11}\n", "all", all.calls, all.checks, all.undecided,
                            all.violations);
}

}  // namespace parallax
