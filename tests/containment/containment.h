// Containment: whatever a rule of the oracle says of abstract operands holds for every number that they stand for.
//
// A call is drawn over abstract elements (abstract_element.h) and its rule asked once. Then numbers inside them are
// drawn, again and again, and the call is computed by the portable kernels, which share nothing with the rule: each
// result has to lie in what the rule said. Ops, dtypes and arguments come from the registry, so a new op is covered.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/runtime/executor.h"
#include "graph/case.h"
#include "ops/op.h"
#include "tests/containment/abstract_element.h"

namespace parallax {

// A result that the rule excludes.
struct Escape {
  std::string text;  // the call, its operands, what the rule said and what came out, on a few lines
};

struct ContainmentCounts {
  int64_t calls = 0;
  int64_t points = 0;
  int64_t elements = 0;   // decided ones that were held against a number
  int64_t undecided = 0;  // of which the rule says nothing
  int64_t raised = 0;     // points whose data eager raises on
};

// Changes what a rule sees of its operands' elements, as a rule would that forgets something; null for none.
using Forgets = std::function<void(DType dtype, std::vector<Ball>& balls, std::vector<IntegerBall>& integers)>;

class AbstractCall {
 public:
  // Stream k of a seed is the same whatever was drawn before. Nothing where the op has no rule (a view), where no
  // arguments fit the dtype, where eager refuses the call, or where no kernel computes it.
  static std::optional<AbstractCall> draw(const Op& op, DType dtype, uint64_t seed, uint64_t stream);

  // Asks the rule: false where it refuses the data.
  bool ask(const Forgets& forgets = nullptr);
  // Whether the rule said the same of all results as in the call before the last.
  bool says_the_same(const AbstractCall& other) const;
  // Holds `points` drawn members against what the rule said; the first result outside.
  std::optional<Escape> check(int points, ContainmentCounts& counts);

 private:
  AbstractCall(Case test, const Profile& profile, uint64_t seed);

  const Node& node() const { return test_.graph.nodes.front(); }
  std::vector<Tensor> draw_point(std::mt19937_64& random) const;
  std::optional<std::string> excluded(const std::vector<Tensor>& results, ContainmentCounts& counts) const;
  std::string describe(const std::vector<Tensor>& point) const;

  Case test_;
  const Profile* profile_;
  std::mt19937_64 random_;
  std::shared_ptr<const runtime::Executable> executable_;
  std::vector<BallStorage> drawn_;  // by storage, before the call
  std::vector<BallStorage> said_;   // by storage, after it
  bool may_raise_ = false;
};

}  // namespace parallax
