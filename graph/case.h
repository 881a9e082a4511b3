// Case: a graph, what is fed to it and, where known, what must come out. The unit that is stored, judged and replayed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/gradient.h"
#include "graph/symbols.h"

namespace parallax {

// What a recorded run returned. Absent parts are decided by the oracle.
struct Expectation {
  std::optional<std::vector<Tensor>> outputs;
  std::vector<std::pair<std::string, Tensor>> inputs;  // after the run, for those that were written to
  std::vector<std::pair<std::string, Tensor>> buffers;
  std::vector<std::pair<std::string, Tensor>> gradients;
};

// A run after the first, of the same program: buffers hold what the run before left in them.
struct LaterRun {
  SymbolSizes sizes;         // by symbol
  std::vector<Tensor> feed;  // parallel to feed_slots of the graph at these sizes
  Expectation expect;
};

// The graph, the feed and the expectation are those of the first run; where nothing else is said it is the only one.
struct Case {
  std::string name;
  Graph graph;
  std::vector<Tensor> feed;                 // parallel to feed_slots(graph)
  std::optional<GradientRequest> gradient;  // asked for beside the outputs
  Expectation expect;
  Symbols symbols;              // which sizes change from run to run
  std::vector<LaterRun> later;  // what follows the first run
  std::string origin;           // the "origin" object as JSON text, or empty
  std::string file;             // where it was read from, for messages; not part of the meaning
};

// Reads one case. `file` goes into errors. Every error names the JSON pointer of the field that is at fault.
Result<Case> parse_case(std::string_view json, const std::string& file = "");
// Writes one case; `indent` < 0 puts it on one line. What parse_case reads back is equal.
std::string to_json(const Case& test, int indent = -1);

// Every case of a .json or .jsonl file; the file's own error, or one entry an unreadable line.
Result<std::vector<Result<Case>>> read_cases(const std::filesystem::path& path);

// Whether the case is more than one concrete run.
inline bool has_several_runs(const Case& test) { return !test.later.empty() || !test.symbols.empty(); }
// The sizes of a run, the first one being 0.
SymbolSizes sizes_of_run(const Case& test, std::size_t run);
const std::vector<Tensor>& feed_of_run(const Case& test, std::size_t run);
// A run as a case of its own: its sizes, feed and expectation, state as it is before the first run.
Result<Case> case_of_run(const Case& test, std::size_t run);
// Refuses a case that cannot be run at its bound or in one of its runs, or whose later feeds do not fit; the error
// names the run and the node.
Result<void> check_runs(const Case& test);

// The second feed of the judging protocol (docs/concepts.md): the same elements rolled by one place, floats scaled by
// -1/2, so that indices stay valid and stale memory shows.
std::vector<Tensor> second_feed(const Case& test);

}  // namespace parallax
