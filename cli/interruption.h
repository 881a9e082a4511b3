// Interruption: Ctrl-C and SIGTERM end a run with what it has so far. A second one, at least two seconds after the
// first, ends the program.
#pragma once

namespace parallax {

// From now on the signals set was_interrupted().
void catch_interruptions();
bool was_interrupted();

}  // namespace parallax
