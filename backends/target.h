// Target: a system under test, its version and options. The one virtual interface of the project.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "graph/case.h"
#include "oracle/outcome.h"

namespace parallax {

// What one in-process detector other than the values saw, in words and as data (see DESIGN "Faults are switches").
struct Diagnosis {
  std::string detector;            // "plan", "sanitizer", "passes"
  std::string summary;             // one line: the value, its slot, the op that overwrote it, the alias still live
  std::vector<std::string> lines;  // the annotated schedule, one line a step
};

class Target {
 public:
  virtual ~Target() = default;
  // As the user named it, options included.
  virtual const std::string& name() const = 0;
  virtual const Profile& profile() const = 0;
  // What is under test, by package: {"executorch", "1.4.1"} …; known once it has run.
  virtual std::vector<std::pair<std::string, std::string>> versions() const { return {}; }
  // Whether it may take calls of this op, as far as that is known before a case is run.
  virtual bool takes(const Op&) const { return true; }
  // Whether it may take cases that hold tensors of this dtype, likewise.
  virtual bool takes_dtype(DType) const { return true; }
  // Runs the protocol of Outcome. `second` is B's feed, or null to run A alone. Never throws; what goes wrong is in the outcome.
  virtual Outcome run(const Case& test, const std::vector<Tensor>* second) = 0;
  // Explains a divergence of this case as far as the target can see inside itself; empty where it cannot.
  virtual std::vector<Diagnosis> explain(const Case&) { return {}; }
};

}  // namespace parallax
