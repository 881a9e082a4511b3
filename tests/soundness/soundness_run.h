// SoundnessRun: the oracle's balls of drawn calls, held against many perturbed implementations of each.
#pragma once

#include <array>
#include <map>
#include <string>

#include "tests/soundness/checked_call.h"

namespace parallax {

// How many bounds have a certain ratio to something, on a logarithmic scale.
class RatioHistogram {
 public:
  void add(double ratio);
  // NaN of nothing.
  double median() const;
  int64_t count() const { return count_; }

 private:
  static constexpr int steps_an_octave = 8;
  static constexpr int octaves = 64;
  // From 2^-32 on; the last entry is for what is larger, infinity included.
  std::array<int64_t, steps_an_octave * octaves> counts_{};
  int64_t count_ = 0;
};

struct FamilyFigures {
  int64_t calls = 0;
  int64_t checks = 0;     // of an element of an implementation
  int64_t undecided = 0;  // of those, where the oracle says nothing
  int64_t violations = 0;
  // Of exact operands: the radius over the largest error of all implementations.
  RatioHistogram tightness;
};

// The dtypes and profiles that runs are drawn from.
std::span<const DType> soundness_dtypes();
std::span<const Profile> soundness_profiles();

class SoundnessRun {
 public:
  explicit SoundnessRun(uint64_t seed, int implementations = 24) : seed_(seed), implementations_(implementations) {}

  // Draws a call of the op and holds its implementations against the oracle. Stream k is the same whatever ran before.
  void run(const PlainOp& op, uint64_t stream);
  // Holds the implementations of a given call, which keep that profile, and counts them to a family.
  void hold(const PlainOp& op, const CheckedCall& call, const Profile& profile, std::string_view family,
            uint64_t stream);

  const std::map<std::string, FamilyFigures, std::less<>>& families() const { return families_; }
  // The first ones of each op, each in a line.
  const std::vector<std::string>& violations() const { return violations_; }
  int64_t checks() const { return checks_; }
  // By family, for a person.
  std::string table() const;

 private:
  uint64_t seed_;
  int implementations_;
  int64_t checks_ = 0;
  std::map<std::string, FamilyFigures, std::less<>> families_;
  std::vector<std::string> violations_;
  std::map<std::string_view, int> shown_;
};

}  // namespace parallax
