// Shown bits as JSON and in words.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "oracle/judgement.h"

namespace parallax {

// {"proof": {"median": 24, "least": 11}, "ensemble": …}; null where nothing was judged by it.
inline nlohmann::ordered_json bits_json(const Judgement& judgement) {
  const auto of = [](const ShownBits& bits) {
    if (bits.elements() == 0) return nlohmann::ordered_json();
    return nlohmann::ordered_json{{"median", bits.median()}, {"least", bits.least()}};
  };
  return {{"proof", of(judgement.proof_bits)}, {"ensemble", of(judgement.ensemble_bits)}};
}

// "bits shown: proof 3 (least 0) · ensemble 20 (least 17)", of the tensors' scale; empty where there is no float.
inline std::string bits_text(const Judgement& judgement) {
  if (judgement.proof_bits.elements() == 0) return "";
  std::string text =
      fmt::format("bits shown: proof {} (least {})", judgement.proof_bits.median(), judgement.proof_bits.least());
  if (judgement.ensemble_bits.elements() > 0) {
    text += fmt::format(" · ensemble {} (least {})", judgement.ensemble_bits.median(), judgement.ensemble_bits.least());
  }
  return text;
}

}  // namespace parallax
