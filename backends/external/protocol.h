// Protocol: the lines that cross between us and a worker (docs/protocol.md), as text and as our own types.
//
// A reply is input from outside: whatever it holds, decoding gives an outcome or an error, never a crash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/target.h"
#include "core/profile.h"
#include "core/result.h"
#include "graph/case.h"
#include "oracle/outcome.h"

namespace parallax {

// What a worker says of itself.
struct Hello {
  std::string name;
  std::string version;
  std::vector<std::pair<std::string, std::string>> versions;  // of it and what it stands on
  Profile profile;                                            // a built-in one by name, or one of its own
  bool promises_identity = false;                             // as Target::promises_identity
  std::optional<std::vector<DType>> dtypes;                   // nothing: it takes any
  std::optional<std::vector<std::string>> ops;                // likewise
  bool gradients = false;                                     // whether it takes cases that ask for gradients
  int cases_a_program = 1;                                    // how many cases to run as one
  bool strided_sources = true;                                // whether it takes sources that are not row-major
  bool written_inputs = true;                                 // whether it takes graphs that write to their inputs
  ControlKinds control_kinds = {};                            // branches, loops and custom operations that it takes
  bool writing_subgraphs = true;                              // whether the former may write to their operands
  bool several_runs = false;                                  // whether it takes cases with runs of their own
  bool instances = true;                                      // and with runs on several instances
  bool methods = false;                                       // and with several methods of one program
  bool counts = false;                                        // whether it takes cases with sizes that hang on data
  bool artifacts = false;                                     // whether it writes what it compiled where it is told to
  std::vector<std::string> delegated_ops;                     // what its delegate may take; empty: it has none
  std::vector<DType> delegated_dtypes;
  std::vector<TargetSwitch> switches;  // options of the target, as Target::switches
};

// The requests, without a newline.
std::string encode_hello(int64_t id);
// `expect` and `origin` of the case stay behind. `second` is B's feed, or null to run A alone. `anew`: a program that
// the worker kept is not used. `threads`: A runs on that many at once as well.
std::string encode_run(int64_t id, const Case& test, const std::vector<Tensor>* second, bool anew = false,
                       int threads = 1);
// Asks for what the case does after each stage.
std::string encode_stages(int64_t id, const Case& test);
// Asks for A alone, and for what the case was compiled to in that folder.
std::string encode_artifact(int64_t id, const Case& test, const std::filesystem::path& folder);

Result<Hello> decode_hello(std::string_view reply, int64_t id);
// Whether an error of a greeting is one of the profile in it: bad input, where others tell that the target cannot run.
bool is_of_profile(const Error& error);
// A reply that breaks the protocol gives protocol_failure().
Outcome decode_run(std::string_view reply, int64_t id, const Case& test);
// The stages of a reply; none where the case did not run, or the target has none.
Result<std::vector<StageOutcome>> decode_stages(std::string_view reply, int64_t id, const Graph& graph);

// The outcome of a worker that breaks the protocol: an error of kind "protocol".
Outcome protocol_failure(std::string message, std::string detail = "");
bool is_protocol_failure(const Outcome& outcome);

}  // namespace parallax
