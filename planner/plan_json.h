// plan.json: a schedule and its plan as one document, so that a plan can be checked without the program that made it.
//
//   {"plan": 1,
//    "arenas": {"backend": {"bytes": 16, "alignment": 8}, …},
//    "storages": [{"name": "a", "bytes": 8, "given": false, "arena": "backend", "slot": [0, 8]}, …],
//    "values": [{"name": "b", "storage": "a", "type": "f32[2]", "strides": [1], "offset": 0}, …],
//    "steps": [{"name": "c", "makes": ["c"], "reads": ["b"], "writes": ["c"], "elementwise": ["b"]}, …],
//    "outputs": ["c"],
//    "reuses": [{"step": "c", "operand": "a", "result": "c"}]}
//
// Two values of one storage are aliases of each other. "strides" (contiguous) and "offset" (0) may be left out, as may
// empty lists of a step, "given" where it is false, arenas that hold nothing, and "reuses".
#pragma once

#include "core/json_text.h"
#include "planner/schedule.h"

namespace parallax {

struct PlannedSchedule {
  Schedule schedule;
  Plan plan;

  friend bool operator==(const PlannedSchedule&, const PlannedSchedule&) = default;
};

Json plan_json(const PlannedSchedule& planned);

// The inverse. An error carries the JSON pointer of what is wrong. What is read is well formed, not sound: that is the
// checker's question. Arenas over 256 MiB are refused, since the checker keeps a tag for each byte.
Result<PlannedSchedule> read_plan(const Json& json);

}  // namespace parallax
