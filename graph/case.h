// Case: a graph, what is fed to it and, where known, what must come out. The unit that is stored, judged and replayed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/gradient.h"
#include "graph/graph.h"

namespace parallax {

// What a recorded run returned. Absent parts are decided by the oracle.
struct Expectation {
  std::optional<std::vector<Tensor>> outputs;
  std::vector<std::pair<std::string, Tensor>> inputs;  // after the run, for those that were written to
  std::vector<std::pair<std::string, Tensor>> buffers;
  std::vector<std::pair<std::string, Tensor>> gradients;
};

struct Case {
  std::string name;
  Graph graph;
  std::vector<Tensor> feed;                 // parallel to feed_slots(graph)
  std::optional<GradientRequest> gradient;  // asked for beside the outputs
  Expectation expect;
  std::string origin;  // the "origin" object as JSON text, or empty
  std::string file;    // where it was read from, for messages; not part of the meaning
};

// Reads one case. `file` goes into errors. Every error names the JSON pointer of the field that is at fault.
Result<Case> parse_case(std::string_view json, const std::string& file = "");
// Writes one case; `indent` < 0 puts it on one line. What parse_case reads back is equal.
std::string to_json(const Case& test, int indent = -1);

// Every case of a .json or .jsonl file; the file's own error, or one entry an unreadable line.
Result<std::vector<Result<Case>>> read_cases(const std::filesystem::path& path);

// The second feed of the judging protocol (docs/concepts.md): the same elements rolled by one place, floats scaled by
// -1/2, so that indices stay valid and stale memory shows.
std::vector<Tensor> second_feed(const Case& test);

}  // namespace parallax
