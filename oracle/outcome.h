// Outcome: what a target did with a case. Data only; whether it is right is the judge's business (oracle/judge.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "oracle/detector.h"

namespace parallax {

enum class Status {
  Ok,           // it ran; `runs` is filled
  Audited,      // compiled and audited without a finding; nothing here runs what came out
  Rejected,     // refused with a diagnostic that the target declares as such
  Unsupported,  // said beforehand that it does not take this
  Error,        // an exception that is not a declared rejection
  Crash,        // a signal, an abort, an end of file
  Hang,         // silence past the limit
};

// What one run handed back. An input or buffer that the target does not hand back is nullopt ("unobserved").
struct Observation {
  std::vector<Tensor> outputs;
  std::vector<std::optional<Tensor>> inputs;   // by the graph's inputs, in order
  std::vector<std::optional<Tensor>> buffers;  // by the graph's buffers, in order
  // Where each output lies, where the target tells: equal numbers share storage. Inputs come first, then buffers, then
  // outputs, so an output that is input 0's memory has the number of input 0. Empty where not told.
  std::vector<int> identity;
};

// The runs of the judging protocol: A, then B on the same instance, then A on a fresh instance with other poison. A
// case with runs of its own goes through all of them, once on either instance.
struct Outcome {
  Status status = Status::Ok;
  std::string stage;  // "lower", "run" …: where it stopped, empty for Ok
  std::string kind;   // the exception's type, the signal's name, what a detector raises
  std::string message;
  std::string detail;                 // a traceback, the tail of standard error
  std::optional<Detector> raised_by;  // of an error that a detector of our own raised
  std::optional<Observation> a;
  std::vector<Tensor> a_kept;    // A's outputs, uncopied, read again after B; empty if B was not run
  std::optional<Observation> b;  // nullopt where the target or the oracle does not run B
  std::optional<Observation> a_again;
  // Of a case with several runs, in place of B: those after the first, on the same instance and on the fresh one.
  std::vector<Observation> later, later_again;
  // The outputs of those but the last, uncopied, read again after the last; empty where the target does not tell.
  std::vector<std::vector<Tensor>> later_kept;
  // Where the case asks for gradients, by its list of inputs: the target's, those of eager's autograd, and these with
  // every float of the case widened to f64.
  std::vector<Tensor> gradients, eager_gradients, reference_gradients;
  // Of a case with symbols: those that the target took for numbers, and how often it compiled again for a size; -1
  // where it does not tell.
  std::vector<std::string> specialized;
  int recompiled = -1;
  int delegated = -1;     // nodes that ran in a delegate; -1 where the target has none
  // Of a target that fuses quantized calls: how many it fused, of those that read what a dequantize made; -1 where it
  // does not tell.
  int fused = -1;
  int fusable = -1;
  int reused_slots = -1;  // storages placed in bytes that another storage had before; -1 where the target does not tell
  double milliseconds = 0;
};

// What a case did as it was after one of a target's stages ("export"); run A alone.
struct StageOutcome {
  std::string name;
  Outcome outcome;
};

}  // namespace parallax
