// Target: a system under test, its version and options. The one virtual interface of the project.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "graph/case.h"
#include "graph/control_op.h"
#include "oracle/detector.h"
#include "oracle/outcome.h"

namespace parallax {

// What one in-process detector other than the values saw, in words and as data (docs/concepts.md, "Faults").
struct Diagnosis {
  Detector detector;
  std::string summary;             // one line: the value, its slot, the op that overwrote it, the alias still live
  std::vector<std::string> lines;  // the annotated schedule, one line a step
  std::string blame = {};          // the part of the compiler that this names: a pass, "planner" …; empty for none
  std::string kind = {};           // what kind of slip of that part it is, of a closed list; empty where it is not told
};

// An option of a target that changes what is compiled: its legal values, the default first.
struct TargetSwitch {
  std::string name;
  std::vector<std::string> values;
};

class Target {
 public:
  virtual ~Target() = default;
  // As the user named it, options included.
  virtual const std::string& name() const = 0;
  virtual const Profile& profile() const = 0;
  // Whether outputs share storage with inputs, buffers and each other exactly as in eager.
  virtual bool promises_identity() const { return false; }
  // What is under test, by package: {"executorch", "1.4.1"} …; known once it has run.
  virtual std::vector<std::pair<std::string, std::string>> versions() const { return {}; }
  // Whether it may take calls of this op, tensors of this dtype, calls of this op whose first tensor has this dtype,
  // and sources that are not row-major, as far as that is known before a case is run. What graphs are drawn from.
  virtual bool takes(const Op&) const { return true; }
  virtual bool takes_dtype(DType) const { return true; }
  virtual bool takes_call(const Op& op, DType dtype) const { return takes(op) && takes_dtype(dtype); }
  virtual bool takes_strided_sources() const { return true; }
  // Likewise, whether it takes graphs that write to their inputs.
  virtual bool takes_written_inputs() const { return true; }
  // Whether it has a delegate that may take calls of this op whose first tensor has this dtype. Graphs are drawn so
  // that there is something for it.
  virtual bool delegates(const Op&, DType) const { return false; }
  // Whether it gives the gradients that a case asks for. One that does not may run the case and leave them out.
  virtual bool takes_gradients() const { return false; }
  // Whether it takes cases with several runs and with sizes that change between them.
  virtual bool takes_several_runs() const { return false; }
  // Whether some of these runs may be on another instance of the program, with buffers of its own.
  virtual bool takes_instances() const { return takes_several_runs(); }
  // Whether it takes cases whose runs call several methods of one program, which share its buffers.
  virtual bool takes_methods() const { return false; }
  // The options that it may be opened with, of which results do not depend.
  virtual std::vector<TargetSwitch> switches() const { return {}; }
  // The branches and loops of the cases that it takes, and whether these may call operations which a user registers.
  virtual ControlKinds control_kinds() const { return {}; }
  // Whether branches and loops may write to their operands.
  virtual bool takes_writing_subgraphs() const { return true; }
  // How many cases are best run as one program: more than one where a program costs more than its nodes do.
  virtual int cases_a_program() const { return 1; }
  // Runs the protocol of Outcome. `second` is B's feed, or null to run A alone. Never throws; what goes wrong is in the
  // outcome.
  virtual Outcome run(const Case& test, const std::vector<Tensor>* second) = 0;
  // The next run builds its program anew, where a target keeps the last one: nothing that earlier runs of it left
  // behind is there.
  virtual void forget_program() {}
  // Processor time that processes of its own took so far; 0 for a target that has none.
  virtual double processor_seconds() { return 0; }
  // What the case does after each stage before the last, in order; empty where the target does not tell.
  virtual std::vector<StageOutcome> stages(const Case&) { return {}; }
  // What it compiles a case to, with its inputs and what is expected of it, as files for a report: relative path and
  // content. Empty where it has none to give.
  virtual std::vector<std::pair<std::string, std::string>> artifacts(const Case&) { return {}; }
  // Explains a divergence of this case as far as the target can see inside itself; empty where it cannot.
  virtual std::vector<Diagnosis> explain(const Case&) { return {}; }
  // Who computes what of this case, one line for each part that is handed over as a whole, in the order in which they
  // run; empty where the target does not tell.
  virtual std::vector<std::string> partitions(const Case&) { return {}; }
};

}  // namespace parallax
