// CandidateList: what a reduction pass collects, with everything that is not smaller left out.
#pragma once

#include <vector>

#include "reducers/rebuild.h"
#include "reducers/size.h"

namespace parallax {

class CandidateList {
 public:
  // Candidates are compared with `base`, which must outlive the list.
  explicit CandidateList(const Case& base) : base_(base), size_(size_of_case(base)) {}

  // Appends the candidate if it is one and is smaller than the base.
  void offer(std::optional<Case> candidate) {
    if (candidate && size_of_case(*candidate) < size_) candidates_.push_back(*std::move(candidate));
  }
  // Appends the case of a sketch of the base.
  void offer(const Sketch& sketch) { offer(put_together(sketch, base_)); }
  // First without the nodes that the sketch leaves dead, then with them.
  void offer_with_and_without_dead(const Sketch& sketch) {
    std::optional<Case> candidate = put_together(sketch, base_);
    if (!candidate) return;
    Case pruned = without_dead_nodes(*candidate);
    if (pruned.graph.nodes.size() < candidate->graph.nodes.size()) offer(std::move(pruned));
    offer(std::move(candidate));
  }

  std::vector<Case> take() { return std::move(candidates_); }

 private:
  const Case& base_;
  CaseSize size_;
  std::vector<Case> candidates_;
};

}  // namespace parallax
