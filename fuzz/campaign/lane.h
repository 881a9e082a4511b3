// Lane: one target's place in the sequence of cases of a campaign, and a turn of it while it is served.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/examine.h"
#include "corpus/known.h"
#include "fuzz/campaign/ledger.h"

namespace parallax {

// A target that is open, and the base that it is held against, if there is one.
struct Instance {
  std::unique_ptr<Target> target;
  std::unique_ptr<Target> base;
  std::optional<Case> last = {};  // what the target ran last
};

// One target's place in the sequence.
struct Lane {
  std::string name;
  std::size_t cases_a_turn = 1;
  std::size_t cases_a_program = 1;
  int most_busy = 1;            // threads that may serve it at once
  int busy = 0;                 // threads that do
  std::vector<Instance> ready;  // that nobody uses
  bool finished = false;
  uint64_t next = 0;               // the first case of the next turn that is handed out
  LaneState state;                 // of finished turns
  std::vector<double> begun = {};  // of the turns that are being served, in seconds of the campaign

  // The time that it has had, with what its unfinished turns have taken so far: one that is slow to start would else
  // be given every worker.
  double seconds(double now) const {
    double sum = state.seconds;
    for (const double begin : begun) sum += now - begin;
    return sum;
  }
};

// What is known of a case once it ran.
struct JudgedCase {
  uint64_t k = 0;
  Case test = {};
  Examination examination = {};
  double seconds = 0;
  bool hidden_by_packing = false;
  std::optional<Case> before = {};      // what ran before it on the same target, where that is kept
  std::optional<Verdict> on_base = {};  // of one that diverges, where there is a base

  // Whether what diverges is right on the base.
  bool is_news() const { return !on_base || *on_base == Verdict::Match; }
};

// A turn while it is served. What it counts is added when it is finished, so that a turn is counted whole or not at
// all.
struct ServedTurn {
  uint64_t first = 0;
  std::vector<JudgedCase> judged = {};
  int64_t related = 0;
  SpentBesides spent = {};
  std::vector<std::pair<CampaignFinding, const KnownFinding*>> known = {};
};

}  // namespace parallax
