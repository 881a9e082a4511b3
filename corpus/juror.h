// Juror: who was asked whether a finding is one, and the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parallax {

enum class Answer : uint8_t {
  Agrees,       // with the oracle: the target is wrong
  Contradicts,  // the finding does not show, or the oracle is wrong
  NotAsked,     // it is not here, does not take the case, or cannot decide
};
// "agrees", "contradicts", "not asked".
std::string_view name(Answer answer);
std::optional<Answer> parse_answer(std::string_view name);

struct JurorAnswer {
  std::string juror;  // "a fresh process", "pytorch-eager", "the script"
  Answer answer = Answer::NotAsked;
  std::string said;  // for a person

  friend bool operator==(const JurorAnswer&, const JurorAnswer&) = default;
};

// What a jury makes of a finding.
enum class Confirmation : uint8_t {
  NotAsked,     // no jury sat
  Confirmed,    // some juror agrees, and none contradicts
  ByProof,      // no juror could be asked: the oracle's proof alone counts
  Unconfirmed,  // a juror contradicts
};
Confirmation confirmation_of(std::span<const JurorAnswer> jury);
// "confirmed", "by proof alone", "unconfirmed"; "not put to a jury".
std::string_view name(Confirmation confirmation);

}  // namespace parallax
