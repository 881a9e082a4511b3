#include "corpus/juror.h"

#include <algorithm>
#include <array>

namespace parallax {
namespace {

constexpr std::array<std::string_view, 3> answer_names = {"agrees", "contradicts", "not asked"};
constexpr std::array<std::string_view, 4> confirmation_names = {"not put to a jury", "confirmed", "by proof alone",
                                                                "unconfirmed"};

}  // namespace

std::string_view name(Answer answer) { return answer_names[static_cast<std::size_t>(answer)]; }

std::optional<Answer> parse_answer(std::string_view name) {
  const auto found = std::ranges::find(answer_names, name);
  if (found == answer_names.end()) return std::nullopt;
  return static_cast<Answer>(found - answer_names.begin());
}

Confirmation confirmation_of(std::span<const JurorAnswer> jury) {
  const auto some = [&](Answer answer) { return std::ranges::count(jury, answer, &JurorAnswer::answer) > 0; };
  if (jury.empty()) return Confirmation::NotAsked;
  if (some(Answer::Contradicts)) return Confirmation::Unconfirmed;
  return some(Answer::Agrees) ? Confirmation::Confirmed : Confirmation::ByProof;
}

std::string_view name(Confirmation confirmation) { return confirmation_names[static_cast<std::size_t>(confirmation)]; }

}  // namespace parallax
