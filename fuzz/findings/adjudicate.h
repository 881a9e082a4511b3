// Adjudication: a suspect case is no verdict, but it says where to look. What made it suspect may be proved on a case
// made from it, whose bound is sharper.
//
// Four are tried, in order: the same graph on values of few bits, where sums are exact; with most elements 0, so that
// few of them round; cut at an earlier node, before radii have grown; and one node alone on what the target itself
// computed for it. The first that the target is outside of the bound on is the proof.
#pragma once

#include <optional>
#include <string_view>

#include "backends/examine.h"

namespace parallax {

struct Adjudication {
  struct Proof {
    Case test;
    Examination examination;  // a mismatch
    std::string_view by;      // how the case was made: "on values of few bits" …
  };
  std::optional<Proof> proof;  // nothing: it stays a suspect, unproven
  int checks = 0;              // cases that the target was run on
};

Adjudication adjudicate(Target& target, const Case& suspect);

}  // namespace parallax
