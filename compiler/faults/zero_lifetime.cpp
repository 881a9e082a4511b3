// F39: what is produced and never consumed has an empty life, so its slot is free while it is written (IREE #19389, ort
// #21019, tflite-micro #1575).
#include "compiler/faults.h"

namespace parallax {
namespace {

// A life lasts from the step after the one that makes a value to its last reader.
Lifetimes lifetimes_of_what_is_read(const Graph& graph) {
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  for (Lifetime& lifetime : lifetimes) {
    if (lifetime.arena == Arena::Backend && lifetime.range.first == lifetime.range.last) lifetime.stored = false;
  }
  return lifetimes;
}

}  // namespace

const Fault zero_lifetime = {
    "F39",
    "zero lifetime",
    "planner",
    "a result that nobody reads gets no bytes, and writing it clobbers a slot that is in use",
    "iree#19389, iree#19355, ort#21019, tflite-micro#1575",
    [](CompilerParts& parts) {
      parts.lifetimes = lifetimes_of_what_is_read;
      // Dead branches are what it takes, and a pipeline may leave them in.
      std::erase_if(parts.passes, [](const Pass& pass) { return pass.name == "drop_dead_nodes"; });
    },
};

}  // namespace parallax
