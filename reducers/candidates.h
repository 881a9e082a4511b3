// CandidateList: what a reduction pass collects, with everything that is not smaller left out.
#pragma once

#include <vector>

#include "graph/sketch.h"
#include "reducers/reduce.h"
#include "reducers/size.h"

namespace parallax {

class CandidateList {
 public:
  // Candidates are compared with `base`, which must outlive the list.
  explicit CandidateList(const Case& base) : base_(base), size_(size_of_case(base)) {}

  // Appends the candidate if it is one and is smaller than the base. `what`: see Edit.
  void offer(std::string what, std::optional<Case> candidate) {
    if (candidate && size_of_case(*candidate) < size_) edits_.push_back({std::move(what), *std::move(candidate)});
  }
  // Appends the case of a sketch of the base.
  void offer(std::string what, const Sketch& sketch) { offer(std::move(what), put_together(sketch, base_)); }
  // First without the nodes that the sketch leaves dead, then with them.
  void offer_with_and_without_dead(const std::string& what, const Sketch& sketch) {
    std::optional<Case> candidate = put_together(sketch, base_);
    if (!candidate) return;
    Case pruned = without_dead_nodes(*candidate);
    if (pruned.graph.nodes.size() < candidate->graph.nodes.size()) offer(what + ", pruned", std::move(pruned));
    offer(what, std::move(candidate));
  }

  std::vector<Edit> take() { return std::move(edits_); }

 private:
  const Case& base_;
  CaseSize size_;
  std::vector<Edit> edits_;
};

}  // namespace parallax
