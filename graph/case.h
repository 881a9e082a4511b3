// Case: a graph, what is fed to it and, where known, what must come out. The unit that is stored, judged and replayed.
#pragma once

#include <optional>
#include <string>
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

// A further function of the same program, as "decode" beside "prefill": its sources are inputs and constants of its own
// and then the buffers of the case's graph, in their order and with their data, which all methods share.
struct Method {
  std::string name;
  Graph graph;
};

// A run after the first, of the same program: buffers hold what the run before left in them on the same instance.
struct LaterRun {
  SymbolSizes sizes;         // by symbol
  std::vector<Tensor> feed;  // parallel to feed_slots of what it runs, at these sizes
  Expectation expect;
  // Which instance of the program runs it; the first run is on 0. One that has not run yet holds the buffers' data.
  int instance = 0;
  std::size_t method = 0;  // which method it calls: 0 the case's graph, else its place in `methods` and one
};
// The most instances of one case.
inline constexpr int most_instances = 64;

// The graph, the feed and the expectation are those of the first run; where nothing else is said it is the only one.
struct Case {
  std::string name;
  Graph graph;
  std::vector<Method> methods;              // besides the graph, which the first run is of
  std::vector<Tensor> feed;                 // parallel to feed_slots(graph)
  std::optional<GradientRequest> gradient;  // asked for beside the outputs
  Expectation expect;
  Symbols symbols;              // which sizes change from run to run
  std::vector<LaterRun> later;  // what follows the first run
  std::string origin;           // the "origin" object as JSON text, or empty
  std::string file;             // where it was read from, for messages; not part of the meaning
};

}  // namespace parallax
